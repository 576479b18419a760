/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols_file.h - the kernel's symbols in a saved trace: a frame of zstd, which symtab_load() reads. */
#ifndef KTRACE_SYMBOLS_FILE_H
#define KTRACE_SYMBOLS_FILE_H

#include <stdbool.h>

#include "ctl/base/error.h"

/* Write SAVE_SYMBOLS of the trace in `dir`.  from: a file in the format of /proc/kallsyms, or another SAVE_SYMBOLS. */
bool symbols_file_put(const char *dir, const char *from, struct error *err);

#endif
