/* SPDX-License-Identifier: GPL-2.0-or-later */
/* convert.h - a copy of a saved trace, for other readers. */
#ifndef KTRACE_CONVERT_H
#define KTRACE_CONVERT_H

#include <stdbool.h>

#include "ctl/base/error.h"

/*
 * Write a copy of the saved trace or recording `from`.  Its packets are not compressed.  Its metadata is that of CTF 1.8
 * or 2: ctf_version is 1 or 2.
 * `to` must not exist or be empty; it becomes a directory with mode 0700.  Packets that a killed recorder has cut off
 * are left out.  The records, the losses and the symbols are those of `from`.
 *
 * False: err is set, and nothing is left of `to`.  Ctrl-C does that, too.
 */
bool save_convert(const char *from, const char *to, unsigned int ctf_version, struct error *err);

#endif
