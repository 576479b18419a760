/* SPDX-License-Identifier: GPL-2.0-or-later */
/* now.h - the time. */
#ifndef KTRACE_NOW_H
#define KTRACE_NOW_H

#include <stdint.h>

/* Milliseconds of CLOCK_MONOTONIC, for durations and deadlines. */
int64_t now_ms(void);
/* Seconds since 1970. */
double now_wall(void);

#endif
