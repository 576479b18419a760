/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * off_cpu_run.h - `latency --off-cpu`: beside the tracepoints of the calls those of the scheduler, and what their records say.
 *
 * The calls are measured as without it; here their tracepoints write a record, too.
 */
#ifndef KTRACE_OFF_CPU_RUN_H
#define KTRACE_OFF_CPU_RUN_H

#include "ctl/live/measure/live.h"
#include "ctl/live/measure/reading.h"
#include "ctl/live/offcpu/off_cpu.h"

struct off_cpu_run {
	struct plans plans;		/* of the scheduler: OFF_CPU_SWITCH, OFF_CPU_WAKING */
	struct kt_site_req *reqs;	/* [plans.n]: the answers */
	bool armed;
	struct plan_ids ids, calls;
	struct reader *reader;
	uint64_t missed;		/* hits of all tracepoints that were not recorded, when it began */
	uint64_t missed_before;		/* and before the round before */
	struct off_cpu *off;
};

/* Plan the tracepoints of the scheduler.  The caller frees *run, on failure, too. */
bool off_cpu_plan(struct session *s, const struct oneshot *o, struct off_cpu_run *run, struct error *err);
/* Set them: before those of the calls. */
bool off_cpu_arm(struct session *s, struct off_cpu_run *run, struct error *err);
/* Take the records; first_end: the first plan of the calls that closes calls. */
bool off_cpu_round(struct session *s, struct off_cpu_run *run, const struct live *live, size_t first_end, struct error *err);
/* Remove them: after those of the calls. */
bool off_cpu_disarm(struct session *s, struct off_cpu_run *run, struct error *err);
/*
 * Hand over what was found, with its texts; function: the one that is measured; ended, until: as of off_cpu_finish().  The
 * caller frees it.
 */
struct off_cpu *off_cpu_take(struct session *s, struct off_cpu_run *run, const struct sym *function, uint64_t ended, uint64_t until);
void off_cpu_run_free(struct session *s, struct off_cpu_run *run);

#endif
