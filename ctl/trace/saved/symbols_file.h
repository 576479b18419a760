/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols_file.h - the kernel's symbols in a saved trace: a frame of zstd, which symtab_load() reads. */
#ifndef KTRACE_SYMBOLS_FILE_H
#define KTRACE_SYMBOLS_FILE_H

#include <stdbool.h>

#include "ctl/base/error.h"
#include "symbols/symtab/symbols.h"

struct trace_info;

struct symbols_source {
	const struct symtab *tab;
	const char *path;	/* tab NULL: another SAVE_SYMBOLS, as it is */
	struct trace_info *info;	/* of the trace in the directory, if it is at hand */
	bool reduce;		/* leave out what the packets in the directory cannot refer to; they are complete */
	bool only_code;		/* where a large trace is not looked at: leave out symbols of data */
};

/* Write SAVE_SYMBOLS of the trace in `dir`. */
bool symbols_file_put(const char *dir, const struct symbols_source *from, struct error *err);

#endif
