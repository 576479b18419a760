// SPDX-License-Identifier: GPL-2.0-or-later
/* map.c - see map.h. */
#include "symbols/base/map.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/base/bytes.h"

static struct map_slot *find(struct map_slot *slots, size_t mask, uint64_t key)
{
	size_t i = (key * 0x9e3779b97f4a7c15ULL) >> 20 & mask;

	while (slots[i].key && slots[i].key != key)
		i = (i + 1) & mask;
	return &slots[i];
}

static void grow(struct map *map)
{
	size_t mask = map->mask ? map->mask * 2 + 1 : 255;
	struct map_slot *slots = must_alloc(mask + 1, sizeof(*slots));

	for (size_t i = 0; map->slots && i <= map->mask; i++)
		if (map->slots[i].key)
			*find(slots, mask, map->slots[i].key) = map->slots[i];
	free(map->slots);
	map->slots = slots;
	map->mask = mask;
}

uint64_t *map_at(struct map *map, uint64_t key)
{
	struct map_slot *slot;

	if (map->nr * 3 >= map->mask * 2)
		grow(map);
	slot = find(map->slots, map->mask, key);
	if (!slot->key) {
		slot->key = key;
		map->nr++;
	}
	return &slot->value;
}

void map_clear(struct map *map)
{
	if (map->slots)
		memset(map->slots, 0, (map->mask + 1) * sizeof(*map->slots));
	map->nr = 0;
}

void map_free(struct map *map)
{
	free(map->slots);
	*map = (struct map){ 0 };
}
