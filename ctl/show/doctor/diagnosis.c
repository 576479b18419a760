// SPDX-License-Identifier: GPL-2.0-or-later
/* diagnosis.c - what all checks come to, for people and for programs.  See doctor.h. */
#include <string.h>
#include <sys/utsname.h>

#include "ctl/base/escape.h"
#include "ctl/base/memory.h"
#include "ctl/base/style.h"
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

/* ---------------------------------------------------------------- findings */

static void add(struct diagnosis *all, const char *name, const struct finding *finding)
{
	size_t at = strlen(all->missing);

	all->count[finding->result]++;
	if (finding->result == DOCTOR_MISSING)
		snprintf(all->missing + at, sizeof(all->missing) - at, "%s%s", at ? ", " : "", name);
}

void diagnosis_examine(struct diagnosis *all, struct doctor *d)
{
	*all = (struct diagnosis){ .findings = NULL };
	for (size_t i = 0; doctor_checks[i].name; i++) {
		all->findings = MEM_MORE(all->findings, i);
		all->findings[i] = (struct finding){ .result = DOCTOR_OK };
		doctor_checks[i].look(d, &all->findings[i]);
		add(all, doctor_checks[i].name, &all->findings[i]);
	}
}

void diagnosis_make(struct diagnosis *all, struct session *s)
{
	struct doctor d = { 0 };

	uname(&d.kernel);
	doctor_begin(&d, s);
	diagnosis_examine(all, &d);
}

void diagnosis_free(struct diagnosis *all)
{
	mem_cleanup_free(&all->findings);
}

/* -------------------------------------------------------------------- text */

static void print_finding(const char *name, const struct finding *finding, FILE *out, bool colour, bool ascii)
{
	const struct look *look = &looks[finding->result];
	const int indent = (ascii ? 9 : 2) + NAME_WIDTH, deeper = indent + (ascii ? 3 : 2);
	char cost[COST_SIZE];

	style_put(out, colour, look->style, ascii ? look->name : look->mark, 0);
	fprintf(out, "%*s", ascii ? 9 - (int)strlen(look->name) : 1, "");
	style_put(out, colour, STYLE_NAME, name, NAME_WIDTH);
	fprintf(out, "%s\n", escape_shown(finding->value));
	if (!finding->mend[0])
		return;
	fprintf(out, "%*s%s %s\n", indent, "", ascii ? "->" : "→", finding->mend);
	fprintf(out, "%*s%s\n", deeper, "", repair_cost_text(&finding->cost, cost));
	fprintf(out, "%*swithout it: %s\n", deeper, "", finding->without);
}

void diagnosis_print(const struct diagnosis *all, FILE *out, bool colour, bool ascii)
{
	const size_t warnings = all->count[DOCTOR_WARNING];

	for (size_t i = 0; doctor_checks[i].name; i++)
		print_finding(doctor_checks[i].name, &all->findings[i], out, colour, ascii);
	if (all->count[DOCTOR_MISSING])
		return;
	fputs("\nktrace can trace here", out);
	if (warnings)
		fprintf(out, "; %zu warning%s", warnings, warnings == 1 ? "" : "s");
	fputc('\n', out);
}

/* ---------------------------------------------------------------- programs */

struct sheet diagnosis_sheet(const struct diagnosis *all)
{
	struct sheet sheet = { .key = "checks" };

	for (size_t i = 0; doctor_checks[i].name; i++) {
		const struct finding *finding = &all->findings[i];
		const bool mends = finding->mend[0];

		sheet_row(&sheet);
		cell_text(&sheet, "name", NULL, doctor_checks[i].name);
		cell_text(&sheet, "result", NULL, looks[finding->result].name);
		cell_text(&sheet, "value", NULL, finding->value);
		cell_text(&sheet, "mend", NULL, mends ? finding->mend : NULL);
		cell_bytes(&sheet, "download_bytes", NULL, finding->cost.fetched)->known = mends && finding->cost.known;
		cell_bytes(&sheet, "installed_bytes", NULL, finding->cost.kept)->known = mends && finding->cost.known;
		cell_text(&sheet, "without", NULL, mends ? finding->without : NULL);
	}
	return sheet;
}

/* --------------------------------------------------------- of a failed command */

/* The checks that tell why the module cannot be used, as each depends on those before it. */
static const char *const of_module[] = { "kernel", "rights", "module", "headers", "signing", "events", NULL };
static const char *const of_user_module[] = { "kernel", "rights", NULL };
static const char *const of_symbols[] = { "symbols", NULL };

static const struct {
	const char *const *names;
	enum doctor_result result;	/* at least */
} questions[] = {
	[LACK_MODULE] = { of_module, DOCTOR_MISSING },
	[LACK_USER_MODULE] = { of_user_module, DOCTOR_MISSING },
	[LACK_SYMBOLS] = { of_symbols, DOCTOR_WARNING },
};

static bool is_named(const char *const *names, const char *name)
{
	while (*names && strcmp(*names, name))
		names++;
	return *names;
}

static void put_cost(const struct finding *finding, char *to, size_t size)
{
	char cost[COST_SIZE];

	*to = '\0';
	if (finding->cost.known && (finding->cost.fetched || finding->cost.kept))
		snprintf(to, size, " (%s)", repair_cost_text(&finding->cost, cost));
}

static void complete(struct doctor *d, struct error *err)
{
	const enum exit_status status = err->status;
	const enum lack lack = err->lack;
	struct finding finding;
	char cost[COST_SIZE + 4];

	for (const struct check *check = doctor_checks; check->name; check++) {
		if (!is_named(questions[lack].names, check->name))
			continue;
		finding = (struct finding){ .result = DOCTOR_OK };
		check->look(d, &finding);
		if (finding.result < questions[lack].result || finding.result == DOCTOR_UNKNOWN || !finding.mend[0])
			continue;
		put_cost(&finding, cost, sizeof(cost));
		error_set(err, status, "%s: %s: %s%s", check->name, finding.value, finding.mend, cost);
		return;
	}
}

/* The remedy is the package of debug information.  `source` passes on the error of a command. */
static void add_cost(struct doctor *d, struct error *err)
{
	char hint[256], cost[COST_SIZE + 4];
	const size_t len = strlen(err->text);
	struct finding finding = { .result = DOCTOR_WARNING };

	if (!distro_hint(d->s->root, DISTRO_DEBUG, d->kernel.release, hint, sizeof(hint)) || !strstr(err->text, hint) ||
	    strstr(err->text, " to fetch, "))
		return;
	mend_by_package(d, &finding, DISTRO_DEBUG, "");
	put_cost(&finding, cost, sizeof(cost));
	snprintf(err->text + len, sizeof(err->text) - len, "%s", cost);
}

void doctor_complete(struct session *s, struct error *err)
{
	struct doctor d = { .s = s };

	uname(&d.kernel);
	if (err->lack == LACK_SYMBOLS)
		doctor_begin(&d, s);
	if (err->lack)
		complete(&d, err);
	else
		add_cost(&d, err);
}
