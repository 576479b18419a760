/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* unwind_read.h - what the steps of a walk read: memory and registers of the program, and bytes of its tables. */
#ifndef KTRACE_UNWIND_READ_H
#define KTRACE_UNWIND_READ_H

#include "core/unwind.h"

/* Count a unit of work.  False: there was too much. */
static inline bool kt_unwind_work(struct kt_unwind *unwind)
{
	if (!unwind->work)
		return false;
	unwind->work--;
	return true;
}

/* False: unreadable, or there was too much work. */
bool kt_unwind_load(struct kt_unwind *unwind, void *to, u64 addr, u32 size);
/* The value of a register.  False: it is not known. */
bool kt_unwind_reg(struct kt_unwind *unwind, u64 number, u64 *to);

/* --------------------------------------------------- bytes, one after the other */

struct kt_cursor {
	struct kt_unwind *unwind;
	u64 at, end;
	u64 from;		/* bytes[] are those from here */
	u32 have;
	bool bad;		/* unreadable, or behind the end: all bytes are 0 */
	u8 bytes[64];
};

static inline void kt_cursor_set(struct kt_cursor *c, struct kt_unwind *unwind, u64 at, u64 end)
{
	c->unwind = unwind;
	c->at = c->from = at;
	c->end = end;
	c->have = 0;
	c->bad = false;
}

u8 kt_cursor_more(struct kt_cursor *c);

static inline u8 kt_cursor_byte(struct kt_cursor *c)
{
	return c->at - c->from < c->have ? c->bytes[c->at++ - c->from] : kt_cursor_more(c);
}

/* The next n bytes, at most 8, as a number. */
u64 kt_cursor_number(struct kt_cursor *c, u32 n);
s64 kt_cursor_signed(struct kt_cursor *c, u32 n);
u64 kt_cursor_uleb(struct kt_cursor *c);
s64 kt_cursor_sleb(struct kt_cursor *c);

#endif
