// SPDX-License-Identifier: GPL-2.0-only
/* hit.c - the hit path.  See hit.h. */
#include <linux/kprobes.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/clock.h"
#include "kmod/base/site.h"
#include "kmod/hit/aggregate_hit.h"
#include "kmod/hit/bring_in.h"
#include "kmod/hit/fast_path.h"
#include "kmod/hit/hit.h"
#include "kmod/hit/hit_step.h"
#include "kmod/hit/recording_hit.h"
#include "kmod/measure/measurement.h"

/*
 * Here and below, functions take `site` even where they do not use it.  So each step finds its arguments in the
 * registers where the step before had them.
 */
static noinline void hit_examined(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc,
				  enum kt_method method)
{
	struct kt_cpu *cpu = this_cpu_ptr(&kt_cpus);
	u64 *missed;

	if (likely(kt_hit_enter(cpu, method))) {
		missed = kt_hit_record_examined(false, desc, regs, method);
		kt_hit_leave();
	} else {
		missed = kt_hit_turned_away(cpu, desc);
	}
	kt_hit_account(desc->rings, desc, missed);
}
NOKPROBE_SYMBOL(hit_examined);

/* What the descriptor asks for: a case of a recording, a wide or narrow record, or a count in a table. */
static __always_inline void hit_by_kind(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc,
					  enum kt_method method)
{
	if (desc->flags & KT_DESC_CASES)
		kt_hit_cases(site, regs, desc, method);
	else if (desc->flags & KT_DESC_WIDE)
		kt_hit_wide(site, regs, desc, method);
	else if (desc->flags & KT_DESC_AGGREGATE)
		kt_hit_aggregate(site, regs, desc, method);
	else
		hit_examined(site, regs, desc, method);
}

/* Returns where the caller writes the time at which the call begins to count; NULL: no call begins. */
static __always_inline u64 *measure(const struct pt_regs *regs, struct kt_desc *desc, u64 sp,
				    enum kt_method method, u64 now)
{
	struct kt_cpu *cpu = this_cpu_ptr(&kt_cpus);
	u64 *missed, *begins = NULL;

	if (likely(kt_hit_enter(cpu, method))) {
		cpu->call[cpu->nest - 1].begins = NULL;
		missed = kt_measurement_hit(regs, desc, sp, method, now);
		if (unlikely(!missed))
			missed = desc->flags & KT_DESC_AGGREGATE ? kt_hit_aggregate_examined(desc, regs, method) :
								   kt_hit_record_examined(false, desc, regs, method);
		begins = cpu->call[cpu->nest - 1].begins;
		kt_hit_leave();
	} else {
		missed = kt_hit_turned_away(cpu, desc);
	}
	kt_hit_account(desc->rings, desc, missed);
	return begins;
}

/*
 * If the clock is a function, it may be traced.  Then read it as part of a hit: its tracepoints count as recursion,
 * rather than read the clock again.  0: kt_hit_enter() refused, for recursion or by the brake.
 */
static __always_inline u64 clock_read(enum kt_method method)
{
	u64 now = 0;

	if (kt_clock_is_raw())
		return kt_clock_raw_read();
	if (kt_hit_enter(this_cpu_ptr(&kt_cpus), method)) {
		now = kt_clock_read();
		kt_hit_leave();
	}
	return now;
}

static noinline void hit_measured(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc, u64 sp,
				  enum kt_method method, u64 now)
{
	u64 *begins = measure(regs, desc, sp, method, now);

	if (unlikely(desc->flags & KT_DESC_DEAR))
		kt_hit_charge(desc, kt_between(now, clock_read(method)));
	/* Exchange, because another CPU may have taken the interval meanwhile. */
	if (begins)
		cmpxchg(begins, now, max(now, clock_read(method)));
}
NOKPROBE_SYMBOL(hit_measured);

/* Charge the tracepoint with the time of its hit.  It includes that of loads that failed: restore their count, so that the brake does not charge them twice. */
static noinline void hit_timed(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc,
			      enum kt_method method)
{
	const u64 began = clock_read(method), faults = kt_cpu_read(kt_cpus.faults);

	hit_by_kind(site, regs, desc, method);
	kt_cpu_write(kt_cpus.faults, faults);
	kt_hit_charge(desc, kt_between(began, clock_read(method)));
}
NOKPROBE_SYMBOL(hit_timed);

static noinline void turn_all_away(struct kt_site *site)
{
	struct kt_consumer *at;

	list_for_each_entry_lockless(at, &site->consumers, peers) {
		struct kt_desc *desc = rcu_dereference_raw(at->desc);

		if (desc)
			kt_hit_missed(desc, kt_measurement_turn_away(desc));
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
	/* Not cleared: that would call memset(), which may have two consumers. */
	struct { struct kt_desc *desc; u64 *begins, done; } late[KT_MAX_CONSUMERS] KT_UNINITIALIZED;
	const u64 now = clock_read(method), faults = kt_cpu_read(kt_cpus.faults);
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
			hit_by_kind(site, regs, desc, method);
			done = clock_read(method);
		}
		kt_cpu_add(desc->counts->spent, kt_between(before, done));
	}
	/* The time includes that of loads that failed, as in hit_timed(). */
	kt_cpu_write(kt_cpus.faults, faults);
	kt_brake_charge(kt_between(now, done));
	end = clock_read(method);
	for (i = 0; i < n; i++)
		kt_measurement_charge(late[i].desc, regs, sp, kt_between(late[i].done, end));
	/* Again: the loop takes longer if other calls enclose those that begin. */
	end = clock_read(method);
	for (i = 0; i < n; i++)
		if (late[i].begins)
			cmpxchg(late[i].begins, now, max(now, end));
}
NOKPROBE_SYMBOL(hit_all);

/*
 * Hits of recordings, and hits that read the clock: several consumers, a dear record, or the slow path of a measurement.
 * The order of the tests spares the fast paths of measurements a test for recordings.
 */
static noinline void hit_slow(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc,
			       u64 sp, enum kt_method method)
{
	if (unlikely(desc->flags & KT_DESC_SHARED))
		return kt_brake_is_on(this_cpu_ptr(&kt_cpus)) ? turn_all_away(site) :
								hit_all(site, regs, sp, method);
	if (unlikely(desc->flags & KT_DESC_CASES))
		return kt_hit_cases(site, regs, desc, method);
	if (unlikely(!(desc->flags & KT_DESC_MEASURED)))
		return hit_timed(site, regs, desc, method);
	hit_measured(site, regs, desc, sp, method, clock_read(method));
}
NOKPROBE_SYMBOL(hit_slow);

/* In this function and the next three, a hit takes the slow path if the fast path cannot handle it. */
static noinline void hit_open_far(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc, u64 sp,
				  enum kt_method method, u64 now)
{
	if (unlikely(!kt_fast_open_far(desc->measurement, desc, sp, method, now)))
		hit_measured(site, regs, desc, sp, method, now);
}
NOKPROBE_SYMBOL(hit_open_far);

/* Does a call begin in a task that the tracepoint does not follow?  Only one of the two questions is asked: see KT_DESC_OTHERS. */
static __always_inline bool leaves_out(const struct kt_desc *desc, enum kt_method method)
{
	return unlikely(desc->flags & KT_DESC_TASKS) ? kt_fast_filtered_by_task(desc) : kt_hit_is_own(desc, method);
}

static noinline void hit_open(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc, u64 sp,
			      enum kt_method method, u64 now)
{
	struct kt_measurement *const measurement = desc->measurement;

	if (unlikely(!kt_fast_running(measurement)) || leaves_out(desc, method))
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

	if (unlikely(!kt_fast_running(measurement)))
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

	if (!(desc->flags & (KT_DESC_MEASURED | KT_DESC_SHARED | KT_DESC_DEAR | KT_DESC_WIDE | KT_DESC_AGGREGATE)))
		return hit_examined(site, regs, desc, method);
	if (desc->path == KT_PATH_SLOW && !(desc->flags & (KT_DESC_MEASURED | KT_DESC_SHARED | KT_DESC_DEAR | KT_DESC_CASES)))
		return desc->flags & KT_DESC_AGGREGATE ? kt_hit_aggregate(site, regs, desc, method) :
							 kt_hit_wide(site, regs, desc, method);
	if (desc->path == KT_PATH_SLOW || !kt_clock_is_raw() || kt_cpu_read(kt_cpus.busy))
		return hit_slow(site, regs, desc, sp, method);
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

	if (likely(kt_hit_enter(cpu, method))) {
		missed = kt_hit_record(&cpu->prompt, false, desc, regs, NULL);
		kt_hit_leave();
	} else {
		missed = kt_hit_turned_away(cpu, desc);
	}
	kt_hit_account(&kt_prompt_rings, desc, missed);
}
NOKPROBE_SYMBOL(hit_plain);

/* Saves no registers: it ends in a tail call, and each function that it calls saves what it needs. */
static __always_inline void hit(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc,
				u64 sp, enum kt_method method)
{
	if (unlikely(desc->flags | atomic64_read(&kt_prompt_rings.recording)))
		return hit_flagged(site, regs, desc, sp, method);
	if (kt_own_maybe())
		return hit_examined(site, regs, desc, method);
	hit_plain(site, regs, desc, method);
}

void kt_hit_breakpoint(struct kt_site *site, const struct pt_regs *regs)
{
	const u64 sp = kernel_stack_pointer((struct pt_regs *)regs);

	kt_cpu_inc(kt_cpus.traps);
	hit(site, regs, rcu_dereference_raw(site->desc), sp, KT_METHOD_BREAKPOINT);
}
NOKPROBE_SYMBOL(kt_hit_breakpoint);

/* Most static tracepoints belong to a recording, so look for those first. */
static void hit_event(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc)
{
	if (likely(kt_hit_is_plain(desc)))
		return desc->flags & KT_DESC_CASES ? kt_hit_plain_cases(site, regs, desc) : kt_hit_plain_wide(site, regs, desc);
	hit(site, regs, desc, kt_regs_jump_sp(regs), KT_METHOD_EVENT);
}
NOKPROBE_SYMBOL(hit_event);

void kt_hit_event(struct kt_site *site, const struct pt_regs *regs, struct kt_desc *desc)
{
	if (unlikely(site->faultable))
		kt_bring_in_event(site, regs, desc, hit_event);
	else
		hit_event(site, regs, desc);
}
NOKPROBE_SYMBOL(kt_hit_event);

void kt_hit_event_all(struct kt_site *site, struct pt_regs *regs, struct kt_desc *desc)
{
	kt_regs_complete(regs, site->entry);
	kt_hit_event(site, regs, desc);
}
NOKPROBE_SYMBOL(kt_hit_event_all);

/* A kretprobe takes as long as two breakpoints: one at the function's entry, one at its return. */
void kt_hit_return(struct kt_site *site, const struct pt_regs *regs, u64 sp)
{
	kt_cpu_add(kt_cpus.traps, 2);
	hit(site, regs, rcu_dereference_raw(site->desc), sp, KT_METHOD_RETURN);
}
NOKPROBE_SYMBOL(kt_hit_return);

static noinline void filter_all(struct kt_site *site)
{
	struct kt_consumer *at;

	list_for_each_entry_lockless(at, &site->consumers, peers) {
		struct kt_desc *desc = rcu_dereference_raw(at->desc);

		if (desc)
			kt_hit_missed(desc, &this_cpu_ptr(desc->rings->cpu)->ring.ctl->filtered);
	}
}
NOKPROBE_SYMBOL(filter_all);

/* A uprobe takes about as long as two or three breakpoints: its own, the way back to the task, perhaps a single step. */
void kt_hit_user(struct kt_site *site, const struct pt_regs *regs, enum kt_method method)
{
	kt_cpu_add(kt_cpus.traps, method == KT_METHOD_STEPPED ? 3 : 2);
	if (likely(method))
		hit(site, regs, rcu_dereference_raw(site->desc), user_stack_pointer((struct pt_regs *)regs), method);
	else
		filter_all(site);
}
NOKPROBE_SYMBOL(kt_hit_user);

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
