/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* unwind_table.h - one step of a walk, by the table of a file; what the parts of unwind.c share. */
#ifndef KTRACE_UNWIND_TABLE_H
#define KTRACE_UNWIND_TABLE_H

#include "core/unwind.h"

enum kt_step {
	KT_STEP_CALLER,		/* the registers are those of the caller */
	KT_STEP_END,		/* there is no caller */
	KT_STEP_UNKNOWN,
	KT_STEP_NO_TABLE,	/* the table does not have the instruction */
};

/* `at`: an address in the instruction. */
enum kt_step kt_unwind_by_table(struct kt_unwind *unwind, const struct kt_code_map *map, u64 at);

/* Calculate a DWARF expression (a length, then operations), with a value on its stack.  False: unknown. */
bool kt_unwind_expression(struct kt_unwind *unwind, u64 addr, u64 first, u64 *to);

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
