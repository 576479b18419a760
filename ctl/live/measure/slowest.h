/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slowest.h - details of a measurement: the recorded slowest calls. */
#ifndef KTRACE_SLOWEST_H
#define KTRACE_SLOWEST_H

#include "ctl/live/measure/live.h"

struct slowest;

/* Keep at most that many calls. */
struct slowest *slowest_create(size_t most);
void slowest_free(struct slowest *slowest);

/* Start with the records from now on. */
bool slowest_begin(struct session *s, struct slowest *slowest, struct error *err);
/* Examine the new records of the plans from `first` on.  Each record begins with the duration of its call. */
bool slowest_round(struct slowest *slowest, const struct live *live, size_t first, struct error *err);
/* Move the slowest calls to *m, in order. */
bool slowest_take(struct session *s, struct slowest *slowest, const struct live *live, size_t first,
		  struct measurement *m, struct error *err);

/* The data in the text of a single printed record.  NULL: none.  The caller frees it. */
char *record_data(const char *text);

#endif
