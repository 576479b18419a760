/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clockmap.h - convert ticks of records to wall-clock time and durations; see KT_IOC_CLOCK. */
#ifndef KTRACE_CLOCKMAP_H
#define KTRACE_CLOCKMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/ktrace_abi.h"

struct clockmap;
/* Copies the clock->nr anchors. */
struct clockmap *clockmap_create(const struct kt_clock *clock, const struct kt_anchor *anchors);
void clockmap_free(struct clockmap *map);
/* Ticks to ns since the epoch. */
int64_t clockmap_wall_ns(const struct clockmap *map, uint64_t ticks);
/* The duration between two ticks, in ns. */
int64_t clockmap_delta_ns(const struct clockmap *map, uint64_t from, uint64_t to);

/* When something was, and the time that was printed for it. */
struct instant {
	uint64_t ticks;
	int64_t wall_ns;
};

/*
 * On a straight line the difference of the times as printed.  Without one the times may change by a nanosecond when the next
 * anchor comes, and where the time of day was set they tell nothing: how long it took, which stays the same in each print.
 */
int64_t clockmap_difference(const struct clockmap *map, const struct instant *from, const struct instant *to);

/* Was the time of day set between these ticks?  Then the difference of their times is not how long it took. */
bool clockmap_is_set_between(const struct clockmap *map, uint64_t from, uint64_t to);

/*
 * The clock that a trace in CTF has: a straight line, with its origin in seconds since 1970 and cycles.  It fits the newest
 * anchors; before `from`, the time of day was set.
 */
struct clock_line {
	uint64_t frequency, seconds, cycles;
	uint64_t from;
};

struct clock_line clockmap_line(const struct kt_clock *clock, const struct kt_anchor *anchors);
/* A map whose times are those of readers of CTF, to the nanosecond; before `from` those of clockmap_create(). */
struct clockmap *clockmap_create_line(const struct kt_clock *clock, const struct kt_anchor *anchors);

#endif
