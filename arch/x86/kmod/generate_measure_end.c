// SPDX-License-Identifier: GPL-2.0-only
/* generate_measure_end.c - machine code for the end of a measured call.  See generate_measure.c. */
#include "code_measure.h"
#include "core/histogram.h"

void kt_x86_find_ended_far(struct hit *h, struct labels *p)
{
	struct code *c = &h->c;
	u32 again;

	p->far = c->n;
	load_ax(c, false, &measure_of(h)->intervals->reach);
	again = c->n;
	put_number(c, 0xc8ff, 2);			/* dec %eax */
	jump_if(c, JE, c->at + p->slow);
	next_slot(h, DI);
	memory_op(c, true, CMP_STORE, CX, DI, AT(key));
	jump_if(c, JNE, c->at + again);
	jump_to(c, c->at + p->found);
}

/* As kt_measurement_quota_take(), unless it is the last sample. */
static void take_of_quota(struct hit *h, struct labels *p)
{
	struct code *c = &h->c;
	u32 again;

	p->limited = c->n;
	compare_byte(c, DI, AT(unwanted), 0);
	jump_if(c, JNE, c->at + p->slow);
	put_long(c, CX, (unsigned long)measure_of(h)->left);
	again = c->n;
	memory_op(c, true, MOV_LOAD, AX, CX, 0);
	regs_op(c, GROUP_IMM, 7, AX);
	put_number(c, 1, 4);
	jump_if(c, JLE, c->at + p->slow);
	put_push(c, SI);
	memory_op(c, true, LEA, SI, AX, -1);
	put_cmpxchg(c, true, SI, CX, 0);
	put_pop(c, SI);
	jump_if(c, JNE, c->at + again);
	jump_to(c, c->at + p->unlimited);
}

/* The call has begun by another method, or the filter has rejected it. */
void kt_x86_other_method(struct hit *h, struct labels *p)
{
	struct code *c = &h->c;

	p->other = c->n;
	compare_byte(c, DI, AT(unwanted), 0);
	jump_if(c, JNE, c->at + p->slow);
	put_number(c, 0xb60f, 2);			/* movzbl method(%rdi), %eax */
	put_memory(c, AX, DI, AT(method));
	regs_op(c, SHIFT_IMM, 4, AX);
	put8(c, measure_of(h)->cost_shift);
	put_long(c, CX, (unsigned long)measure_of(h)->cost);
	put_number(c, 0x01048b48, 4);			/* mov (%rcx,%rax), %rax */
	jump_to(c, c->at + p->costed);
}

/* As kt_fast_less(): there is less than what is to be taken off. */
static void clamp_sample(struct hit *h, struct labels *p)
{
	struct code *c = &h->c;

	p->clamped = c->n;
	regs_op(c, ADD, DX, AX);
	put_number(c, 0xd231, 2);			/* xor %edx, %edx */
	find_mine(h);
	mine_op(h, MOV_LOAD, CX, measure_of(h)->samples);
	memory_op(c, true, INC_DEC, 0, CX, OF(clamped));
	jump_to(c, c->at + p->less);
}

/*
 * As kt_fast_empty() behind kt_interval_free(), with rdi = the samples, rdx = how long the call took, rax = what is taken off it.
 * A carry that the first of two additions leaves is kept by whoever interrupts between them.
 */
static void add_sample(struct hit *h, struct labels *p, u32 copy)
{
	struct code *c = &h->c;

	memory_op(c, true, INC_DEC, 0, DI, OF(count));
	memory_op(c, true, ADD_STORE, DX, DI, OF(sum));
	memory_op(c, true, ADD_STORE, AX, DI, OF(taken_off));
	memory_op(c, true, CMP_LOAD, DX, DI, OF(min));
	jump_if(c, JC, c->at + p->least[copy]);
	p->after_least[copy] = c->n;
	memory_op(c, true, CMP_LOAD, DX, DI, OF(max));
	jump_if(c, JA, c->at + p->most[copy]);
	p->after_most[copy] = c->n;
	/* kt_hist_index() */
	move(c, DX, AX);
	move(c, DX, CX);
	put_number(c, 0x01c98348, 4);			/* or $1, %rcx: bsr of 0 has no result */
	put_number(c, 0xc9bd0f48, 4);			/* bsr %rcx, %rcx */
	put_number(c, 0xe983, 2);			/* sub $KT_HIST_SUB_BITS, %ecx */
	put8(c, KT_HIST_SUB_BITS);
	put_number(c, 0xf983, 2);			/* cmp $.., %ecx */
	put8(c, KT_HIST_BITS - KT_HIST_SUB_BITS - 1);
	jump_if(c, JA, c->at + p->odd[copy]);
	put_number(c, 0xe8d348, 3);			/* shr %cl, %rax */
	put_number(c, 0xe1c1, 2);			/* shl $KT_HIST_SUB_BITS, %ecx */
	put8(c, KT_HIST_SUB_BITS);
	put_number(c, 0xc801, 2);			/* add %ecx, %eax */
	p->bucket[copy] = c->n;
	put_number(c, 0xc744ff48, 4);			/* incq buckets(%rdi,%rax,8) */
	put8(c, sizeof(struct kt_samples));
	/* kt_square() */
	move(c, DX, AX);
	put_number(c, 0xe2f748, 3);			/* mul %rdx */
	memory_op(c, true, ADD_STORE, AX, DI, OF(square_low));
	memory_op(c, true, ADC_STORE, DX, DI, OF(square_high));
	count_hit(h);
}

/* As kt_least(). */
static void exchange_limit(struct hit *h, u32 member, u8 unless, u32 back)
{
	struct code *c = &h->c;
	u32 again;

	memory_op(c, true, MOV_LOAD, AX, DI, member);
	again = c->n;
	regs_op(c, CMP_REGS, AX, DX);
	jump_if(c, unless, c->at + back);
	put_cmpxchg(c, false, DX, DI, member);
	jump_if(c, JNE, c->at + again);
	jump_to(c, c->at + back);
}

/* A new least or largest duration; one that has a bucket of its own, or has none. */
static void rare_samples(struct hit *h, struct labels *p, u32 copy)
{
	struct code *c = &h->c;

	p->least[copy] = c->n;
	exchange_limit(h, OF(min), JNC, p->after_least[copy]);
	p->most[copy] = c->n;
	exchange_limit(h, OF(max), JBE, p->after_most[copy]);
	p->odd[copy] = c->n;
	regs_op(c, GROUP_IMM, 7, AX);
	put_number(c, 2 * KT_HIST_SUBS, 4);
	jump_if(c, JC, c->at + p->bucket[copy]);
	put8(c, 0xb8);					/* mov $KT_HIST_OVER, %eax */
	put_number(c, KT_HIST_OVER, 4);
	jump_to(c, c->at + p->bucket[copy]);
}

/* As kt_interval_free(); then rdi = the samples of this CPU. */
static void free_call(struct hit *h)
{
	struct code *c = &h->c;

	store_number(c, true, DI, AT(thread), 0);
	store_number(c, true, DI, AT(key), 0);
	mine_op(h, MOV_STORE, DX, measure_of(h)->value);
	mine_op(h, MOV_LOAD, DI, measure_of(h)->samples);
}

void kt_x86_charged_from(struct code *c)
{
	put_number(c, 0x020c8d48, 4);			/* lea (%rdx,%rax), %rcx */
	memory_op(c, true, ADD_LOAD, CX, DI, AT(start));
	memory_op(c, true, SUB_LOAD, CX, DI, AT(off));
}

/* Another call, in rcx, was open on this CPU when the call began. */
static void end_enclosed(struct hit *h, struct labels *p)
{
	struct code *c = &h->c;

	p->enclosed = c->n;
	put_push(c, SI);
	move(c, CX, SI);
	kt_x86_charged_from(c);
	put_push(c, CX);
	find_mine(h);
	mine_op(h, MOV_STORE, SI, measure_of(h)->inner);
	free_call(h);
	add_sample(h, p, 1);
	kt_x86_charge(h);
	leave_enclosed(c);
	jump_to(c, c->at + p->end);
}

void kt_x86_find_ended(struct hit *h, struct labels *p, u32 pushed)
{
	struct code *c = &h->c;

	check_running(h, p->slow);
	find_home(h, pushed);
	memory_op(c, true, CMP_STORE, CX, DI, AT(key));
	jump_if(c, JNE, c->at + p->far);
	p->found = c->n;
	load_task(h, AX);
	load_start_time(h, AX, AX);
	memory_op(c, true, CMP_STORE, AX, DI, AT(thread));
	jump_if(c, JNE, c->at + p->slow);
}

void kt_x86_take_off(struct hit *h, struct labels *p)
{
	const struct kt_hit_measure *measure = measure_of(h);
	struct code *c = &h->c;

	put8(c, 0x66);					/* cmpw $KT_METHOD_JUMP, method(%rdi): and unwanted */
	memory_op(c, false, CMP_IMM8, 7, DI, AT(method));
	put8(c, KT_METHOD_JUMP);
	jump_if(c, JNE, c->at + p->other);
	load_ax(c, true, (const u8 *)measure->cost + (KT_METHOD_JUMP << measure->cost_shift));
	p->costed = c->n;
	memory_op(c, true, ADD_LOAD, AX, DI, AT(off));
	memory_op(c, true, SUB_LOAD, DX, DI, AT(start));
	regs_op(c, SUB, AX, DX);
	jump_if(c, JC, c->at + p->clamped);
	p->less = c->n;
}

void kt_x86_make_call_end(struct hit *h, struct labels *p)
{
	const struct kt_hit_measure *measure = measure_of(h);
	struct code *c = &h->c;

	put_push(c, DX);
	read_clock(c, DX);
	put_push(c, CX);
	put_push(c, DI);
	check_busy(h, p->slow);
	kt_x86_find_ended(h, p, PUSHED);
	load_ax(c, true, measure->quota);
	regs_op(c, TEST, AX, AX);
	jump_if(c, JNE, c->at + p->limited);
	p->unlimited = c->n;
	kt_x86_take_off(h, p);
	memory_op(c, true, MOV_LOAD, CX, DI, AT(outer));
	regs_op(c, TEST, CX, CX);
	jump_if(c, JNE, c->at + p->enclosed);
	find_mine(h);
	mine_op(h, MOV_IMM, 0, measure->inner);
	put_number(c, 0, 4);
	free_call(h);
	add_sample(h, p, 0);
	p->end = c->n;
	pop_pushed(h);
	kt_x86_put_return(c);
	kt_x86_find_ended_far(h, p);
	take_of_quota(h, p);
	kt_x86_other_method(h, p);
	clamp_sample(h, p);
	end_enclosed(h, p);
	rare_samples(h, p, 0);
	rare_samples(h, p, 1);
	leave_measured(h, &p->slow);
}
