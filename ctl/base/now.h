/* SPDX-License-Identifier: GPL-2.0-or-later */
/* now.h - what time it is. */
#ifndef KTRACE_NOW_H
#define KTRACE_NOW_H

#include <stdint.h>

/* For durations and deadlines: milliseconds of CLOCK_MONOTONIC. */
int64_t now_ms(void);
/* Seconds since 1970. */
double now_wall(void);

#endif
