// SPDX-License-Identifier: GPL-2.0-or-later
/* aggregate.c - see aggregate.h. */
#include "ctl/base/device/aggregate.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/device/desc_int.h"
#include "ctl/base/device/device.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"

static const char *const kinds[KT_NR_AGGS] = {
	[KT_AGG_COUNT] = "count", [KT_AGG_SUM] = "sum", [KT_AGG_AVG] = "avg",	  [KT_AGG_MIN] = "min",
	[KT_AGG_MAX] = "max",	  [KT_AGG_HIST] = "hist", [KT_AGG_LHIST] = "lhist",
};

const char *aggregate_kind(uint32_t kind)
{
	return kinds[kind];
}

/* --------------------------------------------------------------- meta data */

void aggregate_encode(struct json *j, const struct desc_aggregate *aggregate)
{
	json_open(j, "aggregate");
	json_text(j, "kind", kinds[aggregate->kind]);
	json_number(j, "keys", aggregate->keys);
	if (aggregate->is_time)
		json_boolean(j, "time", true);
	if (aggregate->kind == KT_AGG_LHIST) {
		json_signed(j, "low", aggregate->low);
		json_number(j, "step", aggregate->step);
		json_number(j, "buckets", aggregate->buckets);
	}
	json_close(j);
}

static bool decode_kind(struct json_object *from, struct desc_aggregate *out)
{
	const char *name = meta_text(from, "kind");

	while (name && out->kind < KT_NR_AGGS && strcmp(kinds[out->kind], name))
		out->kind++;
	return name && out->kind < KT_NR_AGGS;
}

static bool decode_range(struct json_object *from, struct desc_aggregate *out)
{
	int64_t step, buckets;

	if (out->kind != KT_AGG_LHIST)
		return true;
	if (!meta_int(from, "low", INT64_MIN, INT64_MAX, &out->low) || !meta_int(from, "step", 1, INT64_MAX, &step) ||
	    !meta_int(from, "buckets", 1, KT_AGG_MAX_BUCKETS, &buckets))
		return false;
	out->step = step;
	out->buckets = buckets;
	/* All limits are numbers of 64 bits. */
	return out->step <= INT64_MAX / out->buckets && out->low <= (int64_t)(INT64_MAX - out->step * out->buckets);
}

bool aggregate_decode(struct json_object *meta, struct desc *desc)
{
	struct json_object *from;
	int64_t keys;

	if (!json_object_object_get_ex(meta, "aggregate", &from))
		return true;
	desc->aggregate = mem_zalloc(1, sizeof(*desc->aggregate));
	if (!json_object_is_type(from, json_type_object) || !decode_kind(from, desc->aggregate) ||
	    !decode_range(from, desc->aggregate) || !meta_int(from, "keys", 1, KT_AGG_MAX_KEYS, &keys))
		return false;
	desc->aggregate->keys = keys;
	desc->aggregate->is_time = meta_bool(from, "time");
	return true;
}

bool aggregate_fits(const struct desc *desc)
{
	const struct field *last = desc->nr_fields ? &desc->fields[desc->nr_fields - 1] : NULL;

	if (!desc->aggregate || !aggregate_has_value(desc->aggregate))
		return true;
	return last && last->kind == FIELD_INT && last->bytes == 8;
}

/* ------------------------------------------------------------------ device */

struct kt_aggregate_req aggregate_request(const struct desc *desc)
{
	const struct desc_aggregate *aggregate = desc->aggregate;
	struct kt_aggregate_req req = {
		.kind = aggregate->kind, .keys = aggregate->keys, .key_bytes = desc_payload(desc), .value_bit = KT_AGG_READABLE,
		.low = aggregate->low, .step = aggregate->step, .buckets = aggregate->buckets,
	};
	const struct field *value;

	if (!aggregate_has_value(aggregate))
		return req;
	value = &desc->fields[desc->nr_fields - 1];
	req.key_bytes -= sizeof(uint64_t);
	req.flags = value->is_signed ? KT_AGGREGATE_SIGNED : 0;
	if (value->fault_bit >= 0)
		req.value_bit = value->fault_bit;
	return req;
}

static bool same_field(const struct field *a, const struct field *b)
{
	return a->kind == b->kind && a->bytes == b->bytes && a->length == b->length && a->is_signed == b->is_signed &&
	       a->fault_bit == b->fault_bit && !strcmp(a->name, b->name);
}

bool aggregate_same(const struct desc *a, const struct desc *b)
{
	bool same = a->aggregate && b->aggregate && a->nr_fields == b->nr_fields && a->has_faults == b->has_faults;

	for (size_t i = 0; same && i < a->nr_fields; i++)
		same = same_field(&a->fields[i], &b->fields[i]);
	return same;
}

static bool read_some(struct device *dev, uint32_t id, bool clear, struct aggregate_data *out, struct kt_aggregate_get *req,
		      bool *found, struct error *err)
{
	*req = (struct kt_aggregate_get){
		.flags = clear ? KT_AGGREGATE_CLEAR : 0, .id = id, .entries = (uintptr_t)out->entries, .room = req->room,
	};
	return device_aggregate_get(dev, req, found, err);
}

bool aggregate_read(struct device *dev, uint32_t id, const struct desc *desc, bool clear, struct aggregate_data *out,
		    bool *found, struct error *err)
{
	struct kt_aggregate_get req = { 0 };

	*out = (struct aggregate_data){ 0 };
	/* The first call tells the size.  Only what is written takes memory. */
	if (!read_some(dev, id, clear, out, &req, found, err))
		return false;
	if (!*found)
		return true;
	out->entries = malloc(req.bytes);
	if (!out->entries)
		return error_set(err, STATUS_FAILURE, "not enough memory to read what was counted");
	req.room = req.bytes;
	if (!read_some(dev, id, clear, out, &req, found, err)) {
		aggregate_data_free(out);
		return false;
	}
	out->n = req.nr;
	out->words = req.entry_bytes / sizeof(uint64_t);
	out->key_words = (aggregate_request(desc).key_bytes + 7) / 8;
	out->lost = req.lost;
	out->unreadable = req.unreadable;
	out->began = req.began;
	return true;
}

void aggregate_data_free(struct aggregate_data *data)
{
	free(data->entries);
	*data = (struct aggregate_data){ 0 };
}
