/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * brake.h - what is told of the module's brake: where tracepoints take too much of a CPU their hits are turned
 * away, and the dearest of them disarmed.
 */
#ifndef KTRACE_CTL_BRAKE_H
#define KTRACE_CTL_BRAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "ctl/session/session.h"

struct brake_watch {
	uint64_t times;		/* that it came, and hits that it turned away, as they were told of */
	uint64_t braked;
	uint32_t off;
	int64_t said_ms;	/* when that was, 0: never */
};

/* From now on it is watched. */
void brake_watch(struct session *s, struct brake_watch *watch);
/* A warning where it came since, not too often; the last one says the rest. */
void brake_say(struct session *s, struct brake_watch *watch, bool last);

#endif
