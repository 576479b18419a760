// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* unwind_read.c - see unwind_read.h. */
#include "core/unwind_read.h"

/* ------------------------------------------------------------------- memory */

bool kt_unwind_load(struct kt_unwind *u, void *to, u64 addr, u32 size)
{
	u32 part;

	for (; size; to = (u8 *)to + part, addr += part, size -= part) {
		part = 64 - addr % 64;	/* see kt_load_block() */
		part = size <= 8 || size < part ? size : part;
		if (!kt_unwind_work(u) || !kt_is_user(addr) || !kt_is_user(addr + part) || !kt_load(to, addr, part))
			return false;
	}
	return true;
}

bool kt_unwind_reg(struct kt_unwind *u, u64 number, u64 *to)
{
	if (number >= KT_NR_GENERAL || !(u->known >> number & 1))
		return false;
	if (u->stored >> number & 1) {
		if (!kt_unwind_load(u, &u->reg[number], u->reg[number], 8))
			return false;
		u->stored &= ~(1ULL << number);
	}
	*to = u->reg[number];
	return true;
}

/* --------------------------------------------------- bytes, one after the other */

u8 kt_cursor_more(struct kt_cursor *c)
{
	u64 n = 64 - c->at % 64;

	if (!c->bad && c->at < c->end) {
		n = n < c->end - c->at ? n : c->end - c->at;
		if (kt_unwind_load(c->unwind, c->bytes, c->at, n)) {
			c->from = c->at++;
			c->have = n;
			return c->bytes[0];
		}
	}
	c->bad = true;
	c->have = 0;
	return 0;
}

u64 kt_cursor_number(struct kt_cursor *c, u32 n)
{
	u64 v = 0;
	u32 i;

	for (i = 0; i < n; i++)
		v |= (u64)kt_cursor_byte(c) << 8 * i;
	return v;
}

s64 kt_cursor_signed(struct kt_cursor *c, u32 n)
{
	return (s64)(kt_cursor_number(c, n) << (64 - 8 * n)) >> (64 - 8 * n);
}

static u64 leb(struct kt_cursor *c, u32 *bits, u8 *last)
{
	u64 v = 0;

	*bits = 0;
	do {
		*last = kt_cursor_byte(c);
		v |= (u64)(*last & 0x7f) << *bits;
		*bits += 7;
	} while (*last & 0x80 && *bits < 63);
	if (*last & 0x80)	/* none in a table is that large */
		c->bad = true;
	return v;
}

u64 kt_cursor_uleb(struct kt_cursor *c)
{
	u32 bits;
	u8 last;

	return leb(c, &bits, &last);
}

s64 kt_cursor_sleb(struct kt_cursor *c)
{
	u32 bits;
	u8 last;
	u64 v = leb(c, &bits, &last);

	return last & 0x40 ? (s64)(v | ~0ULL << bits) : (s64)v;
}
