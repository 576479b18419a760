/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_file.h - keep any number of records until a measurement ends, in a file without a name. */
#ifndef KTRACE_RECORD_FILE_H
#define KTRACE_RECORD_FILE_H

#include "ctl/base/error.h"
#include "ctl/trace/reader/reader.h"

struct record_file;

struct record_file *record_file_create(struct error *err);
void record_file_free(struct record_file *kept);

/* which: the caller's number for the record's descriptor; unused for lost notices. */
bool record_file_add(struct record_file *kept, const struct record *record, uint32_t which, struct error *err);
bool record_file_rewind(struct record_file *kept, struct error *err);
/* The next record, without its descriptor; valid until the next call.  False: the end. */
bool record_file_next(struct record_file *kept, struct record *out, uint32_t *which);

#endif
