// SPDX-License-Identifier: GPL-2.0-or-later
/* bars.c - see bars.h. */
#include "ctl/show/report/bars.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"

/* A range with a larger ratio is divided by factors, not evenly. */
#define EVEN_UP_TO	4
/* Narrower rows, relative to their value, would show the limits of the buckets. */
#define NARROWEST	0.033
/* In a range divided by factors, the first row has everything below this part of the longest value. */
#define DEEPEST		1e-7

/* Round numbers in a decade, from many to few. */
static const struct series {
	size_t n;
	double v[24];
} decades[] = {
	{ 24, { 1,   1.1, 1.2, 1.3, 1.5, 1.6, 1.8, 2,	2.2, 2.4, 2.7, 3,
		3.3, 3.6, 3.9, 4.3, 4.7, 5.1, 5.6, 6.2, 6.8, 7.5, 8.2, 9.1 } },
	{ 12, { 1, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6, 6.8, 8.2 } },
	{ 6, { 1, 1.5, 2, 3, 5, 7 } },
	{ 3, { 1, 2, 5 } },
	{ 2, { 1, 3 } },
	{ 1, { 1 } },
};

struct limits {
	double *v;		/* one more than there are rows */
	size_t n;
};

static void add_limit(struct limits *limits, double value)
{
	limits->v = MEM_MORE(limits->v, limits->n);
	limits->v[limits->n++] = value;
}

/* The next 1, 2 or 5 times a power of ten. */
static double round_up(double step)
{
	const double decade = pow(10, floor(log10(step)));
	const double part = step / decade;

	return decade * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static void divide_evenly(struct limits *limits, double low, double high, double least, size_t at_most)
{
	double step = round_up(fmax((high - low) / (at_most - 1), fmax(least, NARROWEST * high)));
	double first = floor(low / step) * step;

	for (size_t i = 0; !limits->n || limits->v[limits->n - 1] <= high; i++)
		add_limit(limits, first + i * step);
}

/* The limits of a series, from the last one not above low to the first one above high. */
static void divide_by_series(struct limits *limits, const struct series *series, double low, double high)
{
	double decade = pow(10, floor(log10(low)) - 1);

	limits->n = 0;
	for (size_t i = 0; !limits->n || limits->v[limits->n - 1] <= high; i++) {
		const double value = decade * pow(10, i / series->n) * series->v[i % series->n];

		if (limits->n == 1 && value <= low)
			limits->v[0] = value;
		else
			add_limit(limits, value);
	}
}

/* Keep the first and the last limit. */
static void drop_every_second(struct limits *limits)
{
	size_t n = 0;

	for (size_t i = 0; i < limits->n; i++)
		if (i % 2 == 0 || i + 1 == limits->n)
			limits->v[n++] = limits->v[i];
	limits->n = n;
}

static void divide_by_factors(struct limits *limits, double low, double high, size_t at_most)
{
	for (size_t i = 0; i < ARRAY_SIZE(decades); i++) {
		divide_by_series(limits, &decades[i], low, high);
		if (limits->n - 1 <= at_most)
			return;
	}
	while (limits->n - 1 > at_most)
		drop_every_second(limits);
}

/* ------------------------------------------------------------------ counts */

static size_t row_of(const struct bars *rows, double ns)
{
	size_t i = 0;

	while (i + 1 < rows->n && ns >= rows->v[i].to)
		i++;
	return i;
}

/* The value that represents a bucket, between the smallest and the largest sample. */
static double bucket_ns(const struct measurement *m, const struct samples *s, uint32_t bucket)
{
	double middle = kt_hist_low(bucket) + (kt_hist_width(bucket) - 1) / 2.0;

	if (bucket == KT_HIST_OVER || middle > s->max)
		middle = s->max;
	return measure_ns(m, middle < s->min ? s->min : middle);
}

static void count(struct bars *rows, const struct measurement *m, const struct samples *s)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < KT_HIST_BUCKETS; i++)
		if (s->buckets[i])
			rows->v[row_of(rows, bucket_ns(m, s, i))].count += s->buckets[i];
	for (size_t i = 0; i < rows->n; i++) {
		rows->v[i].up_to = sum += rows->v[i].count;
		if (rows->v[i].count > rows->most)
			rows->most = rows->v[i].count;
	}
}

struct bars bars_make(const struct measurement *m, const struct samples *s, size_t at_most)
{
	const double low = measure_ns(m, s->min), high = measure_ns(m, s->max);
	const double start = fmax(low, fmax(high * DEEPEST, m->ns_per_tick));
	struct limits limits = { 0 };
	struct bars rows = { 0 };

	if (!s->count || !s->buckets)
		return rows;
	rows.is_log = high > EVEN_UP_TO * start;
	if (rows.is_log)
		divide_by_factors(&limits, start, high, at_most);
	else
		divide_evenly(&limits, low, high, m->ns_per_tick, at_most);
	if (low < limits.v[0])
		limits.v[0] = 0;
	rows.n = limits.n - 1;
	rows.v = mem_zalloc(rows.n, sizeof(*rows.v));
	for (size_t i = 0; i < rows.n; i++)
		rows.v[i] = (struct bar){ .from = limits.v[i], .to = limits.v[i + 1] };
	free(limits.v);
	count(&rows, m, s);
	return rows;
}

void bars_free(struct bars *rows)
{
	free(rows->v);
	*rows = (struct bars){ 0 };
}
