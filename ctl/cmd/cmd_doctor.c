// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_doctor.c - doctor: what this machine supports and what is missing, on one screen. */
#include <langinfo.h>
#include <string.h>
#include <sys/utsname.h>

#include "ctl/base/escape.h"
#include "ctl/base/memory.h"
#include "ctl/base/sheet/sheet.h"
#include "ctl/base/style.h"
#include "ctl/cmd/command.h"
#include "ctl/show/doctor/doctor.h"

#define NAME_WIDTH	13

/* The presentation of a result. */
static const struct look {
	const char *name;	/* in JSON, and on terminals without the marks */
	const char *mark;
	enum style style;
} looks[DOCTOR_RESULTS] = {
	[DOCTOR_OK] = { "ok", "✓", STYLE_GOOD },
	[DOCTOR_WARNING] = { "warning", "!", STYLE_WARNING },
	[DOCTOR_MISSING] = { "missing", "✗", STYLE_BAD },
	[DOCTOR_UNKNOWN] = { "unknown", "?", STYLE_DIM },
};

struct diagnosis {
	struct finding *findings;	/* one for each check */
	size_t count[DOCTOR_RESULTS];
	char missing[256];		/* names of the missing checks */
};

static void add(struct diagnosis *all, const char *name, const struct finding *finding)
{
	size_t at = strlen(all->missing);

	all->count[finding->result]++;
	if (finding->result == DOCTOR_MISSING)
		snprintf(all->missing + at, sizeof(all->missing) - at, "%s%s", at ? ", " : "", name);
}

static void examine(struct doctor *d, struct diagnosis *all)
{
	for (size_t i = 0; doctor_checks[i].name; i++) {
		all->findings = MEM_MORE(all->findings, i);
		all->findings[i] = (struct finding){ .result = DOCTOR_OK };
		doctor_checks[i].look(d, &all->findings[i]);
		add(all, doctor_checks[i].name, &all->findings[i]);
	}
}

/* -------------------------------------------------------------------- text */

static void say_finding(const struct session *s, const char *name, const struct finding *finding, bool ascii)
{
	const struct look *look = &looks[finding->result];
	const int indent = (ascii ? 9 : 2) + NAME_WIDTH;

	style_put(s->out, s->colour, look->style, ascii ? look->name : look->mark, 0);
	fprintf(s->out, "%*s", ascii ? 9 - (int)strlen(look->name) : 1, "");
	style_put(s->out, s->colour, STYLE_NAME, name, NAME_WIDTH);
	fprintf(s->out, "%s\n", escape_shown(finding->value));
	if (finding->mend[0])
		fprintf(s->out, "%*s%s %s\n", indent, "", ascii ? "->" : "→", finding->mend);
	if (finding->cost[0])
		fprintf(s->out, "%*s%s\n", indent + (ascii ? 3 : 2), "", finding->cost);
	if (finding->without[0])
		fprintf(s->out, "%*swithout it: %s\n", indent + (ascii ? 3 : 2), "", finding->without);
}

static void say(const struct session *s, const struct diagnosis *all)
{
	const bool ascii = strcmp(nl_langinfo(CODESET), "UTF-8");
	const size_t warnings = all->count[DOCTOR_WARNING];

	for (size_t i = 0; doctor_checks[i].name; i++)
		say_finding(s, doctor_checks[i].name, &all->findings[i], ascii);
	if (all->count[DOCTOR_MISSING])
		return;
	fputs("\nktrace can trace here", s->out);
	if (warnings)
		fprintf(s->out, "; %zu warning%s", warnings, warnings == 1 ? "" : "s");
	fputc('\n', s->out);
}

/* ---------------------------------------------------------------- programs */

static struct sheet checks_of(const struct diagnosis *all)
{
	struct sheet sheet = { .key = "checks" };

	for (size_t i = 0; doctor_checks[i].name; i++) {
		const struct finding *finding = &all->findings[i];

		sheet_row(&sheet);
		cell_text(&sheet, "name", NULL, doctor_checks[i].name);
		cell_text(&sheet, "result", NULL, looks[finding->result].name);
		cell_text(&sheet, "value", NULL, finding->value);
		cell_text(&sheet, "mend", NULL, finding->mend[0] ? finding->mend : NULL);
		cell_bytes(&sheet, "download_bytes", NULL, finding->download)->known = finding->download;
		cell_bytes(&sheet, "installed_bytes", NULL, finding->installed)->known = finding->installed;
		cell_text(&sheet, "without", NULL, finding->without[0] ? finding->without : NULL);
	}
	return sheet;
}

static void say_data(const struct session *s, const struct diagnosis *all)
{
	AUTO_SHEET struct sheet sheet = { .key = "doctor" };
	struct sheet checks = checks_of(all);

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
	struct diagnosis all = { 0 };
	struct doctor d = { 0 };

	uname(&d.kernel);
	doctor_begin(&d, s);
	examine(&d, &all);
	if (s->format == PRINT_TEXT)
		say(s, &all);
	else
		say_data(s, &all);
	mem_cleanup_free(&all.findings);
	return !all.count[DOCTOR_MISSING] ||
	       error_set(err, STATUS_FAILURE, "tracing does not work here yet (%s): install or change what is missing", all.missing);
}
