/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk.h - move the packets of a recording to a directory while it goes on.
 *
 * The rings are in KT_MODE_DISCARD.  Each complete packet is written straight from the mapped ring, by write(2), and
 * released when the write has returned: nothing is copied in user space, and what the disk is too slow for is
 * discarded and counted by the module.  If the packets are to be compressed, that is done from the ring into a buffer,
 * and the buffer is written.  The directory is a saved trace (docs/saved.md) at any time: a recorder that is
 * killed leaves all packets that it has written.
 */
#ifndef KTRACE_DISK_H
#define KTRACE_DISK_H

#include <stdbool.h>
#include <stdint.h>

#include "ctl/base/device/desc.h"
#include "ctl/base/device/device.h"
#include "ctl/base/error.h"
#include "ctl/base/progress.h"

struct disk;
struct symbols_source;
struct trace_form;

struct disk_totals {
	uint64_t records, lost, bytes;
	uint64_t state_bytes;		/* of bytes, for the state of the system */
	uint64_t braked;		/* hits that the module's brake turned away; they are not among those lost */
	uint32_t off;			/* tracepoints that the brake has switched off */
};

/*
 * Make the directory, which must not exist or be empty.  dev has the rings of the recording, in KT_MODE_DISCARD; it
 * stays the caller's.  NULL: err is set, nothing is left.
 */
struct disk *disk_create(const char *dir, struct device *dev, struct error *err);

/* A descriptor of the recording, with its id; known before its first record is written.  planned: see trace_info_learn(). */
bool disk_add(struct disk *disk, uint32_t id, const struct desc *planned, struct error *err);
/*
 * Write the description: call this when all descriptors are known.  with_state: add those of the state of the system,
 * for disk_state().
 */
bool disk_describe(struct disk *disk, bool with_state, struct error *err);

/*
 * Write the state of the system; as disk_round() meanwhile, and line says what lasts.  False: as disk_round().  Where the state cannot be read,
 * why->text says why, else it is empty.
 */
bool disk_state(struct disk *disk, struct progress_line *line, struct error *why, struct error *err);

/* Write and release the packets that are complete.  False: the disk is full, for instance; what is there is whole. */
bool disk_round(struct disk *disk, struct error *err);

/*
 * No tracepoint of the recording is set any more: write the rest, and complete the description.  symbols:
 * for a trace that needs them (disk_wants_symbols()), else NULL.
 */
bool disk_finish(struct disk *disk, const struct symbols_source *symbols, struct error *err);

/* So many of its tracepoints were switched off by the brake.  Before disk_finish(). */
void disk_switched_off(struct disk *disk, uint32_t off);

struct disk_totals disk_totals(const struct disk *disk);
/* Records that are not in the directory and are not counted there as lost, as of now. */
uint64_t disk_unwritten(const struct disk *disk);
/* The recording has only events of some tasks; text says which, and now belongs to disk.  Before disk_describe(). */
void disk_confine(struct disk *disk, char *text);
/* How the files are written; before disk_describe(), otherwise in the usual form. */
void disk_form(struct disk *disk, const struct trace_form *form);
/* Does the trace need symbols when it is printed? */
bool disk_wants_symbols(const struct disk *disk);

/* Free it; what was written stays.  NULL is allowed. */
void disk_free(struct disk *disk);
/* Remove what was written, and free it. */
void disk_abandon(struct disk *disk);

#endif
