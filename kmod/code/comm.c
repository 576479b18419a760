// SPDX-License-Identifier: GPL-2.0-only
/*
 * comm.c - machine code for the name of the current task.  It does what kt_current_comm() does (kmod/records/capture_env.c): the
 * bytes behind the first 0 become 0.
 */
#include "kmod/code/plan.h"

#define ONES	0x0101010101010101ULL

/* VALUE = eight bytes of the name, up to the first 0; PROGRAM2 = 0 if there is none. */
static void put_half(struct code *c, s32 offset)
{
	put_load(c, VALUE, c->task, offset, 8);
	put_constant(c, PROGRAM1, ONES);
	put_move(c, PROGRAM2, VALUE);
	put_sub(c, PROGRAM2, PROGRAM1);
	put_move(c, PROGRAM1, VALUE);
	put_not(c, PROGRAM1);
	put_and(c, PROGRAM2, PROGRAM1);
	put_constant(c, PROGRAM1, ONES << 7);
	put_and(c, PROGRAM2, PROGRAM1);
	/* The lowest bit that is set, then all below its byte; all bits if none is set. */
	put_move(c, PROGRAM1, PROGRAM2);
	put_negate(c, PROGRAM1);
	put_and(c, PROGRAM1, PROGRAM2);
	put_shift_right(c, PROGRAM1, 7);
	put_add_number(c, PROGRAM1, -1);
	put_and(c, VALUE, PROGRAM1);
}

bool kt_code_comm(struct code *c, const struct kt_insn *in)
{
	struct hit *h = hit_of(c);
	u32 end, start, pass;

	if (!c->a.is_direct)
		return false;
	put_half(c, h->at.comm);
	put_store(c, VALUE, c->out, c->offset, 8);
	put_store_number(c, c->out, c->offset + 8, 8, 0);
	/* In two passes: the first one finds where the jump leads. */
	start = end = c->n;
	for (pass = 0; pass < 2; pass++) {
		c->n = start;
		put_branch_unless_zero(c, PROGRAM2, end);
		put_half(c, h->at.comm + 8);
		put_store(c, VALUE, c->out, c->offset + 8, 8);
		end = c->n;
	}
	c->offset += KT_COMM_BYTES;
	return true;
}
