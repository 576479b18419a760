/* SPDX-License-Identifier: GPL-2.0-or-later */
/* correction.h - what is taken off the calls of a measurement. */
#ifndef KTRACE_CORRECTION_H
#define KTRACE_CORRECTION_H

#include <stdbool.h>
#include <stdint.h>

/* The cost, calibrated before the measurement on a scratch function with the same methods. */
struct correction {
	bool known;			/* false: calibration failed; why has the reason */
	char why[128];
	bool is_mixed;			/* other tracepoints came or went meanwhile, and with them the cost of some hits changed */
	uint64_t cost;			/* median, taken off each call */
	uint64_t low, high;		/* 1st and 99th percentile */
	uint64_t nested;		/* taken off an enclosing call for each hit in it, besides the hit's own time */
	uint64_t calls;			/* number of calls used for calibration */
};

#endif
