// SPDX-License-Identifier: GPL-2.0-only
/* emit_cases.c - the code of a hit that chooses one by the number of the system call.  See kmod/code/plan.h. */
#include "emit_arm64.h"
#include "entry.h"

static void leave_if_set(struct hit *h, s32 member, u32 bytes, u64 bits)
{
	struct code *c = &h->c;

	put_memory(c, OP_LOAD, TEMP, ME, member, bytes, KT_ZERO);
	put_constant(c, TIME, bits);
	put_and(c, TEMP, TIME);
	put_branch_unless_zero(c, TEMP, h->slow);
}

/*
 * Choose the case by the number of the system call, as kt_hit_plain_cases() does.  A task that is in no system call, or in one of a
 * 32-bit program, has a number that is too large, or one of the bits; a static tracepoint with registers of a system call has it in
 * no thread of the kernel.  A program chooses the number, so it must not lead beyond the table in speculation either.
 */
bool kt_emit_cases(struct hit *h)
{
	struct code *c = &h->c;
	u8 call = 1;

	c->a.scratch = TIME;
	put(c, BTI_C);
	if (h->at.compat < 64)
		leave_if_set(h, h->at.thread_flags, 8, 1ULL << h->at.compat);
	if (!h->what->call_given) {
		leave_if_set(h, h->at.task_flags, 4, h->at.no_program);
		put_memory(c, OP_LOAD, TEMP, ME, h->at.stack, 8, KT_ZERO);
		put_sum(c, TEMP, TEMP, h->at.call);
		call = TEMP;
	}
	put_memory(c, OP_LOAD, TEMP, call, h->at.number, 4, KT_ZERO);
	put_constant(c, TIME, h->nr_hits);
	put_compare(c, TEMP, TIME);
	put_branch(c, IF_NOT_BELOW, h->slow);
	put_mask(c, TEMP, kt_hits_room(h->nr_hits) - 1);
	put_constant(c, TIME, (unsigned long)h->hits);
	put_op(c, LOAD_WORD, TEMP, TIME, TEMP);
	put(c, kt_put_br(TEMP));
	h->slow = c->n;
	put_constant(c, TEMP, (unsigned long)h->what->desc);
	put_call(c, kt_arm64_event_again, LEAVE);
	return true;
}
