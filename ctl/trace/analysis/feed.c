// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * feed.c - see feed.h.
 *
 * A notice of lost records comes behind the gap, at the time of the next record of that CPU.  The analysis must
 * know of the gap when it begins: events of other CPUs in the gap no longer determine what the lost ones changed.
 * So each snapshot is searched for notices before its records are given.  A gap that began in an earlier snapshot
 * begins late, and the analysis takes back what it can.
 */
#include "ctl/trace/analysis/feed.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/trace/analysis/bind.h"

struct gap {
	uint32_t cpu;
	uint64_t from;
	const struct record *notice;
	bool begun;
};

struct feed {
	struct analysis *a;
	struct binder *binder;
	feed_fn *each;
	void *arg;
	uint64_t *last;		/* [nr_last] by CPU: time of its newest record plus 1; 0: none yet */
	size_t nr_last;
	struct gap *gaps;	/* of the snapshot, by `from` */
	size_t nr_gaps, next_gap;
	struct analysis_event event;
	const struct analysis_event *state;
	size_t nr_state;	/* those that were not given yet */
};

static uint64_t *last_of(struct feed *feed, uint32_t cpu)
{
	feed->last = MEM_REACH(feed->last, feed->nr_last, cpu);
	return &feed->last[cpu];
}

static int by_begin(const void *a, const void *b)
{
	const struct gap *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->notice < y->notice ? -1 : x->notice > y->notice;
}

static void find_gaps(struct feed *feed, const struct snapshot *snap)
{
	const size_t n = snapshot_count(snap);
	const uint64_t begin = feed->a->begun ? feed->a->begin : n ? snapshot_at(snap, 0)->ticks : 0;

	feed->nr_gaps = feed->next_gap = 0;
	for (size_t i = 0; i < n; i++) {
		const struct record *record = snapshot_at(snap, i);
		uint64_t *last = last_of(feed, record->cpu);

		/* Its CPU's ring does not have it. */
		if (record->type == RECORD_HIT && record->desc->is_state)
			continue;
		if (record->type == RECORD_LOST) {
			feed->gaps = MEM_MORE(feed->gaps, feed->nr_gaps);
			feed->gaps[feed->nr_gaps++] = (struct gap){
				.cpu = record->cpu, .from = *last ? *last - 1 : begin, .notice = record,
			};
		}
		*last = record->ticks + 1;
	}
	if (feed->nr_gaps)
		qsort(feed->gaps, feed->nr_gaps, sizeof(*feed->gaps), by_begin);
}

static void tell(struct feed *feed, const struct analysis_event *e)
{
	if (feed->each)
		feed->each(feed->arg, e);
}

static void begin_gap(struct feed *feed, struct gap *gap)
{
	if (gap->begun)
		return;
	gap->begun = true;
	analysis_gap_begin(feed->a, gap->cpu, gap->from);
	tell(feed, NULL);
}

/* Begin the gaps that began before this record. */
static void begin_gaps(struct feed *feed, const struct record *record)
{
	while (feed->next_gap < feed->nr_gaps && feed->gaps[feed->next_gap].from < record->ticks)
		begin_gap(feed, &feed->gaps[feed->next_gap++]);
}

/* A gap may begin and end at one time. */
static void end_gap(struct feed *feed, const struct record *notice)
{
	for (size_t i = feed->next_gap; i < feed->nr_gaps; i++)
		if (feed->gaps[i].notice == notice)
			begin_gap(feed, &feed->gaps[i]);
	analysis_gap_end(feed->a, notice->cpu, notice->ticks, notice->lost);
	tell(feed, NULL);
}

static void give_state(struct feed *feed, uint64_t before)
{
	for (; feed->nr_state && feed->state->ticks < before; feed->state++, feed->nr_state--) {
		analysis_event(feed->a, feed->state);
		tell(feed, feed->state);
	}
}

static void give(struct feed *feed, const struct record *record)
{
	give_state(feed, record->ticks);
	begin_gaps(feed, record);
	if (record->type == RECORD_LOST) {
		end_gap(feed, record);
	} else if (binder_event(feed->binder, record, &feed->event)) {
		analysis_event(feed->a, &feed->event);
		tell(feed, &feed->event);
	}
}

void feed_state(struct feed *feed, const struct analysis_event *events, size_t nr)
{
	feed->state = events;
	feed->nr_state = nr;
}

void feed_snapshot(struct feed *feed, const struct snapshot *snap, uint64_t until)
{
	binder_reset(feed->binder);
	find_gaps(feed, snap);
	for (size_t i = 0; i < snapshot_count(snap) && feed->a->now < feed->a->to; i++)
		give(feed, snapshot_at(snap, i));
	give_state(feed, until);
}

struct feed *feed_create(struct analysis *a, feed_fn *each, void *arg)
{
	struct feed *feed = mem_zalloc(1, sizeof(*feed));

	*feed = (struct feed){ .a = a, .each = each, .arg = arg, .binder = binder_create(a) };
	return feed;
}

void feed_free(struct feed *feed)
{
	if (!feed)
		return;
	binder_free(feed->binder);
	free(feed->last);
	free(feed->gaps);
	free(feed);
}

void feed_declare(struct feed *feed, const struct desc *desc)
{
	if (!desc->is_hidden)
		binder_declare(feed->binder, desc);
}

/* --------------------------------------------------------------- saved traces */

static bool give_all(struct feed *feed, struct saved *saved, struct error *err)
{
	struct snapshot *snap;

	saved_rewind(saved);
	while (feed->a->now < feed->a->to) {
		if (interrupt_pending())
			return error_set(err, STATUS_FAILURE, "interrupted");
		if (!saved_next(saved, &snap, err))
			return false;
		if (!snap)
			break;
		feed_snapshot(feed, snap, UINT64_MAX);
		snapshot_free(snap);
	}
	analysis_finish(feed->a);
	return true;
}

bool feed_saved(struct analysis *a, struct saved *saved, feed_fn *each, void *arg, struct error *err)
{
	const struct trace_info *info = saved_info(saved);
	struct feed *feed = feed_create(a, each, arg);
	bool ok;

	a->confined = info->tasks;
	a->complete = saved_complete_from(saved);
	for (size_t i = 0; i < info->nr_events; i++)
		feed_declare(feed, trace_event_named(&info->events[i]));
	ok = give_all(feed, saved, err);
	feed_free(feed);
	return ok;
}
