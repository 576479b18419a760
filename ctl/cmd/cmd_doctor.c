// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_doctor.c - doctor: what this machine supports and what is missing, on one screen. */
#include <langinfo.h>
#include <string.h>

#include "ctl/base/sheet/sheet.h"
#include "ctl/cmd/command.h"
#include "ctl/show/doctor/doctor.h"

static void say_data(const struct session *s, const struct diagnosis *all)
{
	AUTO_SHEET struct sheet sheet = { .key = "doctor" };
	struct sheet checks = diagnosis_sheet(all);

	if (s->format == PRINT_CSV)
		sheet_csv(&checks, s->out);
	sheet_row(&sheet);
	cell_boolean(&sheet, "works", NULL, !all->count[DOCTOR_MISSING]);
	cell_sheet(&sheet, &checks);
	if (s->format == PRINT_JSON)
		sheet_write(&sheet, s->format, s->out, false);
}

bool cmd_doctor(struct session *s, const struct words *words, struct error *err)
{
	struct diagnosis all;

	diagnosis_make(&all, s);
	if (s->format == PRINT_TEXT)
		diagnosis_print(&all, s->out, s->colour, strcmp(nl_langinfo(CODESET), "UTF-8"));
	else
		say_data(s, &all);
	diagnosis_free(&all);
	return !all.count[DOCTOR_MISSING] ||
	       error_set(err, STATUS_FAILURE, "tracing does not work here yet (%s): install or change what is missing", all.missing);
}
