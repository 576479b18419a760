/* SPDX-License-Identifier: GPL-2.0-or-later */
/* latency_int.h - what the files of latency.h share. */
#ifndef KTRACE_LATENCY_INT_H
#define KTRACE_LATENCY_INT_H

#include "ctl/live/measure/latency.h"

/* Distribute what was typed over the two ends. */
bool latency_take(struct latency *l, const struct oneshot *o, struct error *err);
bool latency_take_function(struct latency *l, const struct oneshot *o, const struct request *typed, const char *name,
			   const char *shown, struct error *err);

/* BY_EXIT: plan the exits that calls come by.  There are none if all exits are returns, which close the calls themselves. */
bool latency_exits_plan(struct session *s, struct latency *l, struct error *err);
/*
 * Calls of a function of a program, whose entry is planned.  *planned: it has tail calls, and all other tracepoints are
 * planned now.
 */
bool latency_tails_plan(struct session *s, struct latency *l, bool *planned, struct error *err);

/* BY_EXIT: name the groups by the exits. */
void latency_exits_name(struct session *s, struct latency *l);

#endif
