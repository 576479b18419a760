// SPDX-License-Identifier: GPL-2.0-only
/* hit.c - the hit path.  See hit.h. */
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include "kmod/base/ktrace.h"
#include "core/capture_run.h"
#include "kmod/base/clock.h"
#include "kmod/base/site.h"
#include "kmod/hit/consumer.h"
#include "kmod/hit/fast_path.h"
#include "kmod/hit/hit.h"
#include "kmod/hit/recording.h"
#include "kmod/hit/turn_away.h"
#include "kmod/hit/wake.h"
#include "kmod/measure/measurement.h"
#include "kmod/measure/task_set.h"
#include "kmod/records/buffer.h"
#include "kmod/records/desc.h"
#include "regs_arch.h"

/* The preempt_count() bits in which a context differs from one that it interrupts. */
#define CONTEXT_BITS	(NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)

static struct irq_work limit_reached;
static void (*on_limit)(void);

static void disarm_spent(struct irq_work *work)
{
	on_limit();
}

void kt_hit_init(void (*spent)(void))
{
	on_limit = spent;
	kt_wake_init();
	init_irq_work(&limit_reached, disarm_spent);
}

void kt_hit_exit(void)
{
	kt_wake_exit();
	irq_work_sync(&limit_reached);
}

/* What the kernel adds to preempt_count() before a hit by this method. */
static __always_inline u32 added_by(enum kt_method method)
{
	return method == KT_METHOD_BREAKPOINT ? KT_BREAKPOINT_CONTEXT : 0;
}

/*
 * Begin a hit.  A hit inside another hit has one of two causes.  Another context interrupted the outer hit: the inner
 * one is recorded as usual.  Or the hit path of the outer one executed a traced instruction: then the context is the
 * same, apart from added_by(), and this returns false.
 */
static __always_inline bool enter(struct kt_cpu *cpu, enum kt_method method)
{
	u32 inside = preempt_count() & CONTEXT_BITS, nest = READ_ONCE(cpu->nest);

	/* KT_NEST_BRAKED is larger than KT_MAX_NEST. */
	if (unlikely(nest) &&
	    (nest >= KT_MAX_NEST || cpu->context[nest - 1] == ((inside - added_by(method)) & CONTEXT_BITS)))
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
static __always_inline void leave(void)
{
	barrier();
	this_cpu_dec(kt_cpus.nest);
}

/* The filter has accepted the hit.  NULL: record it; else the counter of the reason why not. */
static noinline u64 *examine_counts(struct kt_ring_ctl *ctl, struct kt_desc *desc)
{
	if (!kt_desc_take(desc))
		return &ctl->filtered;
	if (!kt_recording_on(desc->rings, desc->flags, desc->late)) {
		kt_desc_give_back(desc);
		return &ctl->frozen;
	}
	if (kt_desc_spent(desc))
		irq_work_queue(&limit_reached);
	return NULL;
}
NOKPROBE_SYMBOL(examine_counts);

/* Is the hit in one of the descriptor's tasks, or about one? */
static bool concerns(const struct kt_desc *desc, const struct pt_regs *regs)
{
	if (kt_task_set_has_current(desc->tasks))
		return true;
	return desc->about && kt_task_set_has(desc->tasks, (const void *)(unsigned long)kt_regs_get(regs, desc->about));
}
NOKPROBE_SYMBOL(concerns);

/* NULL: record the hit; else the counter of the reason why not. */
static noinline u64 *examine(struct kt_ring_ctl *ctl, struct kt_desc *desc, const struct pt_regs *regs)
{
	struct kt_rings *rings = desc->rings;

	if (kt_recording_frozen(rings) && !(desc->flags & KT_DESC_UNFREEZE))
		return &ctl->frozen;
	if (desc->flags & KT_DESC_TASKS && !concerns(desc, regs))
		return &ctl->filtered;
	if (desc->flags & KT_DESC_FILTERED && !kt_capture_wants(desc->program, regs))
		return &ctl->filtered;
	if (desc->flags & KT_DESC_COUNTED)
		return examine_counts(ctl, desc);
	if (!kt_recording_on(rings, desc->flags, desc->late))
		return &ctl->frozen;
	return NULL;
}
NOKPROBE_SYMBOL(examine);

/* The ring has counted the hit in ctl->discarded. */
static noinline u64 *no_room(struct kt_ring_cpu *here, struct kt_desc *desc)
{
	kt_desc_give_back(desc);
	return &here->no_room;
}
NOKPROBE_SYMBOL(no_room);

/* The length is known only when the record is complete: make it in the draft of this hit, then copy it. */
static noinline u64 *record_varying(struct kt_ring_cpu *here, struct kt_desc *desc, const struct pt_regs *regs)
{
	u8 *draft = this_cpu_ptr(desc->rings->drafts)->of[this_cpu_read(kt_cpus.nest) - 1];
	const u32 bytes = kt_capture_varying(desc->record, regs, draft);
	struct kt_room room = kt_ring_reserve(&here->ring, true, desc->id, bytes >> kt_unit_shift(true));

	if (unlikely(!room.at))
		return no_room(here, desc);
	memcpy(room.at, draft, bytes);
	kt_ring_commit(room, true, bytes >> kt_unit_shift(true));
	return NULL;
}
NOKPROBE_SYMBOL(record_varying);

/* wide: the form of the ring.  NULL: the hit is recorded; else the counter to raise for it. */
static __always_inline u64 *record(struct kt_ring_cpu *here, bool wide, struct kt_desc *desc,
				   const struct pt_regs *regs)
{
	struct kt_room room;

	if (wide && unlikely(desc->flags & KT_DESC_VARIES))
		return record_varying(here, desc, regs);
	room = kt_ring_reserve(&here->ring, wide, desc->id, desc->units);
	if (unlikely(!room.at))
		return no_room(here, desc);
	if (wide && likely(desc->code.run))
		desc->code.run(regs, room.at, current);
	else
		kt_capture_run(desc->record, regs, room.at);
	kt_ring_commit(room, wide, desc->units);
	return NULL;
}

/* The counter of the reason why enter() returned false. */
static noinline u64 *turned_away(struct kt_cpu *cpu, struct kt_desc *desc)
{
	return kt_brake_is_on(cpu) ? kt_measurement_turn_away(desc) : &this_cpu_ptr(desc->rings->cpu)->ring.ctl->recursed;
}
NOKPROBE_SYMBOL(turned_away);

static noinline void count_missed(struct kt_desc *desc, u64 *missed)
{
	kt_add_local(missed, 1);
	this_cpu_inc(desc->counts->missed);
	if (desc->flags & KT_DESC_RECORDING)
		this_cpu_inc(kt_cpus.others);
}
NOKPROBE_SYMBOL(count_missed);

static __always_inline void account(struct kt_rings *rings, struct kt_desc *desc, u64 *missed)
{
	if (unlikely(missed)) {
		count_missed(desc, missed);
	} else {
		this_cpu_inc(desc->counts->recorded);
		if (rings != &kt_prompt_rings)
			this_cpu_inc(kt_cpus.others);
	}
	kt_wake_check(rings);
}

static __always_inline u64 *record_examined(bool wide, struct kt_desc *desc, const struct pt_regs *regs)
{
	struct kt_ring_cpu *here = this_cpu_ptr(desc->rings->cpu);
	u64 *missed = examine(here->ring.ctl, desc, regs);

	return missed ?: record(here, wide, desc, regs);
}

/*
 * Here and below, functions take `site` even where they do not use it.  So each step finds its arguments in the
 * registers where the step before had them.
 */
static noinline void hit_examined(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc,
				  enum kt_method method)
{
	struct kt_cpu *cpu = this_cpu_ptr(&kt_cpus);
	u64 *missed;

	if (likely(enter(cpu, method))) {
		missed = record_examined(false, desc, regs);
		leave();
	} else {
		missed = turned_away(cpu, desc);
	}
	account(desc->rings, desc, missed);
}
NOKPROBE_SYMBOL(hit_examined);

/* Is there nothing to examine, because every hit of this recording is recorded? */
static __always_inline bool is_plain(const struct kt_desc *desc)
{
	return (desc->flags & ~KT_DESC_CASES) == (KT_DESC_RECORDING | KT_DESC_WIDE) &&
	       !atomic64_read(&desc->rings->recording);
}

/* A hit of a recording with wide rings. */
static noinline void hit_wide(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc,
			      enum kt_method method)
{
	struct kt_cpu *cpu = this_cpu_ptr(&kt_cpus);
	u64 *missed;

	if (likely(enter(cpu, method))) {
		missed = likely(is_plain(desc)) ? record(this_cpu_ptr(desc->rings->cpu), true, desc, regs) :
						  record_examined(true, desc, regs);
		leave();
	} else {
		missed = turned_away(cpu, desc);
	}
	account(desc->rings, desc, missed);
}
NOKPROBE_SYMBOL(hit_wide);

/* Ticks between two times; 0 if one of them is not known. */
static __always_inline u64 between(u64 from, u64 to)
{
	return from && from < to ? to - from : 0;
}

/* Charge a dear hit to its tracepoint and to its CPU. */
static noinline void charge_dear(struct kt_desc *desc, u64 took)
{
	this_cpu_add(desc->counts->spent, took);
	kt_brake_charge(took);
}
NOKPROBE_SYMBOL(charge_dear);

/* The case under which the hit records. */
static __always_inline struct kt_desc *case_of(const struct kt_desc *desc)
{
	const struct kt_cases *cases = desc->cases;
	const u32 number = kt_syscall_now();

	return number < cases->nr && cases->by[number] ? cases->by[number] : cases->other;
}

/* The time in a hit, where a traced clock counts as recursion. */
static __always_inline u64 clock_inside(void)
{
	return kt_clock_is_raw() ? kt_clock_raw_read() : kt_clock_read();
}

/* As hit_wide() and hit_dear(), for a descriptor with cases. */
static noinline void hit_cases(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc,
			       enum kt_method method)
{
	struct kt_cpu *cpu = this_cpu_ptr(&kt_cpus);
	const u64 faults = cpu->faults;
	u64 began = 0, took = 0, *missed;
	struct kt_desc *chosen;

	if (likely(enter(cpu, method))) {
		struct kt_ring_cpu *here = this_cpu_ptr(desc->rings->cpu);

		missed = likely(is_plain(desc)) ? NULL : examine(here->ring.ctl, desc, regs);
		if (likely(!missed)) {
			chosen = case_of(desc);
			if (chosen->flags & KT_DESC_DEAR)
				began = clock_inside();
			missed = record(here, true, chosen, regs);
			if (began)
				took = between(began, clock_inside());
		}
		leave();
	} else {
		missed = turned_away(cpu, desc);
	}
	account(desc->rings, desc, missed);
	if (began) {
		this_cpu_write(kt_cpus.faults, faults);
		charge_dear(desc, took);
	}
}
NOKPROBE_SYMBOL(hit_cases);

static __always_inline void hit_of_either(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc,
					  enum kt_method method)
{
	if (desc->flags & KT_DESC_CASES)
		hit_cases(site, regs, desc, method);
	else if (desc->flags & KT_DESC_WIDE)
		hit_wide(site, regs, desc, method);
	else
		hit_examined(site, regs, desc, method);
}

/* Returns where the caller writes the time at which the call begins to count; NULL: no call begins. */
static __always_inline u64 *measure(const struct pt_regs *regs, struct kt_desc *desc, u64 sp,
				    enum kt_method method, u64 now)
{
	struct kt_cpu *cpu = this_cpu_ptr(&kt_cpus);
	u64 *missed, *begins = NULL;

	if (likely(enter(cpu, method))) {
		cpu->call[cpu->nest - 1].begins = NULL;
		missed = kt_measurement_hit(regs, desc, sp, method, now);
		if (unlikely(!missed))
			missed = record_examined(false, desc, regs);
		begins = cpu->call[cpu->nest - 1].begins;
		leave();
	} else {
		missed = turned_away(cpu, desc);
	}
	account(desc->rings, desc, missed);
	return begins;
}

/*
 * If the clock is a function, it may be traced.  Then read it as part of a hit: its tracepoints count as recursion,
 * rather than read the clock again.  0: enter() refused, for recursion or by the brake.
 */
static __always_inline u64 clock_read(enum kt_method method)
{
	u64 now = 0;

	if (kt_clock_is_raw())
		return kt_clock_raw_read();
	if (enter(this_cpu_ptr(&kt_cpus), method)) {
		now = kt_clock_read();
		leave();
	}
	return now;
}

static noinline void hit_measured(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc, u64 sp,
				  enum kt_method method, u64 now)
{
	u64 *begins = measure(regs, desc, sp, method, now);

	if (unlikely(desc->flags & KT_DESC_DEAR))
		charge_dear(desc, between(now, clock_read(method)));
	/* Exchange, because another CPU may have taken the interval meanwhile. */
	if (begins)
		cmpxchg(begins, now, max(now, clock_read(method)));
}
NOKPROBE_SYMBOL(hit_measured);

/* The time includes that of loads that failed.  Restore their count, so that the brake does not charge them twice. */
static noinline void hit_dear(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc,
			      enum kt_method method)
{
	const u64 began = clock_read(method), faults = this_cpu_read(kt_cpus.faults);

	hit_of_either(site, regs, desc, method);
	this_cpu_write(kt_cpus.faults, faults);
	charge_dear(desc, between(began, clock_read(method)));
}
NOKPROBE_SYMBOL(hit_dear);

static noinline void turn_all_away(struct kt_site *site)
{
	struct kt_consumer *at;

	list_for_each_entry_lockless(at, &site->consumers, peers) {
		struct kt_desc *desc = rcu_dereference_raw(at->desc);

		if (desc)
			count_missed(desc, kt_measurement_turn_away(desc));
	}
}
NOKPROBE_SYMBOL(turn_all_away);

/*
 * Do the hit for each consumer of the site, and charge each the time that it took.  For all consumers alike, a call
 * ends when the hit begins, and a call begins when the last consumer is done.  Enclosing calls do not count the time
 * that the other consumers take.
 */
static noinline void hit_all(struct kt_site *site, const struct pt_regs *regs, u64 sp, enum kt_method method)
{
	struct { struct kt_desc *desc; u64 *begins, done; } late[KT_MAX_CONSUMERS];
	const u64 now = clock_read(method), faults = this_cpu_read(kt_cpus.faults);
	u64 done = now, end;
	struct kt_consumer *at;
	u32 i, n = 0;

	list_for_each_entry_lockless(at, &site->consumers, peers) {
		struct kt_desc *desc = rcu_dereference_raw(at->desc);
		const u64 before = done;

		if (!desc)
			continue;
		if (desc->flags & KT_DESC_MEASURED && n < KT_MAX_CONSUMERS) {
			late[n].desc = desc;
			late[n].begins = measure(regs, desc, sp, method, now);
			done = late[n++].done = clock_read(method);
		} else {
			hit_of_either(site, regs, desc, method);
			done = clock_read(method);
		}
		this_cpu_add(desc->counts->spent, between(before, done));
	}
	/* The time includes that of loads that failed, as in hit_dear(). */
	this_cpu_write(kt_cpus.faults, faults);
	kt_brake_charge(between(now, done));
	end = clock_read(method);
	for (i = 0; i < n; i++) {
		kt_measurement_charge(late[i].desc, regs, sp, between(late[i].done, end));
		if (late[i].begins)
			cmpxchg(late[i].begins, now, max(now, end));
	}
}
NOKPROBE_SYMBOL(hit_all);

/*
 * Hits of recordings, and hits that read the clock: several consumers, a dear record, or the slow path of a measurement.
 * The order of the tests spares the fast paths of measurements a test for recordings.
 */
static noinline void hit_rare(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc,
			       u64 sp, enum kt_method method)
{
	if (unlikely(desc->flags & KT_DESC_SHARED))
		return kt_brake_is_on(this_cpu_ptr(&kt_cpus)) ? turn_all_away(site) :
								hit_all(site, regs, sp, method);
	if (unlikely(desc->flags & KT_DESC_CASES))
		return hit_cases(site, regs, desc, method);
	if (unlikely(!(desc->flags & KT_DESC_MEASURED)))
		return desc->flags & KT_DESC_DEAR ? hit_dear(site, regs, desc, method) :
						    hit_wide(site, regs, desc, method);
	hit_measured(site, regs, desc, sp, method, clock_read(method));
}
NOKPROBE_SYMBOL(hit_rare);

/* In this function and the next three, a hit takes the slow path if the fast path cannot handle it. */
static noinline void hit_open_far(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc, u64 sp,
				  enum kt_method method, u64 now)
{
	if (unlikely(!kt_fast_open_far(desc->measurement, desc, sp, method, now)))
		hit_measured(site, regs, desc, sp, method, now);
}
NOKPROBE_SYMBOL(hit_open_far);

static noinline void hit_open(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc, u64 sp,
			      enum kt_method method, u64 now)
{
	struct kt_measurement *const measurement = desc->measurement;

	if (unlikely(!kt_fast_may(measurement, desc)))
		return hit_measured(site, regs, desc, sp, method, now);
	if (unlikely(!kt_fast_open(measurement, desc, sp, method, now)))
		hit_open_far(site, regs, desc, sp, method, now);
}
NOKPROBE_SYMBOL(hit_open);

static noinline void hit_close_quota(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc,
				     u64 sp, enum kt_method method, u64 now)
{
	if (unlikely(!kt_fast_close(desc->measurement, desc, sp, current->start_time, method, now, true)))
		hit_measured(site, regs, desc, sp, method, now);
}
NOKPROBE_SYMBOL(hit_close_quota);

static noinline void hit_close(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc, u64 sp,
			       enum kt_method method, u64 now)
{
	const u64 thread = current->start_time;
	struct kt_measurement *const measurement = desc->measurement;

	if (unlikely(!kt_fast_may(measurement, desc)))
		return hit_measured(site, regs, desc, sp, method, now);
	if (unlikely(measurement->quota))
		return hit_close_quota(site, regs, desc, sp, method, now);
	if (unlikely(!kt_fast_close(measurement, desc, sp, thread, method, now, false)))
		hit_measured(site, regs, desc, sp, method, now);
}
NOKPROBE_SYMBOL(hit_close);

/* A fast path needs a clock that is no function, and a CPU with no other hit in progress. */
static noinline void hit_flagged(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc,
				 u64 sp, enum kt_method method)
{
	u64 now;

	if (!(desc->flags & (KT_DESC_MEASURED | KT_DESC_SHARED | KT_DESC_DEAR | KT_DESC_WIDE)))
		return hit_examined(site, regs, desc, method);
	if (desc->path == KT_PATH_SLOW || !kt_clock_is_raw() || this_cpu_read(kt_cpus.nest))
		return hit_rare(site, regs, desc, sp, method);
	now = kt_clock_raw_read();
	if (desc->path == KT_PATH_FAST_BEGIN)
		return hit_open(site, regs, desc, sp, method, now);
	return hit_close(site, regs, desc, sp, method, now);
}
NOKPROBE_SYMBOL(hit_flagged);

static noinline void hit_plain(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc,
			       enum kt_method method)
{
	struct kt_cpu *cpu = this_cpu_ptr(&kt_cpus);
	u64 *missed;

	if (likely(enter(cpu, method))) {
		missed = record(&cpu->prompt, false, desc, regs);
		leave();
	} else {
		missed = turned_away(cpu, desc);
	}
	account(&kt_prompt_rings, desc, missed);
}
NOKPROBE_SYMBOL(hit_plain);

/* Saves no registers: it ends in a tail call, and each function that it calls saves what it needs. */
static __always_inline void hit(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc,
				u64 sp, enum kt_method method)
{
	if (unlikely(desc->flags | atomic64_read(&kt_prompt_rings.recording)))
		return hit_flagged(site, regs, desc, sp, method);
	hit_plain(site, regs, desc, method);
}

void kt_hit_breakpoint(struct kt_site *site, const struct pt_regs *regs)
{
	const u64 sp = kernel_stack_pointer((struct pt_regs *)regs);

	this_cpu_inc(kt_cpus.traps);
	hit(site, regs, rcu_dereference_raw(site->desc), sp, KT_METHOD_BREAKPOINT);
}
NOKPROBE_SYMBOL(kt_hit_breakpoint);

void kt_hit_event(struct kt_site *site, const struct pt_regs *regs)
{
	const u64 sp = kernel_stack_pointer((struct pt_regs *)regs);

	hit(site, regs, rcu_dereference_raw(site->desc), sp, KT_METHOD_EVENT);
}
NOKPROBE_SYMBOL(kt_hit_event);

/* A kretprobe takes as long as two breakpoints: one at the function's entry, one at its return. */
void kt_hit_return(struct kt_site *site, const struct pt_regs *regs, u64 sp)
{
	this_cpu_add(kt_cpus.traps, 2);
	hit(site, regs, rcu_dereference_raw(site->desc), sp, KT_METHOD_RETURN);
}
NOKPROBE_SYMBOL(kt_hit_return);

void kt_hit_jump(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc)
{
	hit(site, regs, desc, kt_regs_jump_sp(regs), KT_METHOD_JUMP);
}
NOKPROBE_SYMBOL(kt_hit_jump);

void kt_hit_jump_all(struct kt_site *site, struct pt_regs *regs, struct kt_desc *desc)
{
	kt_regs_complete(regs, site->addr);
	kt_hit_jump(site, regs, desc);
}
NOKPROBE_SYMBOL(kt_hit_jump_all);
