// SPDX-License-Identifier: GPL-2.0-or-later
/* fields.c - see fields.h. */
#include "ctl/live/measure/fields.h"

#include <stddef.h>
#include <string.h>

#include "ctl/base/duration.h"

uint64_t measure_unpaired(const struct measurement *m)
{
	return m->overflow + m->abandoned + m->open + m->braked + m->spanned + m->unmatched +
	       m->unreadable[0] + m->unreadable[1];
}

uint64_t measure_count(const struct measurement *m)
{
	return m->kind == MEASURE_RECORDS ? m->entered : m->all.count;
}

static double get_count(const struct measurement *m)
{
	return measure_count(m);
}

static double get_lost(const struct measurement *m)
{
	return m->lost;
}

static double get_unpaired(const struct measurement *m)
{
	return measure_unpaired(m);
}

static double get_min(const struct measurement *m)
{
	return measure_ns(m, m->all.min);
}

static double get_max(const struct measurement *m)
{
	return measure_ns(m, m->all.max);
}

static double get_mean(const struct measurement *m)
{
	return measure_ns(m, samples_mean(&m->all));
}

static double get_confidence(const struct measurement *m)
{
	return measure_ns(m, samples_confidence(&m->all));
}

static double get_deviation(const struct measurement *m)
{
	return measure_ns(m, samples_deviation(&m->all));
}

static double get_total(const struct measurement *m)
{
	return measure_ns(m, m->all.sum);
}

#define PERCENTILE(name, part) \
	static double get_##name(const struct measurement *m) \
	{ \
		return measure_ns(m, samples_percentile(&m->all, part)); \
	}

PERCENTILE(p50, 0.5)
PERCENTILE(p90, 0.9)
PERCENTILE(p99, 0.99)
PERCENTILE(p99_9, 0.999)

/* A percentile needs ten samples beyond it. */
const struct measure_field measure_fields[] = {
	{ "count", "count", false, get_count, "calls measured; of run: records", false, 0 },
	{ "total", "total_ns", true, get_total, "sum of their times", false, 1 },
	{ "min", "min_ns", true, get_min, "the shortest", false, 1 },
	{ "mean", "mean_ns", true, get_mean, "arithmetic mean", false, 1 },
	{ "ci99", "mean_ci99_ns", true, get_confidence, "half of the mean's 99 % confidence interval", false, 2 },
	{ "stddev", "stddev_ns", true, get_deviation, "standard deviation", false, 2 },
	{ "p50", "p50_ns", true, get_p50, "median", true, 20 },
	{ "p90", "p90_ns", true, get_p90, "90 % took at most this time", true, 100 },
	{ "p99", "p99_ns", true, get_p99, "99 % took at most this time", true, 1000 },
	{ "p99.9", "p99_9_ns", true, get_p99_9, "99.9 % took at most this time", true, 10000 },
	{ "max", "max_ns", true, get_max, "the longest", false, 1 },
	{ "unpaired", "unpaired", false, get_unpaired, "calls of which only one end was seen", false, 0 },
	{ "lost", "lost", false, get_lost, "hits (run: records) that were lost", false, 0 },
	{ .name = NULL },
};

const char few_note[] = "-: too few for a percentile: p50 needs 20, p90 100, p99 1,000, p99.9 10,000";

const struct measure_field *measure_field_find(const char *name)
{
	for (const struct measure_field *field = measure_fields; field->name; field++)
		if (!strcmp(field->name, name))
			return field;
	return NULL;
}

bool measure_known(const struct measurement *m, const struct measure_field *field)
{
	if (m->all.is_count && field->is_time)
		return false;
	if (m->all.is_sum && field->is_time && field->get != get_total && field->get != get_mean)
		return false;
	return m->all.count >= field->least && (m->all.buckets || !field->of_histogram);
}

bool measure_few(const struct measurement *m, const struct measure_field *field)
{
	return field->of_histogram && m->all.buckets && m->all.count && m->all.count < field->least;
}

const char *measure_text(const struct measurement *m, const struct measure_field *field, char *text)
{
	if (measure_few(m, field))
		return "-";
	if (!measure_known(m, field))
		return "?";
	return field->is_time ? duration_text(field->get(m), text) : count_text(field->get(m), text);
}
