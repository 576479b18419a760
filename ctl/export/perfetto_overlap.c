// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perfetto_overlap.c - events that two parts of a series have in common.
 *
 * The next part begins to record before the one before it ends, so hits of that time are in both.  A kind of event on a
 * CPU is complete in the old part up to its last record there, and in the new part behind that: take it from there.  At
 * one hit the tracepoint of the old part comes first, so the new record of the last hit is a little younger.
 */
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/export/perfetto_int.h"

/* Most time between the two records of a hit. */
#define ONE_HIT_NS	10000

/* The last record of an event on a CPU. */
struct last {
	uint64_t ns;
	uint8_t *payload;
	size_t len, room;
	bool is_old;		/* it is of the part before */
};

struct overlap {
	struct last *lasts;
	size_t nr;
	struct keymap by_key;	/* one more than the index */
};

static struct last *last_of(struct perfetto *p, const struct record *record)
{
	struct overlap *o = p->overlap;
	const uint32_t name = names_add(&p->names, record->desc->name, strlen(record->desc->name));
	const uint64_t key = (uint64_t)record->cpu << 32 | name;
	const uint32_t at = keymap_find(&o->by_key, key);

	if (at)
		return &o->lasts[at - 1];
	o->lasts = MEM_MORE(o->lasts, o->nr);
	o->lasts[o->nr++] = (struct last){ 0 };
	keymap_set(&o->by_key, key, o->nr);
	return &o->lasts[o->nr - 1];
}

static void remember(struct last *last, const struct record *record, uint64_t ns)
{
	if (record->payload_len > last->room) {
		last->room = record->payload_len;
		last->payload = mem_grow(last->payload, last->room, 1);
	}
	if (record->payload_len)
		memcpy(last->payload, record->payload, record->payload_len);
	last->len = record->payload_len;
	last->ns = ns;
	last->is_old = false;
}

static bool is_same(const struct last *last, const struct record *record, uint64_t ns)
{
	return ns - last->ns <= ONE_HIT_NS && last->len == record->payload_len &&
	       (!last->len || !memcmp(last->payload, record->payload, last->len));
}

bool overlap_has(struct perfetto *p, const struct record *record)
{
	const uint64_t ns = perfetto_ns(p, record->ticks);
	struct last *last;

	if (!p->overlap || record->desc->is_state)
		return false;
	last = last_of(p, record);
	if (last->is_old && (ns <= last->ns || is_same(last, record, ns)))
		return true;
	remember(last, record, ns);
	return false;
}

void overlap_begin(struct perfetto *p)
{
	p->overlap = mem_zalloc(1, sizeof(*p->overlap));
}

void overlap_next_part(struct perfetto *p)
{
	for (size_t i = 0; p->overlap && i < p->overlap->nr; i++)
		p->overlap->lasts[i].is_old = p->overlap->lasts[i].len || p->overlap->lasts[i].ns;
}

void overlap_free(struct perfetto *p)
{
	if (!p->overlap)
		return;
	for (size_t i = 0; i < p->overlap->nr; i++)
		free(p->overlap->lasts[i].payload);
	free(p->overlap->lasts);
	keymap_free(&p->overlap->by_key);
	free(p->overlap);
}
