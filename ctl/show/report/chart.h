/* SPDX-License-Identifier: GPL-2.0-or-later */
/* chart.h - draw a measurement in SVG; the page's style sheet has the classes. */
#ifndef KTRACE_CHART_H
#define KTRACE_CHART_H

#include <stdio.h>

#include "ctl/show/report/report.h"

void chart_histogram(const struct measurement *m, FILE *out);
/* Percentiles on an axis that widens towards the slowest samples, as far as p90 and more are known. */
void chart_percentiles(const struct measurement *m, FILE *out);
/* Hits over the time of the measurement. */
void chart_timeline(const struct measurement *m, const struct timeline *timeline, FILE *out);
/* A mean call: its lines in sequence, each as wide as its time. */
void chart_call(const struct measurement *m, FILE *out);

#endif
