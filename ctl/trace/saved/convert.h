/* SPDX-License-Identifier: GPL-2.0-or-later */
/* convert.h - a copy of a saved trace, for other readers. */
#ifndef KTRACE_CONVERT_H
#define KTRACE_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/base/error.h"
#include "ctl/base/progress.h"

/* What was copied. */
struct convert_totals {
	uint64_t records;	/* without those of the state of the system */
	uint64_t lost;		/* records that `from` has lost */
	uint64_t bytes;		/* of all files of the copy */
};

/*
 * Write a copy of the saved trace or recording `from`.  Its packets are not compressed.  Its metadata is that of CTF 1.8
 * or 2: ctf_version is 1 or 2.
 * `to` must not exist or be empty; it becomes a directory with mode 0700.  Packets that a killed recorder has cut off
 * are left out.  The records, the losses and the symbols are those of `from`.
 *
 * line shows how much is done; NULL: nothing is shown.
 * False: err is set, and nothing is left of `to`.  Ctrl-C does that, too.
 */
bool save_convert(const char *from, const char *to, unsigned int ctf_version, struct progress_line *line,
		  struct convert_totals *totals, struct error *err);

/*
 * The same for a series: `parts` are the directories of its nr parts.  `to` becomes a series whose parts have the same
 * numbers.  Records of the moment when one part follows another are in both, as in the series itself.
 */
bool save_convert_series(char *const *parts, size_t nr, const char *to, unsigned int ctf_version,
			 struct progress_line *line, struct convert_totals *totals, struct error *err);

#endif
