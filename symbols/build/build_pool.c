// SPDX-License-Identifier: GPL-2.0-or-later
/* build_pool.c - the strings, files and types that the threads of the builder share. */
#include <stdlib.h>

#include "symbols/build/build.h"

/* ------------------------------------------------------------------- pools */

static bool is_within(const struct image_section *section, const char *text, uint32_t *offset)
{
	const uint8_t *at = (const uint8_t *)text;

	if (!section || at < section->data || at >= section->data + section->data_size)
		return false;
	*offset = at - section->data;
	return true;
}

static size_t size_of(const struct image_section *section)
{
	return section ? section->data_size : 0;
}

/* Only the hash is compared: 64 bits are enough for some 100,000 strings and types. */
static uint64_t nonzero(uint64_t hash)
{
	return hash ? hash : 1;
}

/*
 * A string's number is its final position: first an empty string, then the strings of the image in their order,
 * then the others.
 */
uint32_t pool_string(struct builder *b, const char *text)
{
	uint64_t *known;
	uint32_t at;

	if (!text || !*text)
		return 0;
	if (is_within(b->str, text, &at))
		return 1 + at;
	if (is_within(b->line_str, text, &at))
		return 1 + size_of(b->str) + at;
	pthread_mutex_lock(&b->lock);
	known = map_at(&b->strings, nonzero(hash_text(HASH_START, text)));
	if (!*known) {
		*known = 1 + size_of(b->str) + size_of(b->line_str) + b->more_strings.n;
		bytes_put(&b->more_strings, text, strlen(text) + 1);
	}
	at = *known;
	pthread_mutex_unlock(&b->lock);
	return at;
}

uint32_t pool_file(struct builder *b, const char *path)
{
	uint32_t name = pool_string(b, path), file;
	uint64_t *known;

	pthread_mutex_lock(&b->lock);
	known = map_at(&b->files, nonzero(hash_text(HASH_START, path)));
	if (!*known) {
		*ARRAY_ADD(b->file_names, b->nr_files, b->files_room) = name;
		*known = b->nr_files;
	}
	file = *known - 1;
	pthread_mutex_unlock(&b->lock);
	return file;
}

uint32_t pool_type(struct builder *b, uint64_t hash, bool *is_new)
{
	uint64_t *known;
	uint32_t type;

	pthread_mutex_lock(&b->lock);
	known = map_at(&b->types, nonzero(hash));
	*is_new = !*known;
	if (*is_new) {
		*ARRAY_ADD(b->type_slots, b->nr_types, b->types_room) = (struct type_slot){ 0 };
		*known = b->nr_types;
	}
	type = *known - 1;
	pthread_mutex_unlock(&b->lock);
	return type;
}

void pool_type_set(struct builder *b, uint32_t type, const struct type_slot *slot)
{
	pthread_mutex_lock(&b->lock);
	b->type_slots[type] = *slot;
	pthread_mutex_unlock(&b->lock);
}
