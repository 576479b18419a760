/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.h - read records from the rings, merged over all CPUs in time order.
 *
 * A snapshot copies the records of every ring behind its seen position, by the reading protocol of core/ring.h.
 * Records that were overwritten meanwhile are not in the snapshot and count as lost.  Records that are being
 * written now are left to the next snapshot.
 */
#ifndef KTRACE_READER_H
#define KTRACE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/base/device/device.h"
#include "ctl/base/error.h"

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
	/* RECORD_LOST: records lost on cpu before `ticks` */
	uint64_t lost;
	bool discarded;			/* true: never recorded; false: overwritten unread */
};

struct snapshot;

/* Map the rings of a device that has said hello. */
struct reader *reader_create(struct device *dev, struct error *err);
void reader_destroy(struct reader *reader);

/*
 * Give the reader a position of its own, which begins here: records that it clears stay available to other
 * readers, and they do not make it stale.  In KT_MODE_DISCARD the rings get no free room until some reader
 * clears records for all.
 */
bool reader_private(struct reader *reader, struct error *err);

/* Copy the present records.  NULL: err is set. */
struct snapshot *reader_snapshot(struct reader *reader, struct error *err);
void snapshot_free(struct snapshot *snap);

size_t snapshot_count(const struct snapshot *snap);	/* records and lost notices */
const struct record *snapshot_at(const struct snapshot *snap, size_t i);

/*
 * Mark exactly the contents of the snapshot as seen (printclear, follow).  False: another controller has
 * cleared them meanwhile; err is set and nothing changes.
 */
bool snapshot_clear(struct reader *reader, struct snapshot *snap, struct error *err);

/* The same for the first n records and lost notices; a later call can clear more of them. */
bool snapshot_clear_first(struct reader *reader, struct snapshot *snap, size_t n,
			  struct error *err);

/* Did clearing fail because another controller cleared meanwhile? */
bool snapshot_stale(const struct snapshot *snap);

/* Until when it has all records, in ticks: those of later snapshots are not earlier. */
uint64_t snapshot_until(const struct snapshot *snap);

/* Records taken and discarded up to the end of this snapshot: for device_wait(). */
uint64_t snapshot_total(const struct snapshot *snap);

#endif
