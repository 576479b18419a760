// SPDX-License-Identifier: GPL-2.0-only
/* emit_cases.c - the code of a hit that chooses one by the number of the system call.  See kmod/code/plan.h. */
#include "emit_x86.h"
#include "entry.h"

void kt_x86_find_call(struct hit *h)
{
	struct code *c = &h->c;

	c->call = c->a.call_given ? SI : R10;
	c->call_offset = c->a.call_given ? 0 : h->at.call;
	c->a.pool &= ~BIT_OF(c->call);
}

#define TEST_IMM	0xf7		/* /0 */

static void leave_if_set(struct hit *h, s32 member, u32 bits)
{
	struct code *c = &h->c;

	memory_op(c, false, TEST_IMM, 0, R10, member);
	put_bytes(c, bits, 4);
	put_branch(c, IF_NOT_EQUAL, h->slow);
}

/* With r11 = hits, rax = the number: as the kernel makes indirect jumps. */
static void jump_to_case(struct code *c)
{
	if (kt_x86_calls_plainly()) {
		put_bytes(c, 0xc324ff41, 4);	/* jmp *(%r11,%rax,8) */
		return put8(c, 0xcc);		/* int3: as in kt_emit_return() */
	}
	put_bytes(c, 0xc31c8b4d, 4);		/* mov (%r11,%rax,8), %r11 */
	jump_to(c, (const void *)kt_x86_thunk_of(kt_x86_event_jump));
}

/*
 * Choose the case by the number of the system call, as kt_hit_plain_cases() does.  Its registers are those in rsi that the kernel
 * gives (call_given), or on the stack of the task, which r10 gets; the code of the cases takes them from there.  A task that is in
 * no system call has a number that is too large, or the bit no_program; a static tracepoint with registers of a system call has
 * it in no thread of the kernel.  In a call of a 32-bit program the bit `compat` makes the number too large.  A program chooses the
 * number, so it must not lead beyond the table in speculation either.
 */
bool kt_emit_cases(struct hit *h)
{
	struct code *c = &h->c;

	c->a.call_given = h->what->call_given;
	if (h->at.checks_branches)
		put_endbr(c);
	kt_emit_task(h, R10);
	if (!c->a.call_given)
		leave_if_set(h, h->at.flags, h->at.no_program);
	/* `compat` as the sign; nothing is left of the bits above it. */
	memory_op(c, false, MULTIPLY_IMM, AX, R10, h->at.status);
	put_bytes(c, (1U << 31) / h->at.compat, 4);
	if (!c->a.call_given)
		put_load(c, R10, R10, h->at.stack, 8);
	kt_x86_find_call(h);
	memory_op(c, false, OR_LOAD, AX, c->call, c->call_offset + h->at.number);
	put_rex(c, false, 0, AX);		/* cmp $nr, %eax */
	put_bytes(c, 0xf881, 2);
	put_bytes(c, h->nr_hits, 4);
	put_branch(c, IF_NO_CARRY, h->slow);
	put8(c, 0x25);				/* and $imm, %eax: where a wrong guess goes on in spite of the jump */
	put_bytes(c, kt_hits_room(h->nr_hits) - 1, 4);
	put_constant(c, R11, (unsigned long)h->hits);
	jump_to_case(c);
	h->slow = c->n;
	put_constant(c, AX, (unsigned long)h->what->desc);
	jump_to(c, kt_x86_event_slow);
	return true;
}
