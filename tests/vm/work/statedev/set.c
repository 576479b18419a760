// SPDX-License-Identifier: GPL-2.0-or-later
/* set.c - sets of texts, by a hash of each. */
#include "statedev.h"

static uint64_t hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3ULL;
	return h;
}

void set_add(struct set *set, const char *text)
{
	if (!(set->n & (set->n - 1)))
		set->v = must_realloc(set->v, (set->n ? 2 * set->n : 1) * sizeof(*set->v));
	set->v[set->n++] = hash(text);
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void set_sort(struct set *set)
{
	qsort(set->v, set->n, sizeof(*set->v), compare);
}

bool set_has(const struct set *set, const char *text)
{
	const uint64_t h = hash(text);

	return bsearch(&h, set->v, set->n, sizeof(h), compare);
}
