// SPDX-License-Identifier: GPL-2.0-or-later
/* ring_feed.c - see ring_feed.h. */
#include "ctl/trace/analysis/ring_feed.h"

#include <stdlib.h>

#include "ctl/base/device/desc.h"
#include "ctl/base/memory.h"
#include "ctl/base/now.h"
#include "ctl/trace/analysis/feed.h"
#include "ctl/trace/analysis/state_events.h"
#include "ctl/trace/reader/reader.h"

/* While the state is read, take the records that often. */
#define HOLD_MS		20
/* While records are lost in each interval, read the state again after so many of them. */
#define LOSSY_INTERVALS	10

struct ring_feed {
	struct device *dev;
	struct reader *reader;
	struct analysis *a;
	struct feed *feed;
	/* Of the time while the state is read: events of the state belong between the records. */
	struct snapshot **held;
	size_t nr_held;
	int64_t held_at;	/* now_ms() */
	unsigned int lossy;	/* intervals with lost records since the state was read */
	struct brake_count {
		uint64_t hits;
		uint32_t off;	/* tracepoints */
	} brake_first, brake_before, brake;	/* at the begin, at the end of the interval before, now */
};

/* What cannot be read counts as no hits: the next call of the device fails, too. */
static struct brake_count read_brake(struct ring_feed *feed)
{
	AUTO_FREE struct kt_cpu_status *cpus = NULL;
	struct brake_count count = feed->brake;
	struct kt_status status;
	struct error err;

	if (!device_status(feed->dev, &status, &cpus, &err))
		return count;
	count = (struct brake_count){ .off = status.brake_off };
	for (uint32_t cpu = 0; cpu < status.nr_cpus; cpu++)
		count.hits += cpus[cpu].braked;
	return count;
}

struct ring_feed *ring_feed_create(struct device *dev, struct error *err)
{
	struct ring_feed *feed = mem_zalloc(1, sizeof(*feed));

	feed->dev = dev;
	feed->reader = reader_create(dev, err);
	if (!feed->reader) {
		free(feed);
		return NULL;
	}
	feed->a = analysis_create(0, UINT64_MAX);
	feed->feed = feed_create(feed->a, NULL, NULL);
	feed->brake_first = feed->brake = read_brake(feed);
	return feed;
}

static void drop_held(struct ring_feed *feed)
{
	for (size_t i = 0; i < feed->nr_held; i++)
		snapshot_free(feed->held[i]);
	feed->nr_held = 0;
}

void ring_feed_free(struct ring_feed *feed)
{
	if (!feed)
		return;
	drop_held(feed);
	free(feed->held);
	feed_free(feed->feed);
	analysis_free(feed->a);
	reader_destroy(feed->reader);
	free(feed);
}

struct analysis *ring_feed_analysis(const struct ring_feed *feed)
{
	return feed->a;
}

bool ring_feed_describe(struct ring_feed *feed, uint32_t id, struct error *err)
{
	AUTO_FREE struct kt_desc_req *blob = NULL;
	uint64_t addr, born;
	struct desc *desc;
	size_t len;

	if (!device_desc(feed->dev, id, &blob, &len, &addr, &born, err))
		return false;
	if (!blob)
		return error_set(err, STATUS_FAILURE, "a tracepoint of the recording is gone: try again");
	desc = desc_decode(blob, len, err);
	if (!desc)
		return false;
	feed_declare(feed->feed, desc);
	desc_free(desc);
	return true;
}

/* ----------------------------------------------------------------------- records */

/* The present records, which have left the rings then.  NULL: err is set. */
static struct snapshot *take(struct ring_feed *feed, struct error *err)
{
	struct snapshot *snap = reader_snapshot(feed->reader, err);

	if (!snap || snapshot_clear(feed->reader, snap, err))
		return snap;
	snapshot_free(snap);
	return NULL;
}

static void give(struct ring_feed *feed, const struct snapshot *snap)
{
	feed_snapshot(feed->feed, snap, snapshot_until(snap));
	analysis_advance(feed->a, snapshot_until(snap));
}

bool ring_feed_drain(struct ring_feed *feed, struct error *err)
{
	struct snapshot *snap = take(feed, err);

	if (!snap)
		return false;
	give(feed, snap);
	snapshot_free(snap);
	return true;
}

/* ------------------------------------------------------------------------- state */

static bool hold(struct ring_feed *feed, struct error *err)
{
	struct snapshot *snap = take(feed, err);

	if (!snap)
		return false;
	feed->held = MEM_MORE(feed->held, feed->nr_held);
	feed->held[feed->nr_held++] = snap;
	feed->held_at = now_ms();
	return true;
}

static bool hold_meanwhile(void *arg, struct error *err)
{
	struct ring_feed *feed = arg;

	return now_ms() < feed->held_at + HOLD_MS || hold(feed, err);
}

static void give_held(struct ring_feed *feed, const struct state_events *state)
{
	feed_state(feed->feed, state->v, state->n);
	for (size_t i = 0; i < feed->nr_held; i++)
		give(feed, feed->held[i]);
	feed_state(feed->feed, NULL, 0);
	drop_held(feed);
}

static bool read_state(struct ring_feed *feed, struct error *why, struct error *err)
{
	struct state_events state;
	bool ok;

	*why->text = '\0';
	feed->held_at = now_ms();
	if (state_events_read(&state, feed->dev, hold_meanwhile, feed, why)) {
		*why->text = '\0';
		if (!feed->a->begun)
			feed->a->complete = state.ended;
	}
	ok = hold(feed, err);
	give_held(feed, &state);
	if (ok && !*why->text)
		analysis_forget_missing(feed->a, &state.tids, state.began);
	state_events_free(&state);
	return ok;
}

/* What happened before is not in the figures. */
bool ring_feed_begin(struct ring_feed *feed, struct error *why, struct error *err)
{
	if (!read_state(feed, why, err))
		return false;
	analysis_finish(feed->a);
	analysis_restart(feed->a);
	feed->brake_before = read_brake(feed);
	return true;
}

/* --------------------------------------------------------------------- intervals */

uint64_t ring_feed_braked(const struct ring_feed *feed)
{
	const uint64_t hits = feed->brake.hits - feed->brake_before.hits;

	return hits ? hits : feed->brake.off > feed->brake_first.off;
}

bool ring_feed_end_interval(struct ring_feed *feed, struct error *err)
{
	if (!ring_feed_drain(feed, err))
		return false;
	feed->brake = read_brake(feed);
	analysis_finish(feed->a);
	return true;
}

bool ring_feed_next_interval(struct ring_feed *feed, struct error *err)
{
	const bool lost = feed->a->lost || ring_feed_braked(feed), was_lossy = feed->lossy;
	struct error why;

	analysis_restart(feed->a);
	feed->brake_before = feed->brake;
	feed->lossy += lost;
	if (!was_lossy || (lost && feed->lossy < LOSSY_INTERVALS))
		return true;
	feed->lossy = 0;
	/* What cannot be read stays unknown. */
	return read_state(feed, &why, err);
}
