// SPDX-License-Identifier: GPL-2.0-only
/*
 * measured_hit.c - the slow path of hits in a measurement.  See measurement.h.
 *
 * A hit that opens an interval reads the clock last, and a hit that closes one reads it first.  The parts of the two
 * hits between these two times are calibrated (kt_measurement.cost) and taken off.
 *
 * A measured call inside another measured call takes time from the outer one.  The clock measures the inner part of
 * each of its hits; the rest of the hit is calibrated (kt_measurement.nested).
 */
#include <linux/kprobes.h>
#include <linux/sched.h>

#include "kmod/base/ktrace.h"
#include "core/capture_run.h"
#include "kmod/hit/call_step.h"
#include "kmod/hit/consumer.h"
#include "kmod/hit/fast_path.h"
#include "kmod/hit/hit_step.h"
#include "kmod/hit/wake.h"
#include "kmod/measure/measurement.h"
#include "kmod/measure/task_set.h"
#include "kmod/records/buffer.h"
#include "kmod/records/desc.h"

/* ------------------------------------------------------------ calls by jumps */

/*
 * A tail call entered the function again before it returned: both calls have the same stack pointer, and end one
 * directly after the other.  The interval times the first call.  This call counts as abandoned, and close_again()
 * handles its return.
 */
static noinline void open_again(struct hit_context *s, struct kt_interval *interval)
{
	if (interval->unwanted > U8_MAX - KT_INTERVAL_AGAIN) {
		kt_add_local(&s->mine->overflow, 1);
		return;
	}
	interval->unwanted += KT_INTERVAL_AGAIN;
	kt_add_local(&s->mine->abandoned, 1);
	charge_same(s, interval, false);
}
NOKPROBE_SYMBOL(open_again);

/* KT_ROLE_LEAVES: a function has jumped back to the measured one.  As above, the first call is timed. */
static noinline void open_by_jump(struct hit_context *s, struct kt_interval *interval)
{
	interval->group = 0;
	kt_add_local(&s->mine->abandoned, 1);
	charge_same(s, interval, false);
	release(s, interval);
}
NOKPROBE_SYMBOL(open_by_jump);

/* ------------------------------------------------------------ lines of a call */

static __always_inline struct kt_call_lines *lines_of(struct kt_interval *interval)
{
	return (struct kt_call_lines *)interval->saved;
}

/* KT_MEASURE_EXITS: the call has reached no line but that of its entry. */
static __always_inline void lines_begin(const struct hit_context *s, struct kt_interval *interval)
{
	if (!s->measurement->nr_lines)
		return;
	memset(interval->saved, 0, s->measurement->intervals.saved);
	lines_of(interval)->out = s->desc->group;
}

/* ------------------------------------------------------------------- open */

/* The call that is open with this key has ended unseen.  NULL: its entry is not to be had. */
static __always_inline struct kt_interval *take_over(const struct hit_context *s, struct kt_interval *interval)
{
	if (s->measurement->process)
		return kt_interval_take(interval, s->thread) ? interval : NULL;
	return kt_interval_take_over(&s->measurement->intervals, s->key, s->thread);
}

static __always_inline void open(struct hit_context *s, bool unwanted)
{
	struct kt_measurement *measurement = s->measurement;
	struct kt_interval **inner = inner_of(measurement, s->mine), *outer = *inner, *interval = find_interval(s);

	kt_add_local(&s->mine->entered, 1);
	if (unlikely(interval) && s->desc->role & KT_ROLE_JUMPS && READ_ONCE(interval->thread) == s->thread)
		return open_again(s, interval);
	if (unlikely(interval) && measurement->process && !measurement->lines && has_jumped_to(interval, 0) &&
	    kt_interval_take(interval, s->thread))
		return open_by_jump(s, interval);
	if (unlikely(interval))
		interval = take_over(s, interval);
	if (unlikely(interval))
		kt_add_local(&s->mine->abandoned, 1);
	else
		interval = kt_interval_claim(&measurement->intervals, s->key);
	if (unlikely(!interval)) {
		kt_add_local(&s->mine->overflow, 1);
		return;
	}
	/* A stale pointer may lead to the slot that this call has got. */
	if (unlikely(outer == interval))
		outer = NULL;
	interval->off = 0;
	interval->outer = outer;
	interval->pid = current->pid;
	interval->method = s->method;
	interval->unwanted = unwanted ? KT_INTERVAL_UNWANTED : 0;
	interval->group = s->desc->group;
	interval->part = interval->whole = 0;
	lines_begin(s, interval);
	*inner = interval;
	if (s->desc->saved)
		kt_capture_run(s->desc->record, s->regs, interval->saved);
	interval->start = s->now;
	kt_interval_publish(interval, s->thread);
	charge(s, outer, 0, false);
	begins(s, &interval->start);
}

/* ------------------------------------------------------------------ counts */

static noinline void quota_met(struct kt_measurement *measurement, u64 now)
{
	cmpxchg(&measurement->ended, 0ULL, now);
	WRITE_ONCE(measurement->running, false);
	kt_wake_all();
}
NOKPROBE_SYMBOL(quota_met);

noinline bool kt_measurement_quota_take(struct kt_measurement *measurement, u64 now)
{
	s64 left = atomic64_dec_if_positive(&measurement->left);

	if (left == 0)
		quota_met(measurement, now);
	return left >= 0;
}
NOKPROBE_SYMBOL(kt_measurement_quota_take);

/* A closing tracepoint that saves, too, has the key of the group: what the call returns. */
static noinline u32 group_of(const struct hit_context *s, struct kt_interval *interval)
{
	u64 key[KT_MAX_KEY / 8] = { 0 };
	u32 i, group;

	if (s->desc->saved)
		kt_capture_run(s->desc->record, s->regs, interval->saved);
	for (i = 0; i < s->desc->by / 4; i++)
		((u32 *)key)[i] = interval->saved[s->desc->by_at / 4 + i];
	group = kt_group_of(s->measurement->groups, s->measurement->nr_groups, key);
	return group == KT_NO_GROUP ? KT_SAMPLES_OTHERS : KT_SAMPLES_GROUPS + group;
}
NOKPROBE_SYMBOL(group_of);

static __always_inline void count(struct hit_context *s, u32 i, u64 value, u64 off, bool clamped)
{
	struct kt_samples *samples = kt_measurement_samples(s->measurement, s->mine, i);

	kt_samples_add(samples, value, off);
	if (kt_measurement_has_buckets(s->measurement, i))
		kt_add_local(&kt_samples_buckets(samples)[kt_hist_index(value)], 1);
	if (unlikely(clamped))
		kt_add_local(&samples->clamped, 1);
}

/* Replace the shortest of the slowest samples, and find the new shortest. */
static noinline void keep_slow(struct kt_measurement_cpu *mine, u32 top, u64 value)
{
	u64 least = ~0ULL;
	u32 i, at = 0;

	for (i = 0; i < top; i++)
		if (mine->slowest[i] < mine->slowest[at])
			at = i;
	mine->slowest[at] = value;
	for (i = 0; i < top; i++)
		least = min(least, mine->slowest[i]);
	mine->least = least;
}
NOKPROBE_SYMBOL(keep_slow);

/* ------------------------------------------------------------------- close */

/* Keep what the program of the closing tracepoint may read of the call. */
static noinline void remember_call(const struct hit_context *s, const u32 *saved, bool matched, u64 elapsed)
{
	struct kt_call *call = &s->cpu->call[s->cpu->nest - 1];

	call->matched = matched;
	call->elapsed = elapsed;
	if (saved)
		memcpy(call->saved, saved, s->measurement->saved);
}
NOKPROBE_SYMBOL(remember_call);

static __always_inline void remember(const struct hit_context *s, const u32 *saved, bool matched, u64 elapsed)
{
	if (unlikely(s->desc->uses_call))
		remember_call(s, saved, matched, elapsed);
}

static __always_inline u64 *passed(struct hit_context *s, u64 *counter)
{
	kt_add_local(counter, 1);
	return &s->cpu->prompt.ring.ctl->measured;
}

/* Does a filter that reads values of the closed call reject the hit? */
static __always_inline bool unwanted_now(const struct hit_context *s)
{
	return unlikely(s->desc->filter_uses_call) &&
	       !kt_capture_wants(s->desc->program, s->regs);
}

static __always_inline bool within_quota(const struct hit_context *s)
{
	return likely(!s->measurement->quota) || kt_measurement_quota_take(s->measurement, s->now);
}

/* Count a sample.  Returns NULL if the hit may be recorded, else the counter to raise for it. */
static __always_inline u64 *tally(struct hit_context *s, u32 group, u64 value, u64 off, bool clamped)
{
	struct kt_measurement *measurement = s->measurement;
	u64 *measured = &s->cpu->prompt.ring.ctl->measured;

	count(s, KT_SAMPLES_ALL, value, off, clamped);
	s->mine->value = value;
	if (unlikely(group))
		count(s, group, value, off, clamped);
	if (unlikely(s->desc->role & KT_ROLE_TOP) && value > s->mine->least) {
		keep_slow(s->mine, measurement->top, value);
		return NULL;
	}
	return s->desc->role & (KT_ROLE_SILENT | KT_ROLE_TOP) ? measured : NULL;
}

/* No interval is open for this end: the begin of the call was not seen, or left out. */
static __always_inline u64 *unmatched(struct hit_context *s)
{
	if (kt_hit_is_own(s->desc, s->method)) {
		kt_add_local(&s->mine->filtered_by_task, 1);
		return &s->cpu->prompt.ring.ctl->filtered;
	}
	remember(s, NULL, false, 0);
	if (unwanted_now(s))
		return &s->cpu->prompt.ring.ctl->filtered;
	kt_add_local(&s->mine->unmatched, 1);
	return s->desc->role & (KT_ROLE_TALLY | KT_ROLE_SILENT) ? &s->cpu->prompt.ring.ctl->measured : NULL;
}

static __always_inline u64 *finish(struct hit_context *s, u32 group, bool unwanted, u64 value, u64 off,
				   bool clamped)
{
	if (unlikely(unwanted) || unwanted_now(s))
		return passed(s, &s->mine->filtered);
	if (unlikely(!(s->desc->role & KT_ROLE_TALLY)))
		return NULL;
	return within_quota(s) ? tally(s, group, value, off, clamped) : passed(s, &s->mine->over_quota);
}

/* The return of a call that open_again() counted.  The call has no times and no values. */
static noinline u64 *close_again(struct hit_context *s, struct kt_interval *interval)
{
	interval->unwanted -= KT_INTERVAL_AGAIN;
	remember(s, NULL, false, 0);
	charge_same(s, interval, true);
	release(s, interval);
	if (unwanted_now(s))
		return &s->cpu->prompt.ring.ctl->filtered;
	return s->desc->role & (KT_ROLE_TALLY | KT_ROLE_SILENT) ? &s->cpu->prompt.ring.ctl->measured : NULL;
}
NOKPROBE_SYMBOL(close_again);

/* A call of a program may be in a tail call, or leave by one. */
static noinline u64 *follow(struct hit_context *s)
{
	struct kt_interval *interval = find_own(s);
	bool has_ended;

	if (!interval)
		return &s->cpu->prompt.ring.ctl->measured;
	if (s->desc->role & KT_ROLE_ARRIVES)
		has_ended = !has_jumped_to(interval, s->desc->body);
	else
		has_ended = in_body(interval) != s->desc->body || s->desc->to == KT_TO_NOBODY;
	if (has_ended) {
		abandon(s, interval);
		return &s->cpu->prompt.ring.ctl->measured;
	}
	interval->group = s->desc->role & KT_ROLE_LEAVES ? jumping(s->desc->body, s->desc->to) : s->desc->body;
	charge_same(s, interval, false);
	release(s, interval);
	return &s->cpu->prompt.ring.ctl->measured;
}
NOKPROBE_SYMBOL(follow);

static __always_inline u64 *close(struct hit_context *s)
{
	struct kt_measurement *measurement = s->measurement;
	struct kt_interval *interval = find_own(s), *outer;
	u64 inside, off, value, *missed;
	bool unwanted, clamped;
	u32 group = KT_SAMPLES_ALL;

	if (unlikely(!interval))
		return s->desc->body ? &s->cpu->prompt.ring.ctl->measured : unmatched(s);
	if (is_in_other(s, interval)) {
		abandon(s, interval);
		return &s->cpu->prompt.ring.ctl->measured;
	}
	if (unlikely(interval->unwanted >= KT_INTERVAL_AGAIN))
		return close_again(s, interval);
	inside = interval->off;
	off = measurement->cost[interval->method][s->method] + inside;
	value = kt_fast_less(s->now - interval->start, &off, &clamped);
	outer = interval->outer;
	unwanted = interval->unwanted;
	remember(s, interval->saved, true, value);
	if (unlikely(s->desc->by))
		group = group_of(s, interval);
	*inner_of(measurement, s->mine) = outer;
	kt_interval_free(interval);
	missed = finish(s, group, unwanted, value, off, clamped);
	charge(s, outer, inside, true);
	return missed;
}

/*
 * A step without KT_MEASURE_LINES: the call comes by, and saves.  After open_again() it is a later call of this stack that
 * comes by, not the one that is timed.
 */
static noinline u64 *comes_by(struct hit_context *s, struct kt_interval *interval)
{
	if (interval && interval->unwanted < KT_INTERVAL_AGAIN)
		kt_capture_run(s->desc->record, s->regs, interval->saved);
	if (interval) {
		charge_same(s, interval, false);
		release(s, interval);
	}
	return &s->cpu->prompt.ring.ctl->measured;
}
NOKPROBE_SYMBOL(comes_by);

/* ------------------------------------------------------------------- lines */

/* Returns the ticks since the last step.  They belong to the line of that step. */
static __always_inline u64 part_of(struct hit_context *s, struct kt_interval *interval)
{
	struct kt_samples *all = kt_measurement_samples(s->measurement, s->mine, KT_SAMPLES_ALL), *line;
	u64 off = s->measurement->cost[interval->method][s->method] + interval->off;
	bool clamped;
	u64 value = kt_fast_less(s->now - interval->start, &off, &clamped);

	if (interval->unwanted & KT_INTERVAL_UNWANTED)
		return value;
	if (s->measurement->split) {
		lines_of(interval)->taken_off += off;
		return value;
	}
	line = kt_measurement_samples(s->measurement, s->mine, KT_SAMPLES_GROUPS + interval->group);
	kt_add_local(&all->taken_off, off);
	kt_add_local(&line->taken_off, off);
	kt_add_local(&line->clamped, clamped);
	return value;
}

static __always_inline void line_ends(struct hit_context *s, struct kt_interval *interval)
{
	struct kt_call_line *line = &lines_of(interval)->line[interval->group];

	if (interval->unwanted & KT_INTERVAL_UNWANTED) {
		interval->part = 0;
		return;
	}
	if (s->measurement->split) {
		line->visits++;
		line->ticks += interval->part;
	} else {
		count(s, KT_SAMPLES_GROUPS + interval->group, interval->part, 0, false);
	}
	interval->part = 0;
}

/* KT_MEASURE_SPLIT: add the lines of a call that has ended to the groups from `first` on. */
static __always_inline void add_lines(struct hit_context *s, const struct kt_call_lines *lines, u32 first)
{
	u32 i;

	for (i = 0; i < s->measurement->nr_lines; i++) {
		struct kt_samples *samples = kt_measurement_samples(s->measurement, s->mine, first + i);

		if (!lines->line[i].visits)
			continue;
		kt_add_local(&samples->count, lines->line[i].visits);
		kt_add_local(&samples->sum, lines->line[i].ticks);
	}
}

/* KT_MEASURE_EXITS: count a call that has ended.  wanted: the filter of the closing tracepoint wants it. */
static __always_inline void count_exit(struct hit_context *s, struct kt_interval *interval, bool wanted, u64 whole)
{
	const struct kt_measurement *measurement = s->measurement;
	const struct kt_call_lines *lines = lines_of(interval);
	const u32 first = KT_SAMPLES_GROUPS + (wanted ? 0 : 2 * measurement->nr_lines);

	count(s, first + measurement->nr_lines + lines->out, whole, 0, false);
	if (!measurement->split)
		return;
	add_lines(s, lines, first);
	if (wanted)
		kt_add_local(&kt_measurement_samples(measurement, s->mine, KT_SAMPLES_ALL)->taken_off, lines->taken_off);
}

static __always_inline u64 *finish_lines(struct hit_context *s, struct kt_interval *interval, u64 whole)
{
	const bool has_exits = s->measurement->nr_lines;

	remember(s, NULL, true, whole);
	if (interval->unwanted)
		return passed(s, &s->mine->filtered);
	if (unwanted_now(s)) {
		if (s->measurement->split)
			count_exit(s, interval, false, whole);
		return passed(s, &s->mine->filtered);
	}
	if (unlikely(!(s->desc->role & KT_ROLE_TALLY)))
		return NULL;
	if (!within_quota(s))
		return passed(s, &s->mine->over_quota);
	if (has_exits)
		count_exit(s, interval, true, whole);
	return tally(s, KT_SAMPLES_ALL, whole, 0, false);
}

static noinline u64 *step(struct hit_context *s)
{
	struct kt_interval *interval = find_own(s), *outer;
	const bool closes = s->desc->role & KT_ROLE_END;
	u64 inside, value, whole, *missed;

	if (!s->measurement->lines)
		return comes_by(s, interval);
	if (unlikely(!interval))
		return unmatched(s);
	if (unlikely(closes && interval->unwanted >= KT_INTERVAL_AGAIN))
		return close_again(s, interval);
	inside = interval->off;
	outer = interval->outer;
	value = part_of(s, interval);
	interval->part += value;
	whole = interval->whole += value;
	interval->off = 0;
	if (closes || interval->group != s->desc->group)
		line_ends(s, interval);
	if (!closes) {
		*inner_of(s->measurement, s->mine) = interval;
		interval->group = s->desc->group;
		interval->method = s->method;
		if (s->measurement->nr_lines && s->desc->role & KT_ROLE_OUT)
			lines_of(interval)->out = s->desc->group;
		charge(s, outer, inside, false);
		interval->start = s->now;
		begins(s, &interval->start);
		release(s, interval);
		return &s->cpu->prompt.ring.ctl->measured;
	}
	*inner_of(s->measurement, s->mine) = outer;
	missed = finish_lines(s, interval, whole);
	kt_interval_free(interval);
	charge(s, outer, inside, true);
	return missed;
}
NOKPROBE_SYMBOL(step);

/* ------------------------------------------------------------------ across */

static noinline u64 *across(struct hit_context *s)
{
	u64 was, off = s->measurement->cost[s->method][s->method], value;
	bool clamped;

	if (s->desc->role & KT_ROLE_BEGIN) {
		kt_add_local(&s->mine->entered, 1);
		/* A hit that closes the interval before begins() takes effect uses the time when this hit began. */
		if (xchg(&s->measurement->latest, s->now))
			kt_add_local(&s->mine->abandoned, 1);
		begins(s, &s->measurement->latest);
		return &s->cpu->prompt.ring.ctl->measured;
	}
	was = xchg(&s->measurement->latest, 0);
	if (!was)
		return unmatched(s);
	/* Another CPU may have opened the interval after this hit began. */
	value = kt_fast_less(max(s->now, was) - was, &off, &clamped);
	remember(s, NULL, true, value);
	return finish(s, KT_SAMPLES_ALL, false, value, off, clamped);
}
NOKPROBE_SYMBOL(across);

/* -------------------------------------------------------------------- hits */

/* Is the hit in a call whose begin was followed?  Then it counts, whatever its task has become meanwhile. */
static noinline bool is_followed(const struct hit_context *s)
{
	const struct kt_interval *interval = find_interval(s);

	return s->desc->role & (KT_ROLE_END | KT_ROLE_STEP) && interval && READ_ONCE(interval->thread) == s->thread;
}
NOKPROBE_SYMBOL(is_followed);

/*
 * Does a call begin in a process of ktrace itself?  The begin decides: a call that began before the process opened the device
 * ends as any other.
 */
static __always_inline bool is_own_begin(const struct hit_context *s)
{
	return s->desc->role & KT_ROLE_BEGIN && kt_hit_is_own(s->desc, s->method);
}

/* Apply the filters that do not read values of the call. */
static __always_inline bool passes(const struct hit_context *s)
{
	const struct kt_desc *desc = s->desc;

	if ((kt_fast_filtered_by_task(desc) && !is_followed(s)) || is_own_begin(s))
		return false;
	return likely(!(desc->flags & KT_DESC_FILTERED)) || desc->filter_uses_call ||
	       kt_capture_wants(desc->program, s->regs);
}

static noinline u64 *keep_out(struct hit_context *s)
{
	/*
	 * Open a call that the filter rejects, so that its end counts as filtered.  A call of another process is not
	 * opened: passes() also rejects its end.
	 */
	if (s->desc->role & KT_ROLE_BEGIN && s->desc->role & KT_ROLE_MARK && !kt_fast_filtered_by_task(s->desc) && !is_own_begin(s)) {
		open(s, true);
		return &s->cpu->prompt.ring.ctl->measured;
	}
	kt_add_local(&s->mine->filtered_by_task, 1);
	return &s->cpu->prompt.ring.ctl->filtered;
}
NOKPROBE_SYMBOL(keep_out);

u64 *kt_measurement_hit(const struct pt_regs *regs, struct kt_desc *desc, u64 sp, enum kt_method method, u64 now)
{
	struct kt_cpu *cpu = this_cpu_ptr(&kt_cpus);
	struct kt_measurement *measurement = desc->measurement;
	struct hit_context s = {
		.cpu = cpu, .measurement = measurement, .mine = this_cpu_ptr(measurement->cpu), .desc = desc,
		.regs = regs, .now = now, .thread = thread_of(measurement),
		.key = key_of(desc, regs, sp), .method = method,
	};

	if (unlikely(!smp_load_acquire(&measurement->running)))
		return kt_measurement_stands(desc);
	if (unlikely(!passes(&s)))
		return keep_out(&s);
	if (unlikely(measurement->across))
		return across(&s);
	if (unlikely(desc->role & KT_ROLE_STEP))
		return desc->role & KT_ROLE_FOLLOWS ? follow(&s) : step(&s);
	if (desc->role & KT_ROLE_END)
		return close(&s);
	open(&s, false);
	return likely(desc->role & KT_ROLE_SILENT) ? &cpu->prompt.ring.ctl->measured : NULL;
}
NOKPROBE_SYMBOL(kt_measurement_hit);

void kt_measurement_charge(const struct kt_desc *desc, const struct pt_regs *regs, u64 sp, u64 more)
{
	struct kt_interval *outer = *inner_of(desc->measurement, this_cpu_ptr(desc->measurement->cpu));
	const u64 key = key_of(desc, regs, sp);

	if (unlikely(desc->measurement->process))
		return charge_in_process(outer, key, thread_of(desc->measurement), more);
	/* If the hit opened a call, that call is the innermost one now: skip it. */
	if (outer && READ_ONCE(outer->key) == key)
		outer = outer->outer;
	if (kt_interval_encloses(outer, key, current->start_time, THREAD_SIZE))
		outer->off += more;
}
NOKPROBE_SYMBOL(kt_measurement_charge);
