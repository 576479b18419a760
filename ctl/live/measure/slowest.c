// SPDX-License-Identifier: GPL-2.0-or-later
/* slowest.c - see slowest.h. */
#include "ctl/live/measure/slowest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/device/clockmap.h"
#include "ctl/base/memory.h"
#include "ctl/trace/print/print.h"
#include "ctl/trace/reader/reader.h"

/* ------------------------------------------------------------------- slowest */

struct slow {
	uint64_t duration;
	size_t plan;
	struct record record;	/* owns its payload */
};

struct slowest {
	struct reader *reader;
	struct slow *v;
	size_t n, most;
	uint64_t lost;		/* records lost during the measurement, perhaps of slow calls */
};

struct slowest *slowest_create(size_t most)
{
	struct slowest *slowest = mem_zalloc(1, sizeof(*slowest));

	slowest->most = most;
	slowest->v = mem_zalloc(most + 1, sizeof(*slowest->v));
	return slowest;
}

static void slow_drop(struct slow *slow)
{
	free((void *)slow->record.payload);
}

void slowest_free(struct slowest *slowest)
{
	if (!slowest)
		return;
	for (size_t i = 0; i < slowest->n; i++)
		slow_drop(&slowest->v[i]);
	reader_destroy(slowest->reader);
	free(slowest->v);
	free(slowest);
}

bool slowest_begin(struct session *s, struct slowest *slowest, struct error *err)
{
	/* A private position in every mode: records that other readers have not seen must not be cleared. */
	slowest->reader = reader_create(&s->dev, err);
	return slowest->reader && reader_private(slowest->reader, err);
}

static bool plan_of(const struct live *live, size_t first, uint32_t id, size_t *plan)
{
	for (*plan = first; *plan < live->plans.n; ++*plan)
		if (!live->reqs[*plan].refusal && live->reqs[*plan].id == id)
			return true;
	return false;
}

/* Insert in order, the slowest first, and drop one that is too many. */
static void keep(struct slowest *slowest, struct slow slow)
{
	size_t at = slowest->n;

	for (; at > 0 && slowest->v[at - 1].duration < slow.duration; at--)
		slowest->v[at] = slowest->v[at - 1];
	slowest->v[at] = slow;
	if (slowest->n < slowest->most)
		slowest->n++;
	else
		slow_drop(&slowest->v[slowest->n]);
}

static void look_at(struct slowest *slowest, const struct live *live, size_t first, const struct record *record)
{
	struct slow slow = { .record = *record };
	size_t at;
	void *copy;

	if (record->type == RECORD_LOST)
		slowest->lost += record->lost;
	if (record->type != RECORD_HIT || !plan_of(live, first, record->desc->id, &slow.plan))
		return;
	at = desc_mask(live->plans.v[slow.plan].desc);
	if (record->payload_len < at + sizeof(slow.duration))
		return;
	memcpy(&slow.duration, record->payload + at, sizeof(slow.duration));
	copy = mem_zalloc(record->payload_len, 1);
	memcpy(copy, record->payload, record->payload_len);
	slow.record.payload = copy;
	slow.record.desc = NULL;
	keep(slowest, slow);
}

bool slowest_round(struct slowest *slowest, const struct live *live, size_t first, struct error *err)
{
	struct snapshot *snap = reader_snapshot(slowest->reader, err);
	bool ok = snap;

	for (size_t i = 0; ok && i < snapshot_count(snap); i++)
		look_at(slowest, live, first, snapshot_at(snap, i));
	if (ok && live->reqs)
		ok = snapshot_clear(slowest->reader, snap, err);
	snapshot_free(snap);
	return ok;
}

/* ---------------------------------------------------------------- what is said */

/* The record without its duration, which is shown separately. */
static struct record without_elapsed(const struct record *record, struct desc *desc, uint8_t *payload)
{
	const size_t mask = desc_mask(desc), skip = mask + 8;
	struct record cut = *record;

	memcpy(payload, record->payload, mask);
	memcpy(payload + mask, record->payload + skip, record->payload_len - skip);
	desc->fields++;
	desc->nr_fields--;
	desc->is_hidden = false;
	cut.desc = desc;
	cut.payload = payload;
	cut.payload_len -= 8;
	return cut;
}

static char *print_as(struct session *s, const struct clockmap *map, const struct record *record,
		      enum print_format format)
{
	struct printer *printer;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	printer = printer_create(out, format, false);
	printer_clock(printer, map);
	printer_symbols(printer, session_want_symbols(s));
	printer_record(printer, record);
	printer_end(printer);
	printer_free(printer);
	fclose(out);
	len = strlen(text);
	while (len && text[len - 1] == '\n')
		text[--len] = '\0';
	return text;
}

/* The data behind name, time and time difference; the difference of a first record is blank: "  (       )". */
char *record_data(const char *text)
{
	const char *data = strstr(text, "  (  ");

	data = data ? strchr(data, ')') : NULL;
	if (!data)
		return NULL;
	/* The data is on the same line, or begins on the next one. */
	data += 1 + strspn(data + 1, " ");
	data += *data == '\n';
	return *data ? mem_strdup(data) : NULL;
}

static void take_one(struct session *s, const struct clockmap *map, const struct live *live,
		     const struct slow *slow, struct outlier *out)
{
	struct desc desc = *live->plans.v[slow->plan].desc;
	AUTO_FREE uint8_t *payload = mem_zalloc(slow->record.payload_len, 1);
	AUTO_FREE char *text = NULL;
	struct record record = without_elapsed(&slow->record, &desc, payload);

	*out = (struct outlier){ .duration = slow->duration, .end = slow->record.ticks, .cpu = slow->record.cpu };
	if (!desc.nr_fields)
		return;
	text = print_as(s, map, &record, PRINT_TEXT);
	out->text = text ? record_data(text) : NULL;
	out->json = print_as(s, map, &record, PRINT_JSON);
}

bool slowest_take(struct session *s, struct slowest *slowest, const struct live *live, size_t first,
		  struct measurement *m, struct error *err)
{
	struct kt_anchor *anchors;
	struct kt_clock clock;
	struct clockmap *map;

	if (!device_clock(&s->dev, &clock, &anchors, err))
		return false;
	map = clockmap_create(&clock, anchors);
	m->outliers = mem_zalloc(slowest->n, sizeof(*m->outliers));
	m->nr_outliers = slowest->n;
	for (size_t i = 0; i < slowest->n; i++)
		take_one(s, map, live, &slowest->v[i], &m->outliers[i]);
	clockmap_free(map);
	free(anchors);
	if (slowest->lost)
		session_note(s, "not all of the slowest calls may be shown: %" PRIu64 " records found no room in the buffer: clear or enlarge it",
			     slowest->lost);
	return true;
}
