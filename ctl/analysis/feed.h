/* SPDX-License-Identifier: GPL-2.0-or-later */
/* feed.h - give a saved trace to the analysis. */
#ifndef KTRACE_FEED_H
#define KTRACE_FEED_H

#include "ctl/analysis/analysis.h"
#include "ctl/base/error.h"
#include "ctl/saved/saved.h"

/* Called behind each event that the analysis has taken; e is NULL where a gap begins or ends. */
typedef void feed_fn(void *arg, const struct analysis_event *e);

/*
 * Give the whole trace, from its beginning to the end of the window, to the analysis, and finish it.  each may be
 * NULL.  False: the trace is damaged, or the user has interrupted; err is set.
 */
bool feed_saved(struct analysis *a, struct saved *saved, feed_fn *each, void *arg, struct error *err);

#endif
