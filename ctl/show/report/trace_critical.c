// SPDX-License-Identifier: GPL-2.0-or-later
/* trace_critical.c - what a thread waited for, as a table. */
#include <stdlib.h>

#include "ctl/base/memory.h"
#include "ctl/show/report/trace_report.h"

const struct sheet_column critical_columns[CRITICAL_COLUMNS] = {
	{ "who", "of", CELL_TEXT }, { "doing", NULL, CELL_TEXT }, { NULL, "doing", CELL_TEXT },
	{ "time_ns", "%", CELL_SHARE },
	{ NULL, "total", CELL_TIME }, { "count", "times", CELL_NUMBER }, { "max_ns", "longest", CELL_TIME },
};

void trace_critical(const struct trace_report *r, struct sheet *sheet, enum report_by by)
{
	for (size_t i = 0; i < r->nr_parts; i++) {
		const struct critical_part *part = &r->parts[i];
		const double ns = part->time.sum * r->ns_per_tick;
		AUTO_FREE char *who = trace_agent_text(r->a, &part->who);

		sheet_format(sheet, "%s", who);
		sheet_text(sheet, part->doing == DOING_EITHER ? "running" : trace_doing_key(part->doing));
		sheet_text(sheet, part->doing == DOING_EITHER ? "runs" : trace_doing_text(part->doing));
		sheet_number(sheet, ns);
		sheet_number(sheet, ns);
		sheet_number(sheet, part->time.count);
		sheet_number(sheet, part->time.max * r->ns_per_tick);
	}
}
