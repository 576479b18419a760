/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * brake.h - report the action of the module's brake: where tracepoints take too much of a CPU, it turns their
 * hits away and disarms the most expensive ones.
 */
#ifndef KTRACE_CTL_BRAKE_H
#define KTRACE_CTL_BRAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "ctl/live/session/session.h"

struct brake_watch {
	uint64_t times;		/* actions of the brake, and hits that it turned away, at the last report */
	uint64_t braked;
	uint32_t off;
	int64_t said_ms;	/* time of the last report; 0: never */
};

/* Begin to watch. */
void brake_watch(struct session *s, struct brake_watch *watch);
/* Warn if the brake has acted since, at most every few seconds.  last: report the rest now. */
void brake_say(struct session *s, struct brake_watch *watch, bool last);

#endif
