// SPDX-License-Identifier: GPL-2.0-or-later
/* trace_critical.c - what a thread waited for, as a table. */
#include <stdlib.h>

#include "ctl/base/memory.h"
#include "ctl/show/report/trace_cells.h"

static void add_critical(const struct trace_report *r, struct sheet *sheet, const struct critical_part *part)
{
	const bool either = part->doing == DOING_EITHER;
	AUTO_FREE char *who = trace_agent_text(r->a, &part->who);

	sheet_row(sheet);
	cell_text(sheet, "who", "of", who);
	cell_text(sheet, "doing", NULL, either ? "running" : trace_doing_key(part->doing));
	cell_text(sheet, NULL, "doing", either ? "runs" : trace_doing_text(part->doing));
	add_share(r, sheet, "time_ns", "%", part->time.sum);
	add_time(r, sheet, NULL, "total", part->time.sum);
	cell_number(sheet, "count", "times", part->time.count);
	add_time(r, sheet, "max_ns", "longest", part->time.max);
}

void trace_critical(const struct trace_report *r, struct sheet *sheet, enum report_by by)
{
	static const struct critical_part none = { .who = { .kind = AGENT_UNKNOWN } };

	for (size_t i = 0; i < r->nr_parts; i++)
		add_critical(r, sheet, &r->parts[i]);
	FILL_NONE(sheet, add_critical(r, sheet, &none));
}
