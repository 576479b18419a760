// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perfetto_overlap.c - events that two parts of a series have in common.
 *
 * The next part begins to record before the one before it ends, so the hits of some time are in both.  An event on a
 * CPU is complete in the old part up to its last record there, and in the new part behind that: so its records up to
 * that time are left out of the new part.
 *
 * At one hit the tracepoint of the old part is the first, so the new record of the last hit is later than the old
 * one, by microseconds or, in a guest whose CPU is taken away, by milliseconds.  Whether the first record behind
 * that time is of this hit is known by counting: both parts have as many records from the first hit in common to the
 * last.
 */
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/trace/export/perfetto_int.h"
#include "ctl/trace/saved/saved.h"

/* Most time between the two records of a hit, where there is nothing to count. */
#define ONE_HIT_NS	100000

/* An event on a CPU. */
struct common {
	uint64_t next_ns;	/* its first record in the next part; 0: the beginning of that has none */
	uint64_t next_count;	/* its records behind that time, in this part */
	uint64_t last_ns;	/* its last record in this part; 0: none */
	uint8_t *payload;	/* of that record */
	size_t len, room;
	/* The same of the part before. */
	uint64_t old_ns, old_count;
	uint64_t left_out;	/* records of this part, so far */
	bool passed;		/* the records in common are left out */
};

struct overlap {
	struct common *all;
	size_t nr;
	struct keymap by_key;	/* one more than the index */
};

static struct common *common_of(struct perfetto *p, const struct record *record)
{
	struct overlap *o = p->overlap;
	/* A text that was read at the return is an event of its own, although it has the name of the hit. */
	const char *event = record->desc->late_of ? LATE_NAME : record->desc->name;
	const uint32_t name = names_add(&p->names, event, strlen(event));
	const uint64_t key = (uint64_t)record->cpu << 32 | name;
	const uint32_t at = keymap_find(&o->by_key, key);

	if (at)
		return &o->all[at - 1];
	o->all = MEM_MORE(o->all, o->nr);
	o->all[o->nr++] = (struct common){ 0 };
	keymap_set(&o->by_key, key, o->nr);
	return &o->all[o->nr - 1];
}

/* ------------------------------------------------------------------- the next part */

static void see_first(struct perfetto *p, const struct record *record)
{
	struct common *common;

	if (record->type != RECORD_HIT || record->desc->is_state || record->desc->is_hidden)
		return;
	common = common_of(p, record);
	if (!common->next_ns)
		common->next_ns = perfetto_ns(p, record->ticks);
}

/* The state is read when the part before has ended. */
static bool is_end(const struct record *record)
{
	return record->type == RECORD_HIT && !strcmp(record->desc->name, "lttng_statedump_end");
}

static void next_part(struct common *common)
{
	common->old_ns = common->last_ns;
	common->old_count = common->next_count;
	common->next_ns = common->next_count = common->last_ns = common->left_out = 0;
	common->passed = !common->old_ns;
}

bool overlap_next(struct perfetto *p, struct saved *next, struct error *err)
{
	struct snapshot *snap = NULL;
	bool ok = true, ended = false;

	for (size_t i = 0; i < p->overlap->nr; i++)
		next_part(&p->overlap->all[i]);
	while (next && !ended && (ok = saved_next(next, &snap, err)) && snap) {
		for (size_t i = 0; i < snapshot_count(snap) && !ended; i++) {
			see_first(p, snapshot_at(snap, i));
			ended = is_end(snapshot_at(snap, i));
		}
		snapshot_free(snap);
	}
	return ok;
}

/* ------------------------------------------------------------------------ this part */

static void remember(struct common *common, const struct record *record, uint64_t ns)
{
	if (record->payload_len > common->room) {
		common->room = record->payload_len;
		common->payload = mem_grow(common->payload, common->room, 1);
	}
	if (record->payload_len)
		memcpy(common->payload, record->payload, record->payload_len);
	common->len = record->payload_len;
	common->last_ns = ns;
	common->next_count += common->next_ns && ns > common->next_ns;
}

static bool is_last(const struct common *common, const struct record *record)
{
	return common->len == record->payload_len &&
	       (!common->len || !memcmp(common->payload, record->payload, common->len));
}

/*
 * The first record behind the time of the old part: old_count + 1 records are in common, if any is.  The payload is
 * still that of the last old record.
 */
static bool is_in_common(const struct common *common, const struct record *record, uint64_t ns)
{
	if (!is_last(common, record))
		return false;
	if (common->old_count)
		return common->left_out == common->old_count;
	return !common->left_out && ns - common->old_ns <= ONE_HIT_NS;
}

bool overlap_has(struct perfetto *p, const struct record *record)
{
	const uint64_t ns = perfetto_ns(p, record->ticks);
	struct common *common;
	bool first;

	if (!p->overlap || record->desc->is_state)
		return false;
	common = common_of(p, record);
	if (!common->passed && ns <= common->old_ns) {
		common->left_out++;
		return true;
	}
	first = !common->passed;
	common->passed = true;
	if (first && is_in_common(common, record, ns))
		return true;
	remember(common, record, ns);
	return false;
}

void overlap_begin(struct perfetto *p)
{
	p->overlap = mem_zalloc(1, sizeof(*p->overlap));
}

void overlap_free(struct perfetto *p)
{
	if (!p->overlap)
		return;
	for (size_t i = 0; i < p->overlap->nr; i++)
		free(p->overlap->all[i].payload);
	free(p->overlap->all);
	keymap_free(&p->overlap->by_key);
	free(p->overlap);
}
