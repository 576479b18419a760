// SPDX-License-Identifier: GPL-2.0-or-later
/* groups.c - see groups.h. */
#include "ctl/live/measure/groups.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/live/aggregate/counted.h"

static int by_count(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->samples.count > y->samples.count ? -1 : x->samples.count < y->samples.count;
}

static int by_total(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->samples.sum > y->samples.sum ? -1 : x->samples.sum < y->samples.sum ? 1 : by_count(a, b);
}

static bool read_group(struct session *s, const struct live *live, const struct desc *desc, const struct field *key, uint32_t i,
		       struct measurement *m, struct error *err)
{
	uint8_t bytes[KT_MAX_KEY];
	struct group *group;
	struct samples samples = { .buckets = NULL };
	bool found;

	if (!live_samples(s, live, i, true, &samples, bytes, &found, err))
		return false;
	/* The filter turned down all calls of this group. */
	if (!found || !samples.count) {
		free(samples.buckets);
		return true;
	}
	m->groups = MEM_MORE(m->groups, m->nr_groups);
	group = &m->groups[m->nr_groups++];
	*group = (struct group){ counted_field_text(s, desc, key, bytes, sizeof(bytes)), 0, samples };
	memcpy(&group->value, bytes, sizeof(group->value));
	return true;
}

static void sort(struct measurement *m, int (*order)(const void *a, const void *b))
{
	if (m->nr_groups)
		qsort(m->groups, m->nr_groups, sizeof(*m->groups), order);
}

bool groups_read(struct session *s, const struct live *live, const struct desc *desc, const struct field *key, struct measurement *m,
		 struct error *err)
{
	bool found;

	for (uint32_t i = 0; i < live->req.groups; i++)
		if (!read_group(s, live, desc, key, i, m, err))
			return false;
	sort(m, by_count);
	return live_samples(s, live, KT_TALLY_OTHERS, true, &m->others, NULL, &found, err);
}

void groups_by_total(struct measurement *m)
{
	sort(m, by_total);
}
