// SPDX-License-Identifier: GPL-2.0-or-later
/* reading.c - see reading.h. */
#include "ctl/live/measure/reading.h"

#include <stdlib.h>

#include "ctl/base/memory.h"

/* In KT_MODE_DISCARD only cleared records make room, for all readers. */
static bool check_room(struct session *s, struct error *err)
{
	struct kt_cpu_status sums;
	struct kt_status status;

	if (!device_totals(&s->dev, &status, &sums, err))
		return false;
	return !sums.pending || error_set(err, STATUS_FAILURE,
				     "the buffer discards new records when it is full, and holds %llu unseen records: 'printclear' them, or 'buffer overwrite'",
				     (unsigned long long)sums.pending);
}

struct reader *reading_begin(struct session *s, struct error *err)
{
	struct reader *reader = reader_create(&s->dev, err);

	if (reader && (s->dev.hello.features & KT_FEATURE_OVERWRITE ? reader_private(reader, err) : check_room(s, err)))
		return reader;
	reader_destroy(reader);
	return NULL;
}

bool reading_round(struct reader *reader, reading_fn *take, void *arg, struct error *err)
{
	struct snapshot *snap = reader_snapshot(reader, err);
	bool ok = snap;

	for (size_t i = 0; ok && i < snapshot_count(snap); i++)
		ok = take(snapshot_at(snap, i), arg, err);
	ok = ok && snapshot_clear(reader, snap, err);
	snapshot_free(snap);
	return ok;
}

bool reading_clock(struct session *s, struct kt_clock *clock, struct kt_anchor **anchors, uint64_t *now, struct error *err)
{
	free(*anchors);
	*anchors = NULL;
	if (!device_clock(&s->dev, clock, anchors, err))
		return false;
	*now = clock->now;
	return true;
}

static void take(struct plan_ids *ids, uint32_t id, uint32_t plan)
{
	if (id >= ids->n) {
		ids->v = mem_grow(ids->v, id + 1, sizeof(*ids->v));
		while (ids->n <= id)
			ids->v[ids->n++] = PLAN_NONE;
	}
	ids->v[id] = plan;
}

void plan_ids_take(struct plan_ids *ids, const struct kt_site_req *reqs, size_t nr_plans)
{
	for (size_t i = 0; i < nr_plans; i++)
		if (!reqs[i].refusal)
			take(ids, reqs[i].id, i);
}

uint32_t plan_ids_find(const struct plan_ids *ids, uint32_t id)
{
	return id < ids->n ? ids->v[id] : PLAN_NONE;
}

void plan_ids_free(struct plan_ids *ids)
{
	free(ids->v);
	*ids = (struct plan_ids){ 0 };
}
