/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample.h - measurements with known values. */
#ifndef KTRACE_SAMPLE_H
#define KTRACE_SAMPLE_H

#include "ctl/live/measure/measure.h"

/* Numbers that look random, and are the same in every run. */
uint64_t sample_random(uint64_t *state);
/* Between 0 and 1. */
double sample_uniform(uint64_t *state);

/* A latency of 10,000 calls of about a microsecond with a tail; a tick is 0.4 ns. MEASURE_LINES: with lines. */
void sample_measurement(struct measurement *m, enum measure_kind kind);
void sample_free(struct measurement *m);

#endif
