/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clockmap.h - convert ticks of records to wall-clock time and durations; see KT_IOC_CLOCK. */
#ifndef KTRACE_CLOCKMAP_H
#define KTRACE_CLOCKMAP_H

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

#endif
