/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.h - from the rings to records, merged over all CPUs in time order.
 *
 * A snapshot copies what every CPU's ring holds beyond its seen position, by
 * the reading protocol of core/ring.h: what may have been overwritten
 * meanwhile is not in the snapshot and is counted as lost; what is being
 * written at this moment is left for the next one.
 */
#ifndef KTRACE_READER_H
#define KTRACE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/base/error.h"
#include "ctl/device/device.h"

struct desc;

struct record {
	enum { RECORD_HIT, RECORD_LOST } type;
	uint32_t cpu;
	uint64_t ticks;
	/* RECORD_HIT */
	const struct desc *desc;	/* valid until the snapshot is freed */
	const uint8_t *payload;
	size_t payload_len;
	uint64_t count;			/* its number on its CPU */
	/* RECORD_LOST: lost on cpu before `ticks` */
	uint64_t lost;
	bool discarded;			/* never recorded, as opposed to overwritten unread */
};

struct snapshot;

/* Map the rings of a device that has said hello. */
struct reader *reader_create(struct device *dev, struct error *err);
void reader_destroy(struct reader *reader);

/*
 * From now on it has a position of its own, which begins here: what it clears is still there for others, who do not
 * make it stale.  In KT_MODE_DISCARD the rings have no room for more until somebody clears them for all.
 */
bool reader_private(struct reader *reader, struct error *err);

/* Copy what is there now.  NULL with err set on failure. */
struct snapshot *reader_snapshot(struct reader *reader, struct error *err);
void snapshot_free(struct snapshot *snap);

size_t snapshot_count(const struct snapshot *snap);	/* records and lost notices */
const struct record *snapshot_at(const struct snapshot *snap, size_t i);

/*
 * Mark exactly what the snapshot holds as seen (printclear, follow).  False
 * with err set when another controller cleared it meanwhile (nothing changes).
 */
bool snapshot_clear(struct reader *reader, struct snapshot *snap, struct error *err);

/* The same for its first n records and lost notices; more of them may be cleared later. */
bool snapshot_clear_first(struct reader *reader, struct snapshot *snap, size_t n,
			  struct error *err);

/* Did clearing fail for that reason? */
bool snapshot_stale(const struct snapshot *snap);

/* Records taken and discarded up to and including this snapshot: for device_wait(). */
uint64_t snapshot_total(const struct snapshot *snap);

#endif
