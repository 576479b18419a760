/* SPDX-License-Identifier: GPL-2.0-or-later */
/* chart.h - drawings of a measurement, in SVG, to stand in a page whose style sheet knows their classes. */
#ifndef KTRACE_CHART_H
#define KTRACE_CHART_H

#include <stdio.h>

#include "ctl/report/report.h"

void chart_histogram(const struct measurement *m, FILE *out);
/* The duration that a part of the samples do not exceed, towards the slowest ones ever wider. */
void chart_percentiles(const struct measurement *m, FILE *out);
/* Hits in the course of the measurement. */
void chart_timeline(const struct measurement *m, const struct timeline *timeline, FILE *out);
/* A mean call: its lines one after the other, each as wide as its time. */
void chart_call(const struct measurement *m, FILE *out);

#endif
