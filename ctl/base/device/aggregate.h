/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aggregate.h - tracepoints whose hits count in a table instead of writing records: their description, and what is read
 * of the table.
 */
#ifndef KTRACE_CTL_AGGREGATE_H
#define KTRACE_CTL_AGGREGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/ktrace_abi.h"
#include "ctl/base/error.h"

struct desc;
struct device;
struct json;
struct json_object;

/* A part of the descriptor.  The last field of the descriptor is the value, except of KT_AGG_COUNT; the others are the key. */
struct desc_aggregate {
	uint32_t kind;		/* enum kt_agg */
	bool is_time;		/* the value is a duration in ns */
	uint32_t keys;		/* room for that many */
	int64_t low;		/* KT_AGG_LHIST: see struct kt_aggregate_req */
	uint64_t step;
	uint32_t buckets;
};

/* "count", "sum", ...: the name of a kind in JSON, that of its option in lower case. */
const char *aggregate_kind(uint32_t kind);
static inline bool aggregate_has_value(const struct desc_aggregate *aggregate)
{
	return aggregate->kind != KT_AGG_COUNT;
}

static inline bool aggregate_is_histogram(const struct desc_aggregate *aggregate)
{
	return aggregate->kind == KT_AGG_HIST || aggregate->kind == KT_AGG_LHIST;
}

/* In the meta data: write it; read it into desc->aggregate, if it is there.  False: it is malformed. */
void aggregate_encode(struct json *j, const struct desc_aggregate *aggregate);
bool aggregate_decode(struct json_object *meta, struct desc *desc);
/* Is it possible with the fields of the descriptor? */
bool aggregate_fits(const struct desc *desc);

/* The request for the module. */
struct kt_aggregate_req aggregate_request(const struct desc *desc);
/* Can the hits of both descriptors count in one table, and be printed with either? */
bool aggregate_same(const struct desc *a, const struct desc *b);

/* The content of a table: entries as in struct kt_aggregate_get. */
struct aggregate_data {
	uint64_t *entries;
	size_t n;
	size_t words;		/* of an entry */
	size_t key_words;	/* of these, the key */
	uint64_t lost, unreadable, began;
};

/*
 * Read the table of a tracepoint with this descriptor, and empty it if `clear` is set.  *found: there is one.  Free the
 * data with aggregate_data_free().
 */
bool aggregate_read(struct device *dev, uint32_t id, const struct desc *desc, bool clear, struct aggregate_data *out,
		    bool *found, struct error *err);
void aggregate_data_free(struct aggregate_data *data);

#define AUTO_AGGREGATE_DATA __attribute__((cleanup(aggregate_data_free)))

#endif
