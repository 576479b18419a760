/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spool.h - records that are kept until a measurement ends, however many: in a file without a name. */
#ifndef KTRACE_SPOOL_H
#define KTRACE_SPOOL_H

#include "ctl/base/error.h"
#include "ctl/records/reader.h"

struct spool;

struct spool *spool_create(struct error *err);
void spool_free(struct spool *spool);

/* which: the caller's name for the record's descriptor; of lost notices it means nothing. */
bool spool_add(struct spool *spool, const struct record *record, uint32_t which, struct error *err);
bool spool_rewind(struct spool *spool, struct error *err);
/* The next one, without its descriptor, valid until the next call; false at the end. */
bool spool_next(struct spool *spool, struct record *out, uint32_t *which);

#endif
