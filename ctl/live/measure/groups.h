/* SPDX-License-Identifier: GPL-2.0-or-later */
/* groups.h - the calls of a measurement by a key: for each value of it the samples. */
#ifndef KTRACE_GROUPS_H
#define KTRACE_GROUPS_H

#include "ctl/live/measure/live.h"

/* Read all groups with samples; `key` is the field of `desc` that recorded their key. */
bool groups_read(struct session *s, const struct live *live, const struct desc *desc, const struct field *key, struct measurement *m,
		 struct error *err);
/* Sort them: the largest total first, not the largest count. */
void groups_by_total(struct measurement *m);

#endif
