// SPDX-License-Identifier: GPL-2.0-or-later
/* frozen.c - see frozen.h. */
#include "ctl/live/session/frozen.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl/base/device/clockmap.h"
#include "ctl/base/device/desc.h"
#include "ctl/base/memory.h"

#define NS_PER_S	1000000000LL

char *frozen_by(struct session *s, const struct kt_status *status)
{
	AUTO_FREE struct kt_desc_req *blob = NULL;
	uint64_t addr, born;
	struct desc *desc;
	char *name;
	size_t len;

	if (!status->frozen_by || !device_desc(&s->dev, status->frozen_by, &blob, &len, &addr, &born, NULL) || !blob ||
	    !(desc = desc_decode(blob, len, NULL)))
		return NULL;
	name = mem_strdup(desc->name);
	desc_free(desc);
	return name;
}

int64_t frozen_wall_ns(struct session *s, const struct kt_status *status)
{
	AUTO_FREE struct kt_anchor *anchors = NULL;
	struct kt_clock clock;
	struct clockmap *map;
	int64_t ns;

	if (!status->frozen || !device_clock(&s->dev, &clock, &anchors, NULL))
		return 0;
	map = clockmap_create(&clock, anchors);
	ns = clockmap_wall_ns(map, status->frozen_at);
	clockmap_free(map);
	return ns;
}

/* "14:03:11.482913207", with the date before it if that is not today. */
static void put_time(int64_t ns, char *out, size_t size)
{
	const time_t today = time(NULL), seconds = ns / NS_PER_S;
	struct tm tm, now;
	size_t n;

	localtime_r(&seconds, &tm);
	localtime_r(&today, &now);
	n = strftime(out, size, tm.tm_yday == now.tm_yday && tm.tm_year == now.tm_year ? "%H:%M:%S" : "%F %H:%M:%S", &tm);
	snprintf(out + n, size - n, ".%09lld", (long long)(ns % NS_PER_S));
}

char *frozen_since(struct session *s, const struct kt_status *status)
{
	AUTO_FREE char *name = frozen_by(s, status);
	const int64_t ns = frozen_wall_ns(s, status);
	char when[64];

	if (!ns)
		return mem_strdup("");
	put_time(ns, when, sizeof(when));
	return mem_printf("since %s by %s", when, name ? name : status->frozen_by ? "a tracepoint that was deleted" : "'freeze'");
}
