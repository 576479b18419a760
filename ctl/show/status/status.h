/* SPDX-License-Identifier: GPL-2.0-or-later */
/* status.h - the state of the module, and how well it measures here. */
#ifndef KTRACE_STATUS_H
#define KTRACE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ctl/base/sheet/sheet.h"
#include "ctl/live/calibration/calibration.h"
#include "ctl/live/session/session_target.h"

/* A column of the table of counts. */
struct status_column {
	const char *name;
	size_t offset;		/* of the count in struct kt_cpu_status */
	bool is_now;		/* it may become less */
};

#define STATUS_COLUMNS	10
/* Ordered so that the sums are easy to check. */
extern const struct status_column status_columns[STATUS_COLUMNS];

struct status {
	struct kt_status module;
	/* Whose hits are not recorded without SELF: this ktrace, then those at the other end of its terminal. */
	struct terminal_holder left_out[1 + KT_MAX_OWN];
	size_t nr_left_out;
	struct kt_cpu_status *cpus;
	struct kt_cpu_status all;
	struct kt_clock clock;
	double tick_ns;
	struct calibration calibration;
	struct error why_not;		/* "": calibration succeeded */
	struct kt_recording_entry *recordings;
	size_t nr_recordings;
	/* Processes with libktrace: registered, recorded by some ktrace, refused by quotas since the module was loaded. */
	uint64_t registered, recorded, refused;
};

/* Ask the module, and calibrate.  False: err is set, and there is nothing to free. */
bool status_load(struct session *s, struct status *status, struct error *err);
void status_free(struct status *status);

uint64_t status_count(const struct kt_cpu_status *cpu, const struct status_column *column);
/* What the two ends of a call by this method add to its time, in ticks. */
const struct correction *status_cost(const struct status *status, size_t method);
/* The path of the debug information.  NULL: why says what it would provide and how to get it. */
const char *status_debug(struct session *s, struct debug_error *why);

/* All figures, and what people read of them but for the counts.  The caller frees it with sheet_free(). */
struct sheet status_sheet(struct session *s, const struct status *status);
/* The table of counts for people, with an empty line before it. */
void status_counts(const struct status *status, FILE *out, bool colour);
/* Print to s->out, in its format. */
void status_show(struct session *s, const struct status *status);
/* Read the saved trace of -i, and print what it is. */
bool status_saved(struct session *s, struct error *err);
/* About the rings, also for `buffer`.  The caller frees it. */
char *status_buffer(const struct kt_hello *hello);

#endif
