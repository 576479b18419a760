/* SPDX-License-Identifier: GPL-2.0-only */
/* code_hit.h - parts of the code of hits, for generate_hit.c, which explains the use of registers, and generate_table.c. */
#ifndef KTRACE_ARM64_CODE_HIT_H
#define KTRACE_ARM64_CODE_HIT_H

#include "code_program.h"
#include "core/ring.h"
#include "kmod/text/code.h"

enum { PSTATE = 8, CPU, ME, OFFSET, CTL, OLD, RECORD, COUNT, TEMP, TIME };

struct hit {
	struct code c;				/* first: the functions of code_put.h take it */
	struct part filter, record;
	const struct kt_hit_code *what;
	struct kt_arm64_layout at;
	int needs, filter_needs;
	bool is_event, is_wide;
	u32 kept;				/* registers that the code stores in the frame before it changes them */
	u32 look, slow, undo, wake, recorded;	/* where the code goes on; known after a pass */
	u32 far_key, same_key, large, counted;	/* likewise, of a hit that counts in a table */
};

#define LOAD_EXCLUSIVE	0xc85f7c00U
#define STORE_EXCLUSIVE	0xc8007c00U	/* the status to the register in bits 16 .. 20: 0 if it has stored */

static inline void load_exclusive(struct code *c, u8 to, u8 base)
{
	put(c, LOAD_EXCLUSIVE | base << 5 | to);
}

/* TEMP gets the status. */
static inline void store_exclusive(struct code *c, u8 reg, u8 base)
{
	put(c, STORE_EXCLUSIVE | TEMP << 16 | base << 5 | reg);
}

#define STADD		0xf820001fU

/* Add to the eight bytes at the address in a register.  Changes TEMP and TIME. */
static inline void put_add(struct hit *h, u8 base, u32 number)
{
	struct code *c = &h->c;
	u32 again;

	if (h->at.atomics) {
		put_constant(c, TIME, number);
		return put(c, STADD | TIME << 16 | base << 5);
	}
	again = c->n;
	load_exclusive(c, TIME, base);
	put_sum(c, TIME, TIME, number, TEMP);
	store_exclusive(c, TIME, base);
	put_branch(c, CBNZ | TEMP, again);
}

/* Load n bytes of a variable of the kernel. */
static inline void load_variable(struct code *c, u8 to, const void *variable, u32 bytes)
{
	put_constant(c, to, (unsigned long)variable);
	put_memory(c, OP_LOAD, to, to, 0, bytes, KT_ZERO);
}

/* The base register and the offset of this CPU's ring.  A far one is in TEMP. */
static inline u8 find_ring(struct hit *h, s32 *offset)
{
	const s64 distance = h->what->ring - h->at.cpus;

	if (distance >= 0 && distance < 1 << 14) {
		*offset = distance;
		return CPU;
	}
	put_constant(&h->c, TEMP, h->what->ring);
	put_op(&h->c, ADD, TEMP, TEMP, OFFSET);
	*offset = 0;
	return TEMP;
}

#define RING(member)	(offset + (s32)offsetof(struct kt_ring, member))

/*
 * Of a hit that counts in a table: all between the filter and the counts; then the rare parts.  False: there is no code.
 */
bool kt_arm64_count(struct hit *h);
void kt_arm64_count_rare(struct hit *h);

/* The code reads memory; or does so no more. */
void kt_arm64_begin_hit_loads(struct hit *h);
void kt_arm64_end_hit_loads(struct hit *h);

#endif
