/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * save.h - snapshots into a directory: packets as the ring has them, cut to what the snapshot holds,
 * with CTF metadata and what ktrace itself needs (docs/saved.md).
 *
 * All is written to DIR.part, which takes DIR's place at the end: whatever goes wrong, what was
 * there before stays as it was.
 */
#ifndef KTRACE_SAVE_H
#define KTRACE_SAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "ctl/base/error.h"
#include "ctl/records/reader.h"

struct save;

struct save_totals {
	uint64_t records, lost, bytes;
};

/*
 * A directory that is there must be empty or hold a saved trace, which is then replaced.
 * NULL with err set.
 */
struct save *save_create(const char *dir, struct device *dev, struct error *err);
/* The trace of a killed ktrace that was in the way: its new name; NULL where there was none. */
const char *save_moved(const struct save *save);

/*
 * Write what the snapshot holds, and the descriptors that it brings.  It counts with save_keep();
 * save_undo() takes all since the last one out again, as where it could not be cleared, or after a failure.
 */
bool save_snapshot(struct save *save, const struct snapshot *snap, struct error *err);
bool save_describe(struct save *save, struct error *err);
void save_keep(struct save *save);
void save_undo(struct save *save);

/* What was kept; does any of it want symbols to be printed? */
struct save_totals save_totals(const struct save *save);
bool save_wants_symbols(const struct save *save);

/*
 * Put what was kept in place; symbols (a file as /proc/kallsyms) may be NULL.  Frees it in any case.
 * Where that fails nothing is left behind, unless what was kept is nowhere else (cleared).
 */
bool save_finish(struct save *save, const char *symbols, bool cleared, struct error *err);
/* Leave nothing behind. */
void save_abandon(struct save *save);

#endif
