/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map.h - a map from numbers to numbers.  Without memory the process ends (see build.h). */
#ifndef KTRACE_MAP_H
#define KTRACE_MAP_H

#include <stddef.h>
#include <stdint.h>

/* A map from a number, never 0, to a number. */
struct map {
	struct map_slot {
		uint64_t key;
		uint64_t value;
	} *slots;
	size_t nr, mask;
};

/* *value is 0 for a new key. */
uint64_t *map_at(struct map *map, uint64_t key);
void map_clear(struct map *map);
void map_free(struct map *map);

#endif
