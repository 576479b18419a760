/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.h - a measurement in the module: its tracepoints, their calibration, its counts.
 *
 * The tracepoints are set together with those of the scratch function, so that all of them become jumps at the
 * same time.  The scratch function is calibrated first; then the measurement begins to count.
 */
#ifndef KTRACE_CTL_LIVE_H
#define KTRACE_CTL_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/ask/plan/plan.h"
#include "ctl/live/measure/gone.h"
#include "ctl/live/measure/measure.h"
#include "ctl/live/measure/oneshot.h"
#include "ctl/live/session/session.h"

struct live {
	struct kt_measure req;		/* the request; id is filled in */
	struct kt_role *roles;		/* [plans.n]; measure is filled in */
	struct plans plans;
	struct kt_site_req *reqs;	/* [plans.n]: the answers */
	uint8_t *methods;		/* [plans.n]: in use when counting began */
	struct gone gone;
	bool armed;
	bool raw;
	bool is_left_out;		/* one of several, and the module refused it for this reason: */
	struct error why;
	bool is_other_path;		/* its hits take another path than the calibration: no correction */
	bool is_beside;			/* other measurements have tracepoints at its addresses: neither */
	uint64_t changes;		/* struct kt_tally, when the paths were looked up */
	uint64_t quota;
	struct kt_measure_run run;
	struct correction correction;
	struct kt_clock clock;
	double began_at;
};

/* Where its tracepoints are. */
enum live_home { LIVE_KERNEL, LIVE_PROGRAM, LIVE_BOTH };

enum live_home live_home(const struct live *live);

/* Set, calibrate, start counting. */
bool live_arm(struct session *s, struct oneshot *o, struct live *live, struct error *err);
/* Stop counting and remove the tracepoints, if they are set. */
bool live_disarm(struct session *s, struct live *live, struct error *err);
/* Report progress.  enough is also set if the modules of all opening or all closing tracepoints have gone. */
bool live_progress(struct session *s, struct live *live, struct progress *out, struct error *err);

/* Several measurements, one for each function, that run at the same time. */
struct lives {
	struct live **v;
	size_t n;
};

/*
 * As above: set all, calibrate once, start all; stop all, then remove; enough: all have enough.  Of several, those
 * that the module refuses are left out.
 */
bool lives_arm(struct session *s, struct oneshot *o, const struct lives *lives, struct error *err);
bool lives_disarm(struct session *s, const struct lives *lives, struct error *err);
bool lives_progress(struct session *s, const struct lives *lives, struct progress *out, struct error *err);

/* Fill in the parts of *m that concern the whole measurement. */
bool live_fill(struct session *s, const struct live *live, struct measurement *m, struct error *err);
/* The samples of one group; buckets: with its histogram.  *found: there is such a group.  key may be NULL. */
bool live_samples(struct session *s, const struct live *live, uint32_t group, bool buckets, struct samples *out,
		  uint8_t key[KT_MAX_KEY], bool *found, struct error *err);
/* The methods of plans [from, to) as text. */
const char *live_methods(const struct live *live, size_t from, size_t to);

void live_free(struct live *live);

#endif
