// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * saved_runners.c - see saved_runners.h.
 *
 * A notice of lost records comes behind the gap, at its end.  What the lost events may have changed on other CPUs must
 * not be told from the begin of the gap on.  So each snapshot is searched for notices first.  Of a notice that comes in a
 * later snapshot, the index of the trace knows.
 *
 * In a snapshot of a flight recording, the state of the system comes last.  Tasks in it that no fork has told were there
 * when the trace became complete.
 */
#include "ctl/show/runners/saved_runners.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/device/desc.h"
#include "ctl/base/memory.h"
#include "ctl/show/runners/runners.h"
#include "ctl/show/runners/saved_callers.h"
#include "ctl/trace/analysis/bind.h"

/* Of kernels whose limit nobody has lowered (kernel.pid_max). */
#define LEAST_TIDS	32768

struct gap {
	uint32_t cpu;
	uint64_t from, to;
	uint64_t lost;
};

struct gaps {
	struct gap *v;
	size_t n;
};

struct saved_runners {
	struct saved *saved;
	struct analysis *a;	/* the kinds of the events, and names */
	struct binder *binder;
	struct runners *runners;
	struct saved_callers *callers;	/* NULL: there are none */
	struct gaps all;	/* of the trace, from the index, by `from` */
	size_t passed;		/* of these, so many from the first on have ended before this snapshot */
	struct gaps now;	/* of the snapshot, by `from` */
	uint64_t *last;		/* [nr_last] by CPU: time of its newest record in the snapshot; 0: none */
	size_t nr_last;
	struct runner *v;	/* of the snapshot */
	size_t room;
	/* Of a snapshot of a flight recording: tasks that were there, as events of the state. */
	struct analysis_event *older;
	size_t nr_older;
	bool has_told;		/* they are given */
};

static void add_gap(struct gaps *gaps, uint32_t cpu, uint64_t from, uint64_t to, uint64_t lost)
{
	gaps->v = MEM_MORE(gaps->v, gaps->n);
	gaps->v[gaps->n++] = (struct gap){ cpu, from, to, lost };
}

static int by_begin(const void *a, const void *b)
{
	const struct gap *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static void sort_gaps(struct gaps *gaps)
{
	if (gaps->n)
		qsort(gaps->v, gaps->n, sizeof(*gaps->v), by_begin);
}

static void add_indexed(void *arg, uint32_t cpu, uint64_t from, uint64_t to, uint64_t lost)
{
	add_gap(arg, cpu, from, to, lost);
}

static bool has_switches(const struct trace_info *info)
{
	for (size_t i = 0; i < info->nr_events; i++)
		if (!strcmp(trace_event_named(&info->events[i])->name, "sched_switch"))
			return !info->user;
	return false;
}

static void begin(struct saved_runners *runners)
{
	const struct trace_info *info = saved_info(runners->saved);

	/* It is not known where the hits are missing that the brake has turned away. */
	runners->runners = runners_create(runners->a, LEAST_TIDS, info->braked || info->off);
}

/* ----------------------------------------------------------------------- flight recordings */

/* The texts of the event do not last. */
static void take_older(struct saved_runners *runners, const struct analysis_event *e)
{
	const uint32_t numbers = 1U << PROCESS_TID | 1U << PROCESS_PID | 1U << PROCESS_TYPE | 1U << PROCESS_STATUS;
	struct analysis_event event = *e;

	event.known &= numbers;
	event.is_state = true;
	event.ticks = runners->a->complete;
	runners->older = MEM_MORE(runners->older, runners->nr_older);
	runners->older[runners->nr_older++] = event;
}

static void look_for_older(struct saved_runners *runners, const struct snapshot *snap, struct keymap *newer)
{
	struct analysis_event event;

	binder_reset(runners->binder);
	for (size_t i = 0; i < snapshot_count(snap); i++) {
		const struct record *record = snapshot_at(snap, i);

		if (record->type != RECORD_HIT || !binder_event(runners->binder, record, &event))
			continue;
		if (event.type.id == EVENT_FORK && event.ticks >= runners->a->complete && event_has(&event, FORK_CHILD_TID))
			keymap_set(newer, (uint64_t)event.value[FORK_CHILD_TID].number, 1);
		if (event.type.id == EVENT_DUMP_PROCESS && event_has(&event, PROCESS_TID))
			take_older(runners, &event);
	}
}

/* An error comes again when the trace is read for its records. */
static void find_older(struct saved_runners *runners)
{
	struct keymap newer = { 0 };
	struct snapshot *snap;
	struct error err;
	size_t n = 0;

	saved_rewind(runners->saved);
	while (saved_next(runners->saved, &snap, &err) && snap) {
		look_for_older(runners, snap, &newer);
		snapshot_free(snap);
	}
	for (size_t i = 0; i < runners->nr_older; i++)
		if (!keymap_find(&newer, (uint64_t)runners->older[i].value[PROCESS_TID].number))
			runners->older[n++] = runners->older[i];
	runners->nr_older = n;
	keymap_free(&newer);
	saved_rewind(runners->saved);
}

/* Once, before the first record of the complete part. */
static void tell_older(struct saved_runners *runners, const struct record *record)
{
	struct runner nobody;

	if (runners->has_told || record->ticks < runners->a->complete)
		return;
	runners->has_told = true;
	for (size_t i = 0; i < runners->nr_older; i++)
		runners_event(runners->runners, &runners->older[i], &nobody);
}

/* ------------------------------------------------------------------------------------- all */

struct saved_runners *saved_runners_create(struct saved *saved)
{
	const struct trace_info *info = saved_info(saved);
	struct saved_runners *runners;

	if (!has_switches(info))
		return NULL;
	runners = mem_zalloc(1, sizeof(*runners));
	*runners = (struct saved_runners){ .saved = saved, .a = analysis_create(0, UINT64_MAX) };
	runners->a->confined = info->tasks;
	runners->a->complete = saved_complete_from(saved);
	runners->binder = binder_create(runners->a);
	for (size_t i = 0; i < info->nr_events; i++)
		if (!info->events[i].bare->is_hidden)
			binder_declare(runners->binder, trace_event_named(&info->events[i]));
	runners->callers = saved_callers_create(info);
	saved_gaps(saved, add_indexed, &runners->all);
	sort_gaps(&runners->all);
	if (info->complete)
		find_older(runners);
	begin(runners);
	return runners;
}

void saved_runners_free(struct saved_runners *runners)
{
	if (!runners)
		return;
	runners_free(runners->runners);
	saved_callers_free(runners->callers);
	binder_free(runners->binder);
	analysis_free(runners->a);
	free(runners->all.v);
	free(runners->now.v);
	free(runners->last);
	free(runners->v);
	free(runners->older);
	free(runners);
}

void saved_runners_rewind(struct saved_runners *runners)
{
	runners_free(runners->runners);
	begin(runners);
	saved_callers_forget(runners->callers);
	runners->has_told = false;
	runners->passed = 0;
}

/* ------------------------------------------------------------------------------------ gaps */

static uint64_t *last_of(struct saved_runners *runners, uint32_t cpu)
{
	runners->last = MEM_REACH(runners->last, runners->nr_last, cpu);
	return &runners->last[cpu];
}

static uint64_t end_of(const struct snapshot *snap)
{
	return snapshot_count(snap) ? snapshot_at(snap, snapshot_count(snap) - 1)->ticks : 0;
}

/* Those that have begun, perhaps, and end behind the snapshot. */
static void find_ahead(struct saved_runners *runners, uint64_t end)
{
	const struct gaps *all = &runners->all;

	while (runners->passed < all->n && all->v[runners->passed].to <= end)
		runners->passed++;
	for (const struct gap *gap = all->v + runners->passed; gap < all->v + all->n && gap->from <= end; gap++)
		if (gap->to > end)
			add_gap(&runners->now, gap->cpu, *last_of(runners, gap->cpu), gap->to, gap->lost);
}

/* A gap begins at the last record of its CPU, or before this snapshot. */
static void find_gaps(struct saved_runners *runners, const struct snapshot *snap)
{
	runners->now.n = 0;
	if (runners->nr_last)
		memset(runners->last, 0, runners->nr_last * sizeof(*runners->last));
	for (size_t i = 0; i < snapshot_count(snap); i++) {
		const struct record *record = snapshot_at(snap, i);

		if (record->type == RECORD_LOST)
			add_gap(&runners->now, record->cpu, *last_of(runners, record->cpu), record->ticks, record->lost);
		if (record->type == RECORD_LOST || !record->desc->is_state)
			*last_of(runners, record->cpu) = record->ticks;
	}
	find_ahead(runners, end_of(snap));
	sort_gaps(&runners->now);
}

/* --------------------------------------------------------------------------------- records */

static void end_gap(struct saved_runners *runners, const struct record *record)
{
	runners_gap_end(runners->runners, record->cpu, record->lost);
	saved_callers_forget(runners->callers);
}

static struct runner runner_at(struct saved_runners *runners, const struct record *record)
{
	struct runner out = { .pid = RUNNER_UNKNOWN, .tid = RUNNER_UNKNOWN };
	struct analysis_event event;

	if (record->type == RECORD_LOST)
		end_gap(runners, record);
	else if (binder_event(runners->binder, record, &event))
		runners_event(runners->runners, &event, &out);
	if (record->type == RECORD_HIT)
		out.caller = saved_callers_next(runners->callers, record, out.pid);
	return out;
}

static void begin_gap(struct saved_runners *runners, const struct gap *gap)
{
	runners_gap_begin(runners->runners, gap->cpu, gap->lost);
	saved_callers_forget(runners->callers);
}

static void make_room(struct saved_runners *runners, size_t n)
{
	if (n <= runners->room)
		return;
	free(runners->v);
	runners->v = mem_zalloc(n, sizeof(*runners->v));
	runners->room = n;
}

const struct runner *saved_runners_next(struct saved_runners *runners, const struct snapshot *snap)
{
	const size_t n = snapshot_count(snap);
	size_t gap = 0;

	binder_reset(runners->binder);
	make_room(runners, n);
	find_gaps(runners, snap);
	for (size_t i = 0; i < n; i++) {
		const struct record *record = snapshot_at(snap, i);

		for (; gap < runners->now.n && runners->now.v[gap].from < record->ticks; gap++)
			begin_gap(runners, &runners->now.v[gap]);
		tell_older(runners, record);
		runners->v[i] = runner_at(runners, record);
	}
	for (; gap < runners->now.n; gap++)
		if (runners->now.v[gap].to > end_of(snap))
			begin_gap(runners, &runners->now.v[gap]);
	return runners->v;
}
