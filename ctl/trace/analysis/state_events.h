/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state_events.h - the present state of the system, read from the module as events for the analysis. */
#ifndef KTRACE_STATE_EVENTS_H
#define KTRACE_STATE_EVENTS_H

#include "ctl/base/device/device.h"
#include "ctl/base/error.h"
#include "ctl/trace/analysis/event.h"
#include "ctl/trace/analysis/keymap.h"

struct state_events {
	struct analysis_event *v;	/* in the order of their times; with copies of all texts */
	size_t n;
	struct keymap tids;		/* keys: all tasks */
	uint64_t began, ended;		/* all of it is from between these times, in ticks */
};

/*
 * Read tasks, open files and disks.  between(arg) is called again and again meanwhile; false ends the reading.  False:
 * a part is missing; err is set.  The caller frees *out with state_events_free(), also then.
 */
bool state_events_read(struct state_events *out, struct device *dev, bool (*between)(void *arg, struct error *err),
		       void *arg, struct error *err);
void state_events_free(struct state_events *events);

#endif
