// SPDX-License-Identifier: GPL-2.0-or-later
/* brake.c - see brake.h. */
#include "ctl/live/session/brake.h"

#include <stdlib.h>

#include "ctl/base/duration.h"
#include "ctl/base/memory.h"
#include "ctl/base/now.h"

#define AGAIN_MS	5000	/* between two warnings */

static uint64_t braked_of(struct session *s)
{
	struct kt_cpu_status sums;
	struct kt_status status;
	struct error err;

	return device_totals(&s->dev, &status, &sums, &err) ? sums.braked : 0;
}

void brake_watch(struct session *s, struct brake_watch *watch)
{
	struct kt_status status;
	struct error err;

	*watch = (struct brake_watch){ .said_ms = 0 };
	if (!s->connected || !device_status(&s->dev, &status, NULL, &err))
		return;
	watch->times = status.brakes;
	watch->off = status.brake_off;
	watch->braked = braked_of(s);
}

static void say(struct session *s, const struct kt_status *status, uint64_t braked)
{
	char n[DURATION_SIZE];

	if (!status->brake_off)
		session_warn(s, "warning: tracepoints took more than %u %% of a CPU: %s hits were turned away by the brake",
			     status->brake_percent, count_text(braked, n));
	else
		session_warn(s, "warning: tracepoints took more than %u %% of a CPU: %s hits were turned away by the brake, and %u tracepoint%s off now: 'list -v' marks what is off, 'trace' sets it again",
			     status->brake_percent, count_text(braked, n), status->brake_off,
			     status->brake_off == 1 ? " is" : "s are");
}

/* Check the count of hits, too: the brake may have turned some away and been released since. */
void brake_say(struct session *s, struct brake_watch *watch, bool last)
{
	struct kt_status status;
	struct error err;
	uint64_t braked;

	if (!s->connected || !device_status(&s->dev, &status, NULL, &err))
		return;
	if (status.brakes == watch->times && status.brake_off <= watch->off && !status.brake_cpus && !last)
		return;
	if (!last && watch->said_ms && now_ms() < watch->said_ms + AGAIN_MS)
		return;
	braked = braked_of(s);
	if (braked <= watch->braked && status.brake_off <= watch->off)
		return;
	say(s, &status, braked - watch->braked);
	*watch = (struct brake_watch){ status.brakes, braked, status.brake_off, now_ms() };
}
