/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * save.h - save snapshots to a directory: packets in the layout of the ring, cut to the contents of the
 * snapshot, with CTF metadata and the data that ktrace itself needs (docs/saved.md).
 *
 * It writes to DIR.part, which replaces DIR at the end: after any failure DIR is unchanged.
 */
#ifndef KTRACE_SAVE_H
#define KTRACE_SAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "ctl/base/error.h"
#include "ctl/base/progress.h"
#include "ctl/trace/reader/reader.h"

struct save;
struct symtab;

struct save_totals {
	uint64_t records, lost, bytes;
};

/* A directory that exists must be empty or contain a saved trace, which will be replaced.  NULL: err is set. */
struct save *save_create(const char *dir, struct device *dev, struct error *err);
/* The new name of a trace that a killed ktrace had left in the way.  NULL: there was none. */
const char *save_moved(const struct save *save);

/* Show on this line how much of a snapshot is written.  It must live until the last one is. */
void save_show(struct save *save, struct progress_line *line);

/*
 * Write the records and the new descriptors of the snapshot.  save_keep() makes them count.  save_undo()
 * removes everything since the last save_keep(), for example when the snapshot could not be cleared, or after a
 * failure.
 */
bool save_snapshot(struct save *save, const struct snapshot *snap, struct error *err);
bool save_describe(struct save *save, struct error *err);
void save_keep(struct save *save);
void save_undo(struct save *save);

/* Totals of what was kept.  Does any of it need symbols when it is printed? */
struct save_totals save_totals(const struct save *save);
bool save_wants_symbols(const struct save *save);

/*
 * Put what was kept in place.  symbols may be NULL.  save is freed in any case.  On failure nothing is left behind,
 * unless the records were cleared and exist nowhere else.
 */
bool save_finish(struct save *save, const struct symtab *symbols, bool cleared, struct error *err);
/* Remove everything that was written, and free save. */
void save_abandon(struct save *save);

#endif
