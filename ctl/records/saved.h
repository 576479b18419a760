/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * saved.h - a saved trace as a source of snapshots: each holds the next stretch of time, so that
 * a trace of any size needs little memory.  What is read is trusted in nothing.
 */
#ifndef KTRACE_SAVED_H
#define KTRACE_SAVED_H

#include <stdbool.h>

#include "ctl/base/error.h"
#include "ctl/records/reader.h"
#include "ctl/records/trace_info.h"

struct saved;

/* NULL with err set: it is not there, not a trace, or damaged. */
struct saved *saved_open(const char *dir, struct error *err);
void saved_close(struct saved *saved);

const struct trace_info *saved_info(const struct saved *saved);
/* The file of its symbols, which may not be there. */
const char *saved_symbols(const struct saved *saved);

/* From the beginning again. */
void saved_rewind(struct saved *saved);
/* *out is NULL behind the end. */
bool saved_next(struct saved *saved, struct snapshot **out, struct error *err);

#endif
