/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calibration.h - calibrate the cost of tracepoints, on a scratch function of the module, by each method in
 * turn; that of uprobes on functions of ktrace itself.
 */
#ifndef KTRACE_CALIBRATION_H
#define KTRACE_CALIBRATION_H

#include <stdbool.h>
#include <stdint.h>

#include "ctl/base/device/desc.h"
#include "ctl/live/calibration/correction.h"
#include "ctl/live/session/session.h"

/* The tracepoints at entry and return of a scratch function. */
struct scratch {
	bool returns;		/* the function that a kretprobe ends; else the one that ends at an instruction */
	uint32_t measure;	/* id of the measurement; the session's */
	struct kt_role roles[2];
	struct kt_site_req sites[2];
	struct desc desc[2];
	void *blobs[2];
	uint32_t role_flags[2];	/* KT_ROLE_THREAD or 0, as in the roles of the two ends that it stands for */
	bool set;
};

struct calibration {
	uint32_t calls;			/* each figure is the median of that many calls */
	uint64_t untraced[2];		/* ticks of a whole call without tracepoints; index: `returns` */
	struct kt_measure_run run;	/* cost and nested: the ticks to take off */
	struct correction by[KT_NR_METHODS][KT_NR_METHODS];	/* by the methods of entry and return */
	char why[128];	/* uprobes could not be calibrated, for this reason; else empty */
};

/*
 * The cost of uprobes, calibrated on functions of ktrace itself.  That it fails is no error: c->why has the reason.
 * uprobe.c.
 */
void calibration_take_uprobes(struct session *s, struct calibration *c);

/* The first step, before the tracepoints of the scratch function are set. */
bool calibration_begin(struct session *s, struct calibration *c, struct error *err);
/* Set the tracepoints by the best method; wait while another ktrace uses the function. */
bool scratch_set_best(struct session *s, struct scratch *scratch, struct error *err);
/* How hits of a tracepoint go.  None of them: by generated code where there is some, else on the fast path if the role allows it. */
struct hit_path {
	bool is_shared;		/* with those of other tracepoints at the address */
	bool is_long;		/* on the slow path */
	bool is_plain;		/* a jump without generated code */
};

struct hit_path hit_path_of(const struct kt_list_entry *entry);
/* Let hits at entry and return go by these paths.  The tracepoints are set, and in the module's list. */
bool scratch_go(struct session *s, struct scratch *scratch, const struct kt_list_entry *list, size_t n,
		const struct hit_path paths[2], struct error *err);
/* Read the present methods from the module's list.  False: a method will change soon. */
bool scratch_settled(struct scratch *scratch, const struct kt_list_entry *list, size_t n);
/* Calibrate by the present methods, then by breakpoints. */
bool calibration_take(struct session *s, struct scratch *scratch, struct calibration *c, struct error *err);
void scratch_drop(struct session *s, struct scratch *scratch);

/* The present method at addr.  False: it will change soon. */
bool method_now(const struct kt_list_entry *list, size_t n, uint64_t addr, uint8_t *method);

/*
 * Calibrate all methods for `status`, in some milliseconds.  by[x][x].known: method x was available in that
 * time.  It fails where it would disturb a running measurement.
 */
bool calibration_now(struct session *s, struct calibration *c, struct error *err);

#endif
