/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calibration.h - what tracepoints cost by themselves: found on a function of the module's own, by each method in turn.
 */
#ifndef KTRACE_CALIBRATION_H
#define KTRACE_CALIBRATION_H

#include <stdbool.h>
#include <stdint.h>

#include "ctl/device/desc.h"
#include "ctl/measure/measure.h"
#include "ctl/session/session.h"

/* The entry and return of a function of the module's, with their tracepoints. */
struct scratch {
	bool returns;		/* the one that a kretprobe ends, not the one that ends at an instruction */
	uint32_t measure;	/* id; the session's */
	struct kt_role roles[2];
	struct kt_site_req sites[2];
	struct desc desc[2];
	void *blobs[2];
	uint32_t role_flags[2];	/* KT_ROLE_THREAD: as the ends have it that are compared with it */
	bool set;
};

struct calibration {
	uint32_t calls;			/* that each figure is the median of */
	uint64_t untraced[2];		/* ticks of a whole one without tracepoints: by `returns` */
	struct kt_measure_run run;	/* cost and nested: what is taken off */
	struct correction by[KT_NR_METHODS][KT_NR_METHODS];	/* the methods of entry and return */
};

/* With no tracepoint set: the first step. */
bool calibration_begin(struct session *s, struct calibration *c, struct error *err);
/* Set by the method that is best; waits for another ktrace that has the function. */
bool scratch_set_best(struct session *s, struct scratch *scratch, struct error *err);
/* Have its hits go the slow path, or not, at entry and return.  It is set. */
bool scratch_set_long(struct session *s, struct scratch *scratch, bool entry, bool back, struct error *err);
/* What they are now, of all that the module lists; false where one is to become another in a moment. */
bool scratch_settled(struct scratch *scratch, const struct kt_list_entry *list, size_t n);
/* By the methods that it has, then by breakpoints. */
bool calibration_take(struct session *s, struct scratch *scratch, struct calibration *c, struct error *err);
void scratch_drop(struct session *s, struct scratch *scratch);

/* False: it is to become another one in a moment. */
bool method_now(const struct kt_list_entry *list, size_t n, uint64_t addr, uint8_t *method);

/*
 * All of that for its own sake, in some milliseconds.  by[x][x].known: x was to be had in that time.  Fails where it
 * would disturb a measurement under way.
 */
bool calibration_now(struct session *s, struct calibration *c, struct error *err);

#endif
