/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slowest.h - details of a measurement: the slowest calls, which are recorded; groups by their key. */
#ifndef KTRACE_SLOWEST_H
#define KTRACE_SLOWEST_H

#include "ctl/measure/live.h"

struct slowest;

/* So many are kept. */
struct slowest *slowest_create(size_t most);
void slowest_free(struct slowest *slowest);

/* Records count from here on. */
bool slowest_begin(struct session *s, struct slowest *slowest, struct error *err);
/* Look through what was recorded since, by the plans from `first` on: each begins with the time that the call took. */
bool slowest_round(struct slowest *slowest, const struct live *live, size_t first, struct error *err);
/* Those that are left, in order. */
bool slowest_take(struct session *s, struct slowest *slowest, const struct live *live, size_t first,
		  struct measurement *m, struct error *err);

/* What a record holds, of the text that it is printed as alone; to be freed, NULL: nothing. */
char *record_data(const char *text);

/* All groups that have samples, whose key is what that field recorded. */
bool groups_read(struct session *s, const struct live *live, const struct field *key, struct measurement *m,
		 struct error *err);

#endif
