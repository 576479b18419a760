// SPDX-License-Identifier: GPL-2.0-or-later
/* pairing.c - see pairing.h. */
#include "ctl/live/measure/pairing.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"

#define BUCKETS	(1U << 16)

struct pairing *pairing_create(void)
{
	struct pairing *p = mem_zalloc(1, sizeof(*p));

	p->buckets = mem_zalloc(BUCKETS, sizeof(*p->buckets));
	return p;
}

void pairing_free(struct pairing *p)
{
	for (size_t i = 0; p && i < BUCKETS; i++) {
		struct begun *next;

		for (struct begun *at = p->buckets[i]; at; at = next) {
			next = at->older;
			free(at);
		}
	}
	if (p) {
		free(p->times.buckets);
		free(p->buckets);
	}
	free(p);
}

/* FNV-1a, of Fowler, Noll and Vo. */
static struct begun **bucket(const struct pairing *p, const uint8_t key[PAIRING_KEY])
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < PAIRING_KEY; i++)
		hash = (hash ^ key[i]) * 0x100000001b3;
	return &p->buckets[(hash ^ hash >> 32) % BUCKETS];
}

bool pairing_begin(struct pairing *p, const struct begun *begun)
{
	struct begun **head = bucket(p, begun->key), *new;

	if (p->open >= PAIRING_MOST)
		return false;
	new = mem_zalloc(1, sizeof(*new));
	*new = *begun;
	new->older = *head;
	*head = new;
	p->open++;
	return true;
}

/* Newer ones come first. */
static struct begun **find(struct begun **head, const uint8_t key[PAIRING_KEY], uint32_t thread)
{
	struct begun **any = NULL;

	for (struct begun **at = head; *at; at = &(*at)->older) {
		if (memcmp((*at)->key, key, PAIRING_KEY))
			continue;
		if ((*at)->thread == thread)
			return at;
		any = any ? any : at;
	}
	return any;
}

bool pairing_end(struct pairing *p, const uint8_t key[PAIRING_KEY], uint32_t thread, uint64_t ticks, uint32_t *point)
{
	struct begun **at = find(bucket(p, key), key, thread), *found;

	if (!at) {
		p->unmatched++;
		return false;
	}
	found = *at;
	*at = found->older;
	*point = found->point;
	samples_add(&p->times, ticks > found->ticks ? ticks - found->ticks : 0);
	free(found);
	p->paired++;
	p->open--;
	return true;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

uint64_t *pairing_open(const struct pairing *p)
{
	uint64_t *out = mem_zalloc(p->open + 1, sizeof(*out));
	size_t n = 0;

	for (size_t i = 0; i < BUCKETS; i++)
		for (const struct begun *at = p->buckets[i]; at; at = at->older)
			out[n++] = at->count;
	qsort(out, n, sizeof(*out), by_number);
	return out;
}
