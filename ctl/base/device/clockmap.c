// SPDX-License-Identifier: GPL-2.0-or-later
/* clockmap.c - convert ticks of records to wall-clock time and durations.  See clockmap.h. */
#include "ctl/base/device/clockmap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"

#define NS_PER_S	1000000000
#define LINE_ANCHORS	16	/* whose mean rate is that of a straight line */

struct clockmap {
	uint64_t ns_num, ns_den;
	struct clock_line line;	/* frequency 0: none */
	size_t nr;
	struct kt_anchor anchors[];
};

/* v * num / den, rounded to the nearest integer. */
static int64_t scale(int64_t v, uint64_t num, uint64_t den)
{
	__int128 product = (__int128)v * num;
	__int128 half = den / 2;

	return (product < 0 ? product - half : product + half) / (__int128)den;
}

struct clockmap *clockmap_create(const struct kt_clock *clock, const struct kt_anchor *anchors)
{
	struct clockmap *map = mem_zalloc(1, sizeof(*map) + clock->nr * sizeof(*anchors));

	map->ns_num = clock->ns_den ? clock->ns_num : 1;
	map->ns_den = clock->ns_den ? clock->ns_den : 1;
	map->nr = clock->nr;
	if (clock->nr)
		memcpy(map->anchors, anchors, clock->nr * sizeof(*anchors));
	return map;
}

void clockmap_free(struct clockmap *map)
{
	free(map);
}

int64_t clockmap_delta_ns(const struct clockmap *map, uint64_t from, uint64_t to)
{
	return scale((int64_t)(to - from), map->ns_num, map->ns_den);
}

/* The last anchor at or before ticks; the first one for earlier ticks. */
static size_t anchor_before(const struct clockmap *map, uint64_t ticks)
{
	size_t low = 1, high = map->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->anchors[middle].ticks <= ticks)
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1;
}

/*
 * Does the wall clock run evenly from anchor i to the next?  A step lies between them if the rate is off by
 * more than one thousandth, which is twice the largest slew of adjtime(2).
 */
static bool even(const struct clockmap *map, size_t i)
{
	const struct kt_anchor *a = &map->anchors[i];
	int64_t real, nominal;

	if (i + 1 >= map->nr || a[1].ticks <= a[0].ticks)
		return false;
	real = a[1].real_ns - a[0].real_ns;
	nominal = clockmap_delta_ns(map, a[0].ticks, a[1].ticks);
	return real > 0 && llabs(real - nominal) <= nominal / 1000;
}

/* ------------------------------------------------------------------------ a straight line */

/*
 * Cycles to ns, rounded down, in the floating point of babeltrace2 (bt_util_ns_from_value() in src/lib/trace-ir/utils.h).  Exact
 * integers would show another nanosecond where the true value is just below a whole one: for about one record in 200,000 two
 * minutes after the boot, for one in 200 a day after it.
 */
static int64_t line_ns(const struct clock_line *line, uint64_t cycles)
{
	if (line->frequency == NS_PER_S)
		return cycles;
	return 1e9 * (double)cycles / (double)line->frequency;
}

/* The first anchor from which the wall clock runs evenly to the last one. */
static size_t even_from(const struct clockmap *map)
{
	size_t i = map->nr - 1;

	while (i && even(map, i - 1))
		i--;
	return i;
}

static uint64_t rate(uint64_t ticks, uint64_t ns)
{
	return ((__uint128_t)ticks * NS_PER_S + ns / 2) / ns;
}

/* Of the newest anchors, where they are not too close together; else of the clock. */
static uint64_t line_frequency(const struct clockmap *map, size_t first)
{
	const struct kt_anchor *last = &map->anchors[map->nr - 1], *from = &map->anchors[first];

	if (map->nr - first > LINE_ANCHORS)
		from = last - LINE_ANCHORS;
	if (last->real_ns < from->real_ns + NS_PER_S)
		return rate(map->ns_den, map->ns_num);
	return rate(last->ticks - from->ticks, last->real_ns - from->real_ns);
}

static struct clock_line make_line(const struct clockmap *map)
{
	struct clock_line line = { .frequency = rate(map->ns_den, map->ns_num) };
	const struct kt_anchor *last = &map->anchors[map->nr - 1];
	size_t first;
	__int128 origin;

	if (!map->nr)
		return line;
	first = even_from(map);
	line.frequency = line_frequency(map, first);
	line.from = first ? map->anchors[first].ticks : 0;
	origin = (__int128)(last->real_ns / NS_PER_S) * line.frequency +
		 (__int128)(last->real_ns % NS_PER_S) * line.frequency / NS_PER_S - last->ticks;
	if (origin < 0)
		origin = 0;
	line.seconds = origin / line.frequency;
	line.cycles = origin % line.frequency;
	return line;
}

struct clock_line clockmap_line(const struct kt_clock *clock, const struct kt_anchor *anchors)
{
	struct clockmap *map = clockmap_create(clock, anchors);
	const struct clock_line line = make_line(map);

	clockmap_free(map);
	return line;
}

struct clockmap *clockmap_create_line(const struct kt_clock *clock, const struct kt_anchor *anchors)
{
	struct clockmap *map = clockmap_create(clock, anchors);

	map->line = make_line(map);
	return map;
}

/* As readers of CTF do it: each part is rounded down by itself. */
static int64_t wall_on_line(const struct clock_line *line, uint64_t ticks)
{
	return line->seconds * NS_PER_S + line_ns(line, line->cycles) + line_ns(line, ticks);
}

/* ------------------------------------------------------------------------ the anchors */

/*
 * Use the rate between the two anchors around ticks.  Behind the last anchor, use the rate of the last two, so
 * that a record keeps its time when the next anchor arrives.  Do not spread a step of the wall clock: records
 * before the next anchor keep the time before the step, at the clock's own rate.
 */
int64_t clockmap_wall_ns(const struct clockmap *map, uint64_t ticks)
{
	const struct kt_anchor *a, *rate;
	size_t i;

	if (map->line.frequency && ticks >= map->line.from)
		return wall_on_line(&map->line, ticks);
	if (!map->nr)
		return clockmap_delta_ns(map, 0, ticks);
	i = anchor_before(map, ticks);
	a = rate = &map->anchors[i];
	if (i && i + 1 == map->nr)
		rate--;
	if (ticks >= a->ticks && even(map, rate - map->anchors))
		return a->real_ns + scale(ticks - a->ticks, rate[1].real_ns - rate[0].real_ns,
					  rate[1].ticks - rate[0].ticks);
	return a->real_ns + clockmap_delta_ns(map, a->ticks, ticks);
}

bool clockmap_is_set_between(const struct clockmap *map, uint64_t from, uint64_t to)
{
	const uint64_t first = from < to ? from : to, last = from < to ? to : from;
	size_t i;

	if (!map->nr || (map->line.frequency && first >= map->line.from))
		return false;
	for (i = anchor_before(map, first); i < anchor_before(map, last); i++)
		if (!even(map, i))
			return true;
	return false;
}

int64_t clockmap_difference(const struct clockmap *map, const struct instant *from, const struct instant *to)
{
	if (!map->line.frequency || clockmap_is_set_between(map, from->ticks, to->ticks))
		return clockmap_delta_ns(map, from->ticks, to->ticks);
	return to->wall_ns - from->wall_ns;
}
