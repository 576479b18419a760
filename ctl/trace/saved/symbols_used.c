// SPDX-License-Identifier: GPL-2.0-or-later
/* symbols_used.c - see symbols_used.h. */
#include "ctl/trace/saved/symbols_used.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/trace/saved/save_dir.h"
#include "ctl/trace/saved/saved.h"

/* To read a larger trace once more takes too long, and there all symbols are a small part. */
#define MOST_BYTES	(64U << 20)
#define NR_LAST		1024

struct search {
	uint64_t low, high;
	struct addresses *out;
	uint64_t last[NR_LAST];		/* found lately, by their low bits: most repeat */
};

static void found(struct search *search, uint64_t address)
{
	uint64_t *last = &search->last[(address >> 4) % NR_LAST];

	if (*last == address)
		return;
	*last = address;
	search->out->v = MEM_MORE(search->out->v, search->out->n);
	search->out->v[search->out->n++] = address;
}

static bool look_at_packet(void *arg, const char *name, const struct kt_packet *packet, size_t bytes, struct error *err)
{
	const uint8_t *at = (const uint8_t *)packet, *end = at + bytes;
	struct search *search = arg;
	uint64_t value;

	for (; at + sizeof(value) <= end; at++) {
		memcpy(&value, at, sizeof(value));
		if (value >= search->low && value <= search->high)
			found(search, value);
	}
	return true;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void make_unique(struct addresses *a)
{
	size_t n = 0;

	if (a->n)
		qsort(a->v, a->n, sizeof(*a->v), by_value);
	for (size_t i = 0; i < a->n; i++)
		if (!n || a->v[n - 1] != a->v[i])
			a->v[n++] = a->v[i];
	a->n = n;
}

bool symbols_used(const char *dir, struct trace_info *info, uint64_t low, uint64_t high, struct addresses *out)
{
	AUTO_FREE struct search *search = mem_zalloc(1, sizeof(*search));
	struct saved *saved = save_dir_size(dir) <= MOST_BYTES ? saved_open_as(dir, info, NULL) : NULL;
	bool ok;

	*search = (struct search){ .low = low, .high = high, .out = out };
	*out = (struct addresses){ 0 };
	ok = saved && saved_packets(saved, look_at_packet, search, NULL);
	saved_close(saved);
	make_unique(out);
	return ok;
}
