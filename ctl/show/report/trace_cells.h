/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_cells.h - add the figures of a recording to a table. */
#ifndef KTRACE_TRACE_CELLS_H
#define KTRACE_TRACE_CELLS_H

#include "ctl/show/report/trace_report.h"

static inline void add_if(struct sheet *sheet, bool known, double number)
{
	if (known)
		sheet_number(sheet, number);
	else
		sheet_unknown(sheet);
}

static inline void add_percentile(const struct trace_report *r, struct sheet *sheet, const struct samples *s, const char *name)
{
	double ns = 0;
	const bool known = trace_percentile(r, s, name, &ns);

	if (known || !s->count)
		add_if(sheet, known, ns);
	else
		sheet_few(sheet);
}

static inline double ns_of(const struct trace_report *r, uint64_t ticks)
{
	return ticks * r->ns_per_tick;
}

static inline void add_mean(const struct trace_report *r, struct sheet *sheet, uint64_t sum, uint64_t count)
{
	add_if(sheet, count, count ? ns_of(r, sum) / count : 0);
}

static inline void add_max(const struct trace_report *r, struct sheet *sheet, const struct spans *t)
{
	add_if(sheet, t->count, ns_of(r, t->max));
}

static inline void spans_merge(struct spans *to, const struct spans *from)
{
	to->count += from->count;
	to->sum += from->sum;
	if (from->max > to->max)
		to->max = from->max;
}

#endif
