/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_cells.h - add the figures of a recording to a table. */
#ifndef KTRACE_TRACE_CELLS_H
#define KTRACE_TRACE_CELLS_H

#include "ctl/show/report/trace_report.h"

/* One column each: its key, its heading, its figure. */

static inline double ns_of(const struct trace_report *r, uint64_t ticks)
{
	return ticks * r->ns_per_tick;
}

static inline void add_time(const struct trace_report *r, struct sheet *sheet, const char *key, const char *heading, uint64_t ticks)
{
	cell_time(sheet, key, heading, ns_of(r, ticks));
}

static inline struct cell *add_share(const struct trace_report *r, struct sheet *sheet, const char *key, const char *heading, uint64_t ticks)
{
	return cell_double(sheet, CELL_SHARE, key, heading, ns_of(r, ticks));
}

static inline void add_percentile(const struct trace_report *r, struct sheet *sheet, const char *key, const char *heading,
				  const struct samples *s)
{
	double ns = 0;
	const bool known = trace_percentile(r, s, heading, &ns);
	struct cell *cell = cell_time(sheet, key, heading, ns);

	cell->known = known;
	cell->few = !known && s->count;
}

static inline void add_mean(const struct trace_report *r, struct sheet *sheet, const char *key, const char *heading, uint64_t sum,
			    uint64_t count)
{
	cell_time(sheet, key, heading, count ? ns_of(r, sum) / count : 0)->known = count;
}

static inline void add_max(const struct trace_report *r, struct sheet *sheet, const char *key, const char *heading, uint64_t max,
			   uint64_t count)
{
	cell_time(sheet, key, heading, ns_of(r, max))->known = count;
}

/* A sheet without rows has its headings, too. */
#define FILL_NONE(sheet, add_row) \
	do { \
		if (!sheet_rows(sheet)) { \
			add_row; \
			(sheet)->nr_cells = 0; \
		} \
	} while (0)

static inline void spans_merge(struct spans *to, const struct spans *from)
{
	to->count += from->count;
	to->sum += from->sum;
	if (from->max > to->max)
		to->max = from->max;
}

#endif
