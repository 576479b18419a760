/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_feed.h - the analysis of a recording while it goes on: from its rings, without a disk.
 *
 * The figures are those of one interval after the other.  Where records were lost, the state of the system is read
 * again when the loss is over: until then the analysis says what it does not know.
 */
#ifndef KTRACE_RING_FEED_H
#define KTRACE_RING_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "ctl/base/device/device.h"
#include "ctl/base/error.h"
#include "ctl/trace/analysis/analysis.h"

struct ring_feed;

/* dev has rings of its own, in KT_MODE_DISCARD; it stays the caller's.  NULL: err is set. */
struct ring_feed *ring_feed_create(struct device *dev, struct error *err);
/* NULL is allowed. */
void ring_feed_free(struct ring_feed *feed);

/* A descriptor of the recording; all of them, before ring_feed_begin(). */
bool ring_feed_describe(struct ring_feed *feed, uint32_t id, struct error *err);
/*
 * All tracepoints are set: read the state of the system.  The first interval begins when it is known.  Where the state
 * cannot be read, why->text says why, else it is empty.  False: the rings cannot be read.
 */
bool ring_feed_begin(struct ring_feed *feed, struct error *why, struct error *err);
/* Take the present records, and make room for new ones. */
bool ring_feed_drain(struct ring_feed *feed, struct error *err);
/* The same, and the interval ends now: its figures are complete. */
bool ring_feed_end_interval(struct ring_feed *feed, struct error *err);
/* The next interval begins where the last one ended. */
bool ring_feed_next_interval(struct ring_feed *feed, struct error *err);

/*
 * Hits that the module's brake turned away in the interval that has ended: the state of everything may be wrong.  Where
 * it has switched off tracepoints, at least 1.
 */
uint64_t ring_feed_braked(const struct ring_feed *feed);

struct analysis *ring_feed_analysis(const struct ring_feed *feed);

#endif
