// SPDX-License-Identifier: GPL-2.0-or-later
/* reach.c - tracepoints that recorded nothing: were they reached?  See reach.h. */
#include "ctl/live/measure/reach.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/device/site.h"
#include "ctl/base/memory.h"

/* The options that leave hits out begin with these. */
static const char *const filters[] = { "IF", "ONLY", "NOT", "EVERY", "CALLER" };

static bool is_filter(const char *option)
{
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++)
		if (!strncmp(option, filters[i], strlen(filters[i])))
			return true;
	return false;
}

const char *reach_filter(const struct requests *typed)
{
	for (size_t i = 0; i < typed->n; i++)
		for (size_t k = 0; k < typed->v[i].nr_uses; k++)
			if (is_filter(typed->v[i].uses[k].option->name))
				return typed->v[i].uses[k].option->name;
	return NULL;
}

bool reach_read(struct session *s, const char *filter, const struct plan_ids *ids, struct reach *out, struct error *err)
{
	AUTO_SITES struct sites sites = { 0 };
	struct kt_status status;

	*out = (struct reach){ .filter = filter };
	if (!sites_load(&s->dev, &sites, err) || !device_status(&s->dev, &status, NULL, err))
		return false;
	out->frozen = status.frozen;
	for (size_t i = 0; i < sites.n; i++) {
		if (plan_ids_find(ids, sites.v[i].id) == PLAN_NONE)
			continue;
		out->hits += sites.v[i].hits;
		out->braked += sites.v[i].braked;
	}
	return true;
}

bool reach_explain(const struct reach *reach, const char *name, const struct oneshot *o, struct error *err)
{
	AUTO_FREE char *by = oneshot_measured(o);
	AUTO_FREE char *times = reach->hits == 1 ? mem_strdup("once") : mem_printf("%" PRIu64 " times", reach->hits);

	if (!reach->hits)
		return false;
	if (reach->frozen)
		error_set(err, STATUS_NEVER, "%s was reached %s while recording was stopped: 'unfreeze' starts it", name, times);
	else if (reach->braked)
		error_set(err, STATUS_NEVER, "%s was reached %s, and the brake turned hits away ('man ktrace' tells how to change it)", name,
			  times);
	else if (reach->filter && by)
		error_set(err, STATUS_NEVER, "%s was reached %s, all left out: by %s, or in tasks other than those of %s", name, times,
			  reach->filter, by);
	else if (reach->filter)
		error_set(err, STATUS_NEVER, "%s was reached %s, all left out by %s", name, times, reach->filter);
	else if (by)
		error_set(err, STATUS_NEVER, "%s was never reached by %s, but %s by other tasks", name, by, times);
	else
		error_set(err, STATUS_NEVER, "%s was reached %s, only by ktrace itself: SELF records that", name, times);
	return true;
}
