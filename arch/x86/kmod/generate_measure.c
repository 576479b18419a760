// SPDX-License-Identifier: GPL-2.0-only
/*
 * generate_measure.c - machine code for hits of direct jumps that begin or end a call in a measurement.  See generate_direct.c for
 * the trampoline, for who may interrupt the code, and for what it must not do.
 *
 * The code does what kmod/hit/fast_path.h does, with the same accesses to the table of open calls (core/interval.h) in the same
 * order.  Before it changes anything it leaves each other hit to the C path: one inside another hit, or while the
 * measurement does not run; the begin of a call in another task than those that are measured, or whose key is open already, or for
 * which there is no room so near to its home; the end of a call that this thread has not begun, that the filter has rejected,
 * or that meets the quota.
 *
 * It reads the clock after nearly all that the begin of a call takes, and before nearly all that the end takes.  A call that
 * no other encloses needs the clock once at each end.  Registers behind the search:
 *	rdi	the open call; then the samples of this CPU
 *	rcx	what the measurement keeps for this CPU; then scratch
 *	rdx	begin: the current task; end: the time of the hit, then how long the call took
 *	rax	scratch; end: what is taken off
 *	rsi	the enclosing call, if there is one; only then it is saved, and the time from which it is charged lies on the stack
 */
#include "code_measure.h"

void kt_x86_charge(struct hit *h)
{
	struct code *c = &h->c;
	u32 pass, skip = 0;
	const u32 from = c->n;

	/* In two passes: the first one finds where the two jumps lead. */
	for (pass = 0; pass < 2; pass++) {
		c->n = from;
		memory_op(c, true, LEA, AX, SP, HIT_SP + 8 * (PUSHED + PUSHED_MORE) + measure_of(h)->bias);
		memory_op(c, true, MOV_LOAD, CX, SI, AT(key));
		regs_op(c, SUB, AX, CX);
		regs_op(c, INC_DEC, 1, CX);
		regs_op(c, GROUP_IMM, 7, CX);
		put_number(c, h->at.thread_size - 1, 4);
		jump_if(c, JNC, c->at + skip);
		load_task(h, AX);
		load_start_time(h, AX, AX);
		memory_op(c, true, CMP_STORE, AX, SI, AT(thread));
		jump_if(c, JNE, c->at + skip);
		read_clock(c, AX);
		memory_op(c, true, SUB_LOAD, AX, SP, 0);
		put_long(c, CX, (unsigned long)measure_of(h)->nested);
		memory_op(c, true, ADD_LOAD, AX, CX, 0);
		memory_op(c, true, ADD_STORE, AX, SI, AT(off));
		skip = c->n;
	}
}

/* ----------------------------------------------------------------------- begin */

/* From `running` to the `reach` of the table. */
static s64 reach_at(const struct kt_hit_measure *measure)
{
	return (const u8 *)&measure->intervals->reach - (const u8 *)measure->running;
}

/* Is the call of a task that is measured?  rdx = the current task. */
static void check_task(struct hit *h, u32 slow)
{
	struct code *c = &h->c;

	load_task(h, DX);
	if (measure_of(h)->members) {
		put_long(c, CX, (unsigned long)measure_of(h)->members);
		memory_op(c, false, MOV_LOAD, AX, DX, h->at.pid);
		put_number(c, 0x01a30f48, 4);		/* bt %rax, (%rcx) */
		jump_if(c, JNC, c->at + slow);
		check_busy(h, slow);
	} else if (h->what->own_ids) {
		kt_x86_put_own(h, DX);
		jump_if(c, JNE, c->at + slow);
	} else {
		check_busy(h, slow);
	}
}

/* As kt_fast_open(): rdi = the open call, rdx = the current task. */
static void open_call(struct hit *h, struct begin_labels *p)
{
	struct code *c = &h->c;

	check_task(h, p->slow);
	check_running(h, p->slow);
	memory_op(c, false, CMP_IMM8, 7, DI, reach_at(measure_of(h)));
	put8(c, 1);
	jump_if(c, JNE, c->at + p->far);
	find_home(h, p->pushed);
	p->found = c->n;
	put_number(c, 0xc031, 2);			/* xor %eax, %eax */
	put_cmpxchg(c, true, CX, DI, AT(key));
	jump_if(c, JNE, c->at + p->taken);
	p->claimed = c->n;
}

/* As kt_fast_fill() up to the enclosing call, which is in rsi if there may be one. */
static void fill(struct hit *h, bool is_enclosed)
{
	struct code *c = &h->c;

	find_mine(h);
	mine_op(h, MOV_STORE, DI, measure_of(h)->inner);
	if (is_enclosed)
		memory_op(c, true, MOV_STORE, SI, DI, AT(outer));
	else
		store_number(c, true, DI, AT(outer), 0);
	memory_op(c, false, MOV_LOAD, AX, DX, h->at.pid);
	memory_op(c, false, MOV_STORE, AX, DI, AT(pid));
	store_number(c, true, DI, AT(off), 0);
	store_number(c, false, DI, AT(group), KT_METHOD_JUMP << 16);	/* and method, unwanted */
	load_start_time(h, DX, AX);
	memory_op(c, true, MOV_STORE, AX, DI, AT(thread));
	mine_op(h, INC_DEC, 0, measure_of(h)->entered);
	count_hit(h);
}

/* Some calls are in the table behind the home of their key.  Leave the hit to the C path if one with this key is open already. */
static void search_begin(struct hit *h, struct begin_labels *p)
{
	struct code *c = &h->c;
	u32 again;

	p->far = c->n;
	find_home(h, p->pushed);
	move(c, DI, DX);
	load_ax(c, false, &measure_of(h)->intervals->reach);
	again = c->n;
	memory_op(c, true, CMP_STORE, CX, DX, AT(key));
	jump_if(c, JE, c->at + p->slow);
	next_slot(h, DX);
	put_number(c, 0xc8ff, 2);			/* dec %eax */
	jump_if(c, JNE, c->at + again);
	load_task(h, DX);
	jump_to(c, c->at + p->found);
}

/*
 * The home is not free: claim an entry behind it.  The C path makes the table reach further.  If it did not reach further than the
 * home when the code looked at `reach`, a call of this key can only be there, in rax.
 */
static void claim_behind(struct hit *h, struct begin_labels *p)
{
	struct code *c = &h->c;
	u32 again;

	p->taken = c->n;
	regs_op(c, CMP_REGS, CX, AX);
	jump_if(c, JE, c->at + p->slow);
	load_ax(c, false, &measure_of(h)->intervals->reach);
	put_number(c, 0xc289, 2);			/* mov %eax, %edx */
	again = c->n;
	put_number(c, 0xcaff, 2);			/* dec %edx */
	jump_if(c, JE, c->at + p->slow);
	next_slot(h, DI);
	put_number(c, 0xc031, 2);			/* xor %eax, %eax */
	put_cmpxchg(c, true, CX, DI, AT(key));
	jump_if(c, JNE, c->at + again);
	load_task(h, DX);
	jump_to(c, c->at + p->claimed);
}

/*
 * A call was opened before on this CPU: it may enclose this one, and then does not count the time from here on.  What comes before is
 * the same for each hit, so that it can be calibrated: `nested`.
 */
static void begin_enclosed(struct hit *h, struct labels *p)
{
	struct code *c = &h->c;

	p->enclosed = c->n;
	put_push(c, SI);
	mine_op(h, MOV_LOAD, SI, measure_of(h)->inner);
	read_clock(c, AX);
	put_push(c, AX);
	open_call(h, &p->begin[1]);
	fill(h, true);
	kt_x86_charge(h);
	leave_enclosed(c);
	jump_to(c, c->at + p->end);
	search_begin(h, &p->begin[1]);
	claim_behind(h, &p->begin[1]);
	p->begin[1].slow = c->n;
	leave_enclosed(c);
	leave_measured(h, &p->slow);
}

static void make_call_begin(struct hit *h, struct labels *p)
{
	struct code *c = &h->c;

	p->begin[0].pushed = PUSHED;
	p->begin[1].pushed = PUSHED + PUSHED_MORE;
	put_push(c, DX);
	put_push(c, CX);
	put_push(c, DI);
	find_mine(h);
	mine_op(h, CMP_IMM8, 7, measure_of(h)->inner);
	put8(c, 0);
	jump_if(c, JNE, c->at + p->enclosed);
	open_call(h, &p->begin[0]);
	fill(h, false);
	p->end = c->n;
	read_clock(c, DX);
	memory_op(c, true, MOV_STORE, DX, DI, AT(start));
	pop_pushed(h);
	kt_x86_put_return(c);
	search_begin(h, &p->begin[0]);
	claim_behind(h, &p->begin[0]);
	leave_measured(h, &p->begin[0].slow);
	begin_enclosed(h, p);
}

/* ---------------------------------------------------------------------- passes */

static void make_measured(struct hit *h, struct labels *p)
{
	h->c.n = 0;
	put_branch_target(h);
	if (measure_of(h)->begins)
		make_call_begin(h, p);
	else
		kt_x86_make_call_end(h, p);
	if (h->what->text)
		*h->what->text = h->c.n;
}

static bool measured_possible(const struct hit *h)
{
	return !h->at.clock_traps && is_signed32((unsigned long)h->what->own_ids) && is_signed32(h->what->ring) &&
	       reach_at(measure_of(h)) == (s32)reach_at(measure_of(h)) && !measure_of(h)->intervals->saved;
}

/* The first pass finds where jumps lead, the second one writes. */
int kt_x86_make_measured(struct hit *h, u32 room)
{
	struct labels labels = { 0 };
	u32 before;

	if (!measured_possible(h))
		return -EOPNOTSUPP;
	make_measured(h, &labels);
	before = h->c.n;
	h->c.room = room;
	make_measured(h, &labels);
	return pass_result(&h->c, before);
}
