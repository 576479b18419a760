// SPDX-License-Identifier: GPL-2.0-or-later
/* counted.c - read and sort what was counted.  See counted.h. */
#include "ctl/live/aggregate/counted.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/device/site.h"
#include "ctl/base/memory.h"

void counted_free(struct counted *counted)
{
	aggregate_data_free(&counted->data);
	free(counted->rows);
	counted->rows = NULL;
	counted->n = 0;
}

/* -------------------------------------------------------------------- values */

enum { NUMBER, LOW, HIGH };	/* words of a value that is not a count or a histogram */

static size_t value_words(const struct counted *counted)
{
	return counted->data.words - counted->data.key_words;
}

uint64_t counted_number(const struct counted *counted, const struct counted_row *row)
{
	uint64_t sum = 0;

	if (!aggregate_is_histogram(counted->desc->aggregate))
		return row->value[NUMBER];
	for (size_t i = 0; i < value_words(counted); i++)
		sum += row->value[i];
	return sum;
}

bool counted_is_signed(const struct counted *counted)
{
	const struct desc *desc = counted->desc;

	return aggregate_has_value(desc->aggregate) && desc->fields[desc->nr_fields - 1].is_signed;
}

__int128 counted_sum(const struct counted *counted, const struct counted_row *row)
{
	const uint32_t kind = counted->desc->aggregate->kind;

	if (kind == KT_AGG_COUNT || aggregate_is_histogram(counted->desc->aggregate))
		return counted_number(counted, row);
	if (kind == KT_AGG_SUM || kind == KT_AGG_AVG)
		return (__int128)((unsigned __int128)row->value[HIGH] << 64 | row->value[LOW]);
	return counted_is_signed(counted) ? (__int128)(int64_t)row->value[LOW] : (__int128)row->value[LOW];
}

uint64_t counted_hits(const struct counted *counted)
{
	uint64_t hits = 0;

	for (size_t i = 0; i < counted->n; i++)
		hits += counted_number(counted, &counted->rows[i]);
	return hits;
}

/* ------------------------------------------------------------------- buckets */

size_t counted_buckets(const struct counted *counted)
{
	return value_words(counted);
}

static void range_limits(const struct desc_aggregate *aggregate, size_t n, __int128 *low, __int128 *high)
{
	*low = aggregate->low + ((__int128)n - 1) * aggregate->step;
	*high = *low + aggregate->step;
	if (!n)
		*low = INT64_MIN;
	if (n == aggregate->buckets + 1)
		*high = (__int128)UINT64_MAX + 1;
}

void counted_limits(const struct counted *counted, size_t n, __int128 *low, __int128 *high)
{
	if (counted->desc->aggregate->kind == KT_AGG_LHIST)
		return range_limits(counted->desc->aggregate, n, low, high);
	*low = n == 0 ? INT64_MIN : n == 1 ? 0 : (__int128)1 << (n - 2);
	*high = n == 0 ? 0 : n == 1 ? 1 : *low * 2;
}

/* ---------------------------------------------------------------------- sort */

static int compare_keys(const void *a, const void *b, void *arg)
{
	const struct counted_row *x = a, *y = b;
	const struct counted *counted = arg;

	return memcmp(x->key, y->key, counted->data.key_words * sizeof(uint64_t));
}

/* a < b: negative. */
static int compare_wide(__int128 a, __int128 b)
{
	return (a > b) - (a < b);
}

static int compare_averages(const struct counted *counted, const struct counted_row *x, const struct counted_row *y)
{
	const long double a = (long double)counted_sum(counted, x) / counted_number(counted, x);
	const long double b = (long double)counted_sum(counted, y) / counted_number(counted, y);

	return (a > b) - (a < b);
}

/* The largest value first; equal ones in the order of their keys. */
static int compare_values(const void *a, const void *b, void *arg)
{
	const struct counted_row *x = a, *y = b;
	const struct counted *counted = arg;
	int order;

	if (counted->desc->aggregate->kind == KT_AGG_AVG)
		order = -compare_averages(counted, x, y);
	else
		order = -compare_wide(counted_sum(counted, x), counted_sum(counted, y));
	return order ? order : compare_keys(a, b, arg);
}

/* Add the value of another entry of the same key. */
static void add_entry(const struct counted *counted, uint64_t *to, const uint64_t *more)
{
	const uint32_t kind = counted->desc->aggregate->kind;
	const bool is_extreme = kind == KT_AGG_MIN || kind == KT_AGG_MAX;
	struct counted_row x = { .value = to }, y = { .value = (uint64_t *)more };

	if (is_extreme) {
		if (!more[NUMBER])
			return;
		if (!to[NUMBER] || (compare_wide(counted_sum(counted, &y), counted_sum(counted, &x)) > 0) == (kind == KT_AGG_MAX))
			to[LOW] = more[LOW];
		to[NUMBER] += more[NUMBER];
		return;
	}
	for (size_t i = 0; i < value_words(counted); i++)
		to[i] += more[i];
	if (value_words(counted) == HIGH + 1 && (kind == KT_AGG_SUM || kind == KT_AGG_AVG))
		to[HIGH] += to[LOW] < more[LOW];
}

/* Entries whose first hit has not counted yet have no values. */
static void drop_empty(struct counted *counted)
{
	size_t n = 0;

	for (size_t i = 0; i < counted->n; i++)
		if (counted_number(counted, &counted->rows[i]))
			counted->rows[n++] = counted->rows[i];
	counted->n = n;
}

static void add_equal(struct counted *counted)
{
	size_t n = 0;

	for (size_t i = 0; i < counted->n; i++) {
		if (n && !compare_keys(&counted->rows[n - 1], &counted->rows[i], counted))
			add_entry(counted, counted->rows[n - 1].value, counted->rows[i].value);
		else
			counted->rows[n++] = counted->rows[i];
	}
	counted->n = n;
}

/* Texts that are shown alike are one key: of one that is cut, only that it goes on counts. */
static void cut_key(const struct counted *counted, uint64_t *key)
{
	const struct desc *desc = counted->desc;
	uint8_t *at = (uint8_t *)key + desc_mask(desc);

	for (size_t i = 0; i < desc->nr_fields; i++) {
		const struct field *field = &desc->fields[i];

		if (field->limit && strnlen((char *)at, field->length) > field->limit) {
			memset(at + field->limit, 0, field->length - field->limit);
			at[field->limit] = '.';
		}
		at += field_payload(field);
	}
}

void counted_sort(struct counted *counted)
{
	const struct aggregate_data *data = &counted->data;

	counted->n = data->n;
	counted->rows = mem_zalloc(data->n ? data->n : 1, sizeof(*counted->rows));
	for (size_t i = 0; i < data->n; i++) {
		uint64_t *entry = data->entries + i * data->words;

		cut_key(counted, entry);
		counted->rows[i] = (struct counted_row){ .key = entry, .value = entry + data->key_words };
	}
	qsort_r(counted->rows, counted->n, sizeof(*counted->rows), compare_keys, counted);
	add_equal(counted);
	drop_empty(counted);
	qsort_r(counted->rows, counted->n, sizeof(*counted->rows), compare_values, counted);
}

const struct counted_row *counted_find(const struct counted *counted, const struct counted_row *row)
{
	for (size_t i = 0; i < counted->n; i++)
		if (!compare_keys(&counted->rows[i], row, (void *)counted))
			return &counted->rows[i];
	return NULL;
}

/* ---------------------------------------------------------------------- read */

static bool read_clock(struct session *s, uint64_t *now, struct error *err)
{
	struct kt_anchor *anchors;
	struct kt_clock clock;

	if (!device_clock(&s->dev, &clock, &anchors, err))
		return false;
	free(anchors);
	*now = clock.now;
	return true;
}

bool counted_read(struct session *s, uint32_t id, const struct desc *desc, bool clear, struct counted *out, bool *found,
		  struct error *err)
{
	*out = (struct counted){ .desc = desc, .id = id };
	if (!read_clock(s, &out->at, err) || !aggregate_read(&s->dev, id, desc, clear, &out->data, found, err))
		return false;
	if (*found)
		counted_sort(out);
	return true;
}

/* Several places may count in one table: the first one stands for all, under the address as it was typed. */
static bool is_first(const struct kt_list_entry *entries, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (entries[k].aggregate == entries[i].aggregate)
			return false;
	return entries[i].aggregate;
}

static bool load_desc(struct session *s, uint32_t id, struct desc **out, struct error *err)
{
	AUTO_FREE struct kt_desc_req *blob = NULL;
	size_t len;

	*out = NULL;
	if (!device_desc(&s->dev, id, &blob, &len, NULL, NULL, err))
		return false;
	if (blob)
		*out = desc_decode(blob, len, err);
	return !blob || *out;
}

static uint64_t braked_of(const struct kt_list_entry *entries, size_t n, uint32_t aggregate)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		if (entries[i].aggregate == aggregate)
			sum += entries[i].braked;
	return sum;
}

/* Where the tracepoint was removed meanwhile, there is nothing to show. */
static bool one_table(struct session *s, const struct kt_list_entry *entry, uint64_t braked, bool clear,
		      bool (*each)(struct session *s, struct counted *counted, void *arg), void *arg, struct error *err)
{
	struct counted counted = { 0 };
	struct desc *desc;
	bool found = false, ok = load_desc(s, entry->id, &desc, err);

	if (ok && desc && desc->aggregate)
		ok = counted_read(s, entry->aggregate, desc, clear, &counted, &found, err);
	counted.braked = braked;
	if (ok && found)
		ok = each(s, &counted, arg) || error_set(err, STATUS_FAILURE, "interrupted");
	counted_free(&counted);
	desc_free(desc);
	return ok;
}

bool counted_each(struct session *s, bool clear, bool (*each)(struct session *s, struct counted *counted, void *arg), void *arg,
		  struct error *err)
{
	AUTO_FREE struct kt_list_entry *entries = NULL;
	bool ok;
	size_t n;

	ok = device_list(&s->dev, &entries, &n, err);
	for (size_t i = 0; ok && i < n; i++)
		if (entries[i].aggregate && is_first(entries, i))
			ok = one_table(s, &entries[i], braked_of(entries, n, entries[i].aggregate), clear, each, arg, err);
	return ok;
}

static bool ignore(struct session *s, struct counted *counted, void *arg)
{
	return true;
}

bool counted_clear_all(struct session *s, struct error *err)
{
	return counted_each(s, true, ignore, NULL, err);
}
