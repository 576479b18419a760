/* SPDX-License-Identifier: GPL-2.0-only */
/* hit_step.h - the steps of which hits consist: enter, examine, record, leave, account.  All in a hit, any context. */
#ifndef KTRACE_HIT_STEP_H
#define KTRACE_HIT_STEP_H

#include <linux/preempt.h>

#include "core/capture_run.h"
#include "kmod/base/clock.h"
#include "kmod/hit/consumer.h"
#include "kmod/hit/turn_away.h"
#include "kmod/hit/wake.h"
#include "kmod/measure/own.h"
#include "kmod/records/buffer.h"
#include "kmod/records/desc.h"
#include "percpu_arch.h"
#include "regs_arch.h"

/* The preempt_count() bits in which a context differs from one that it interrupts. */
#define CONTEXT_BITS	(NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)

/* What the kernel adds to preempt_count() before a hit by this method. */
static __always_inline u32 added_by(enum kt_method method)
{
	return method == KT_METHOD_BREAKPOINT ? KT_BREAKPOINT_CONTEXT : 0;
}

/* May a hit begin inside the others of its CPU?  context: preempt_count(), without added_by(). */
bool kt_hit_may_nest(const struct kt_cpu *cpu, u32 nest, u32 context);

/*
 * Begin a hit.  A hit inside another hit has one of two causes.  Another context interrupted the outer hit: the inner
 * one is recorded as usual.  Or the hit path of the outer one executed a traced instruction: then the context is the
 * same, apart from added_by(), and this returns false.
 */
static __always_inline bool kt_hit_enter(struct kt_cpu *cpu, enum kt_method method)
{
	const u32 inside = preempt_count() & CONTEXT_BITS;
	const u64 busy = READ_ONCE(cpu->busy);
	const u32 nest = busy;		/* for little-endian machines: the low half is the first */

	if (unlikely(busy) && !kt_hit_may_nest(cpu, nest, inside - added_by(method)))
		return false;
	/*
	 * nest first: an NMI between the two stores then uses the next entry of context[].  An NMI before them may use
	 * this entry, but the second store overwrites what it leaves there.
	 */
	WRITE_ONCE(cpu->nest, nest + 1);
	barrier();
	cpu->context[nest] = inside;
	return true;
}

/* One instruction: a context that interrupts before or after it restores nest before it returns. */
static __always_inline void kt_hit_leave(void)
{
	barrier();
	kt_cpu_dec(kt_cpus.nest);
}

/* kt_hit_is_own(), where kt_own_maybe(). */
bool kt_hit_leaves_out(const struct kt_desc *desc, enum kt_method method);

/* Does the descriptor leave out the hit, because a process of ktrace itself has caused it?  An interrupt is no such hit. */
static __always_inline bool kt_hit_is_own(const struct kt_desc *desc, enum kt_method method)
{
	return kt_own_maybe() && kt_hit_leaves_out(desc, method);
}

/* NULL: record the hit; else the counter of the reason why not. */
u64 *kt_hit_examine(struct kt_ring_ctl *ctl, struct kt_desc *desc, const struct pt_regs *regs, enum kt_method method);

/* The ring has counted the hit in ctl->discarded.  Returns the counter to raise. */
u64 *kt_hit_no_room(struct kt_ring_cpu *here, struct kt_desc *desc);

/* As kt_hit_record(), for a payload whose length varies. */
u64 *kt_hit_record_varying(struct kt_ring_cpu *here, struct kt_desc *desc, const struct pt_regs *regs,
			   const struct pt_regs *call);

/* wide: the form of the ring.  call: see kt_code_fn.  NULL: the hit is recorded; else the counter to raise for it. */
static __always_inline u64 *kt_hit_record(struct kt_ring_cpu *here, bool wide, struct kt_desc *desc,
				   const struct pt_regs *regs, const struct pt_regs *call)
{
	struct kt_room room;

	if (wide && unlikely(desc->flags & KT_DESC_VARIES))
		return kt_hit_record_varying(here, desc, regs, call);
	room = kt_ring_reserve(&here->ring, wide, desc->id, desc->units);
	if (unlikely(!room.at))
		return kt_hit_no_room(here, desc);
	if (wide && likely(desc->code.run))
		desc->code.run(regs, room.at, current, call);
	else
		kt_capture_run(desc->record, regs, room.at);
	kt_ring_commit(room, wide, desc->units);
	return NULL;
}

/* The counter of the reason why kt_hit_enter() returned false. */
u64 *kt_hit_turned_away(struct kt_cpu *cpu, struct kt_desc *desc);

/* Count a hit that is not recorded. */
void kt_hit_missed(struct kt_desc *desc, u64 *missed);

static __always_inline void kt_hit_account(struct kt_rings *rings, struct kt_desc *desc, u64 *missed)
{
	if (unlikely(missed)) {
		kt_hit_missed(desc, missed);
	} else {
		kt_cpu_inc(desc->counts->recorded);
		if (rings != &kt_prompt_rings)
			kt_cpu_inc(kt_cpus.others);
	}
	kt_wake_check(rings);
}

/* As kt_hit_account(), for the rings of a recording. */
static __always_inline void kt_hit_account_recording(struct kt_desc *desc, u64 *missed)
{
	if (unlikely(missed)) {
		kt_hit_missed(desc, missed);
	} else {
		kt_cpu_inc(desc->counts->recorded);
		kt_cpu_inc(kt_cpus.others);
	}
}

static __always_inline u64 *kt_hit_record_examined(bool wide, struct kt_desc *desc, const struct pt_regs *regs,
						   enum kt_method method)
{
	struct kt_ring_cpu *here = this_cpu_ptr(desc->rings->cpu);
	u64 *missed = kt_hit_examine(here->ring.ctl, desc, regs, method);

	return missed ?: kt_hit_record(here, wide, desc, regs, NULL);
}

/* Ticks between two times; 0 if one of them is not known. */
static __always_inline u64 kt_between(u64 from, u64 to)
{
	return from && from < to ? to - from : 0;
}

/* The time in a hit, where a traced clock counts as recursion. */
static __always_inline u64 kt_clock_inside(void)
{
	return kt_clock_is_raw() ? kt_clock_raw_read() : kt_clock_read();
}

/* Charge a dear hit to its tracepoint and to its CPU. */
void kt_hit_charge(struct kt_desc *desc, u64 took);

#endif
