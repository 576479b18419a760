// SPDX-License-Identifier: GPL-2.0-or-later
/* now.c - see now.h. */
#include "ctl/base/now.h"

#include <time.h>

int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

double now_wall(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
