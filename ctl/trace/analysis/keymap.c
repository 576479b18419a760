// SPDX-License-Identifier: GPL-2.0-or-later
/* keymap.c - open addressing with linear probing; at most half of the places are used.  See keymap.h. */
#include "ctl/trace/analysis/keymap.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "symbols/base/hash.h"

#define FIRST_ROOM	64

static uint32_t home(const struct keymap *map, uint64_t key)
{
	return hash_number(HASH_START, key) & (map->room - 1);
}

static uint32_t next(const struct keymap *map, uint32_t at)
{
	return (at + 1) & (map->room - 1);
}

/* The place of the key, or the free place where it belongs. */
static uint32_t slot_of(const struct keymap *map, uint64_t key)
{
	uint32_t at = home(map, key);

	while (map->values[at] && map->keys[at] != key)
		at = next(map, at);
	return at;
}

uint32_t keymap_find(const struct keymap *map, uint64_t key)
{
	return map->nr ? map->values[slot_of(map, key)] : 0;
}

static void grow(struct keymap *map)
{
	struct keymap larger = { .nr = map->nr, .room = map->room ? 2 * map->room : FIRST_ROOM };

	larger.keys = mem_zalloc(larger.room, sizeof(*larger.keys));
	larger.values = mem_zalloc(larger.room, sizeof(*larger.values));
	for (uint32_t i = 0; i < map->room; i++) {
		const uint32_t at = map->values[i] ? slot_of(&larger, map->keys[i]) : 0;

		if (!map->values[i])
			continue;
		larger.keys[at] = map->keys[i];
		larger.values[at] = map->values[i];
	}
	keymap_free(map);
	*map = larger;
}

void keymap_set(struct keymap *map, uint64_t key, uint32_t value)
{
	uint32_t at;

	if (2 * map->nr >= map->room)
		grow(map);
	at = slot_of(map, key);
	map->nr += !map->values[at];
	map->keys[at] = key;
	map->values[at] = value;
}

/* Move later keys of the same run into the gap, so that every key can be reached from its home. */
void keymap_remove(struct keymap *map, uint64_t key)
{
	uint32_t gap = map->nr ? slot_of(map, key) : 0;

	if (!map->nr || !map->values[gap])
		return;
	for (uint32_t at = next(map, gap); map->values[at]; at = next(map, at)) {
		const uint32_t from_home = (at - home(map, map->keys[at])) & (map->room - 1);

		if (from_home < ((at - gap) & (map->room - 1)))
			continue;
		map->keys[gap] = map->keys[at];
		map->values[gap] = map->values[at];
		gap = at;
	}
	map->values[gap] = 0;
	map->nr--;
}

void keymap_free(struct keymap *map)
{
	free(map->keys);
	free(map->values);
	*map = (struct keymap){ 0 };
}

/* -------------------------------------------------------------------- names */

static uint32_t names_slot(const struct names *names, const void *text, size_t len)
{
	uint32_t at = hash_bytes(HASH_START, text, len) & (names->room - 1);
	const char *found;

	while (names->slots[at]) {
		found = names->text[names->slots[at]];
		if (!strncmp(found, text, len) && !found[len])
			break;
		at = (at + 1) & (names->room - 1);
	}
	return at;
}

static void names_hash(struct names *names)
{
	free(names->slots);
	names->slots = mem_zalloc(names->room, sizeof(*names->slots));
	for (uint32_t i = 1; i <= names->nr; i++)
		if (names->text[i])
			names->slots[names_slot(names, names->text[i], strlen(names->text[i]))] = i;
}

static void names_grow(struct names *names)
{
	names->room = names->room ? 2 * names->room : FIRST_ROOM;
	names->text = mem_grow(names->text, names->room / 2 + 1, sizeof(*names->text));
	names_hash(names);
}

uint32_t names_add(struct names *names, const void *text, size_t len)
{
	uint32_t at;

	if (2 * names->nr >= names->room && !names->nr_spare)
		names_grow(names);
	at = names_slot(names, text, len);
	if (!names->slots[at]) {
		names->slots[at] = names->nr_spare ? names->spare[--names->nr_spare] : ++names->nr;
		names->text[names->slots[at]] = mem_strndup(text, len);
	}
	return names->slots[at];
}

const char *names_text(const struct names *names, uint32_t number)
{
	return number ? names->text[number] : NULL;
}

void names_keep(struct names *names, const bool *used)
{
	names->spare = mem_grow(names->spare, names->nr + 1, sizeof(*names->spare));
	for (uint32_t i = names->nr; i; i--) {
		if (used[i] || !names->text[i])
			continue;
		free(names->text[i]);
		names->text[i] = NULL;
		names->spare[names->nr_spare++] = i;
	}
	if (names->room)
		names_hash(names);
}

void names_free(struct names *names)
{
	for (uint32_t i = 1; i <= names->nr; i++)
		free(names->text[i]);
	free(names->text);
	free(names->slots);
	free(names->spare);
	*names = (struct names){ 0 };
}
