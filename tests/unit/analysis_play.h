/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis_play.h - events for the analysis, written as text. */
#ifndef KTRACE_ANALYSIS_PLAY_H
#define KTRACE_ANALYSIS_PLAY_H

#include "ctl/trace/analysis/analysis.h"

/*
 * Each line is an event: "TIME CPU NAME FIELD=VALUE...".  A value that is not a number is text.  Fields without
 * a slot are left out.  "FROM CPU gap" and "TO CPU end-gap lost=N" are the ends of a gap.  Empty lines and
 * lines that begin with # are left out.
 */
void analysis_play(struct analysis *a, const char *script);

/* Declare so many system calls that the recording has all. */
void analysis_all_calls(struct analysis *a);

/* All sums balance. */
void analysis_check(const struct analysis *a);

struct task *analysis_task(const struct analysis *a, int tid);

#endif
