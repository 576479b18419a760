/* SPDX-License-Identifier: GPL-2.0-or-later */
/* feed.h - give records to the analysis: those of snapshots, or of a whole saved trace. */
#ifndef KTRACE_FEED_H
#define KTRACE_FEED_H

#include "ctl/base/error.h"
#include "ctl/trace/analysis/analysis.h"
#include "ctl/trace/reader/reader.h"
#include "ctl/trace/saved/saved.h"

/* Called behind each event that the analysis has taken; e is NULL where a gap begins or ends. */
typedef void feed_fn(void *arg, const struct analysis_event *e);

struct feed;

/* each may be NULL.  Free it with feed_free(); a must outlive it. */
struct feed *feed_create(struct analysis *a, feed_fn *each, void *arg);
void feed_free(struct feed *feed);
/* Snapshots can have records of this descriptor: call it for each, before the first snapshot. */
void feed_declare(struct feed *feed, const struct desc *desc);
/*
 * Give events about the state of the system, too, each before the first record that is later.  They are in the order
 * of their times, and stay the caller's; their texts must be valid until the last of them was given.
 */
void feed_state(struct feed *feed, const struct analysis_event *events, size_t nr);
/* Give the next records, until `until`, from which on the next snapshot continues. */
void feed_snapshot(struct feed *feed, const struct snapshot *snap, uint64_t until);

/*
 * Give the whole trace, from its beginning to the end of the window, to the analysis, and finish it.  each may be
 * NULL.  False: the trace is damaged, or the user has interrupted; err is set.
 */
bool feed_saved(struct analysis *a, struct saved *saved, feed_fn *each, void *arg, struct error *err);

#endif
