/* SPDX-License-Identifier: GPL-2.0-only */
/* code_measure.h - what the code for the begin and for the end of a measured call share.  See generate_measure.c. */
#ifndef KTRACE_X86_CODE_MEASURE_H
#define KTRACE_X86_CODE_MEASURE_H

#include "code_hit.h"
#include "core/interval.h"
#include "core/samples.h"
#include "entry.h"
#include "frame.h"

#define HIT_SP		24	/* from the stack pointer at the begin of the code to that of the hit */
/* The words that the code pushes: rdx, rcx and rdi; then, if another call may enclose this one, rsi and a time. */
#define PUSHED		3
#define PUSHED_MORE	2

#define ADD_STORE	0x01	/* add reg, [...] */
#define ADD_LOAD	0x03	/* add [...], reg */
#define ADC_STORE	0x11
#define SUB_LOAD	0x2b
#define CMP_STORE	0x39	/* cmp reg, [...] */

#define JBE		0x86
#define JLE		0x8e

#define AT(member)	offsetof(struct kt_interval, member)
#define OF(member)	offsetof(struct kt_samples, member)

_Static_assert(AT(method) == AT(group) + 2 && AT(unwanted) == AT(group) + 3, "one store fills all three");
_Static_assert(sizeof(struct kt_samples) < 128, "the buckets are behind so many bytes");

/* Where the code goes on in unusual cases, and where it comes back: known after the first pass. */
struct begin_labels {
	u32 pushed;		/* words that are on the stack then */
	u32 slow, far, found, taken, claimed;
};

struct labels {
	struct begin_labels begin[2];		/* of the two copies of open_call() */
	u32 slow, far, found;
	u32 enclosed, end, outside, charged;
	u32 limited, unlimited, other, costed, clamped, less;
	u32 least[2], most[2], odd[2], bucket[2];	/* of the two copies of add_sample() */
	u32 after_least[2], after_most[2];
};

static inline const struct kt_hit_measure *measure_of(const struct hit *h)
{
	return h->what->measure;
}

static inline u32 slot_bytes(const struct hit *h)
{
	return 1U << measure_of(h)->intervals->size_shift;
}

/* ----------------------------------------------------------------- instructions */

/* eax or rax = the variable of the module or the kernel at this address */
static inline void load_ax(struct code *c, bool wide, const void *from)
{
	if (wide)
		put8(c, 0x48);
	put8(c, 0xa1);
	put_number(c, (unsigned long)from, 8);
}

/* A constant of 4 bytes, extended by its sign to 8 bytes if it is wide. */
static inline void store_number(struct code *c, bool wide, u8 base, s32 offset, s32 value)
{
	memory_op(c, wide, MOV_IMM, 0, base, offset);
	put_number(c, value, 4);
}

static inline void compare_byte(struct code *c, u8 base, s32 offset, u8 with)
{
	memory_op(c, false, CMP_BYTE, 7, base, offset);
	put8(c, with);
}

static inline void put_push(struct code *c, u8 reg)
{
	push_or_pop(c, reg, 0x50);
}

static inline void put_pop(struct code *c, u8 reg)
{
	push_or_pop(c, reg, 0x58);
}

/* rcx = the key, rdi = its home in the table.  Changes rax.  pushed: words that are on the stack. */
static inline void find_home(struct hit *h, u32 pushed)
{
	const struct kt_intervals *intervals = measure_of(h)->intervals;
	struct code *c = &h->c;

	memory_op(c, true, LEA, CX, SP, HIT_SP + 8 * pushed + measure_of(h)->bias);
	put_long(c, DI, KT_INTERVAL_SPREAD);
	put_number(c, 0xf9af0f48, 4);		/* imul %rcx, %rdi */
	regs_op(c, SHIFT_IMM, 5, DI);
	put8(c, intervals->hash_shift);
	regs_op(c, SHIFT_IMM, 4, DI);
	put8(c, intervals->size_shift);
	put_long(c, AX, (unsigned long)intervals->slots);
	regs_op(c, ADD, AX, DI);
}

static inline void next_slot(struct hit *h, u8 reg)
{
	regs_op(&h->c, GROUP_IMM, 0, reg);
	put_number(&h->c, slot_bytes(h), 4);
}

static inline void load_start_time(struct hit *h, u8 task, u8 to)
{
	memory_op(&h->c, true, MOV_LOAD, to, task, h->at.start_time);
}

static inline void load_task(struct hit *h, u8 to)
{
	percpu_op(&h->c, true, MOV_LOAD, to, h->at.current_task);
}

/* An operation with a register or /n, and a member of what the measurement keeps for this CPU, at rcx. */
static inline void mine_op(struct hit *h, u8 opcode, u8 reg, u32 member)
{
	percpu_at(&h->c, true, opcode, reg, CX, member);
}

static inline void find_mine(struct hit *h)
{
	put_long(&h->c, CX, measure_of(h)->cpu);
}

/* As kt_fast_counted(). */
static inline void count_hit(struct hit *h)
{
	kt_x86_put_ctl(h);
	memory_op(&h->c, true, INC_DEC, 0, AX, offsetof(struct kt_ring_ctl, measured));
	kt_x86_put_counts(h);
	percpu_at(&h->c, true, INC_DEC, 0, AX, KT_COUNTS_MISSED);
}

/* Changes rdi.  The processor keeps the order of loads, as kt_fast_running() wants it. */
static inline void check_running(struct hit *h, u32 slow)
{
	put_long(&h->c, DI, (unsigned long)measure_of(h)->running);
	compare_byte(&h->c, DI, 0, 0);
	jump_if(&h->c, JE, h->c.at + slow);
}

static inline void check_busy(struct hit *h, u32 slow)
{
	percpu_op(&h->c, true, CMP_IMM8, 7, h->at.nest);	/* and loads_at */
	put8(&h->c, 0);
	jump_if(&h->c, JNE, h->c.at + slow);
}

static inline void pop_pushed(struct hit *h)
{
	put_pop(&h->c, DI);
	put_pop(&h->c, CX);
	put_pop(&h->c, DX);
}

static inline void leave_measured(struct hit *h, u32 *slow)
{
	*slow = h->c.n;
	pop_pushed(h);
	jump_to(&h->c, (unsigned long)kt_x86_direct_slow);
}

/* Take PUSHED_MORE words from the stack: the time, and rsi. */
static inline void leave_enclosed(struct code *c)
{
	memory_op(c, true, LEA, SP, SP, 8);
	put_pop(c, SI);
}

/*
 * As kt_fast_charge(): rsi = the enclosing call, if it does enclose this one; the stack has the time from which it is charged, then
 * PUSHED + 1 words that the code has pushed.  Changes rax and rcx.
 */
void kt_x86_charge(struct hit *h);

/* The whole code of an end. */
void kt_x86_make_call_end(struct hit *h, struct labels *p);

/*
 * Parts of it that the code of a hit shares which counts the call in a table, too: find the call of this thread, from rdx = the time of
 * the hit; then rdi = the call, rdx = how long it took, rax = what is taken off.  `pushed`: words on the stack.
 */
void kt_x86_find_ended(struct hit *h, struct labels *p, u32 pushed);
void kt_x86_take_off(struct hit *h, struct labels *p);
/* The rare parts of the two. */
void kt_x86_find_ended_far(struct hit *h, struct labels *p);
void kt_x86_other_method(struct hit *h, struct labels *p);
/* rcx = the time from which the enclosing call is charged: that of the hit, less what is charged for this call's inside. */
void kt_x86_charged_from(struct code *c);

#endif
