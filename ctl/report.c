// SPDX-License-Identifier: GPL-2.0-or-later
/* report.c - see report.h. */
#include "ctl/report.h"

#include <errno.h>
#include <langinfo.h>
#include <string.h>

#include "ctl/condition.h"
#include "ctl/fields.h"
#include "ctl/memory.h"

static const char *const verbs[] = {
	[MEASURE_CALL] = "latency", [MEASURE_PAIR] = "latency", [MEASURE_ACROSS] = "latency --across",
	[MEASURE_LINES] = "lines", [MEASURE_RECORDS] = "run",
};

char *report_title(const struct report *r)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return mem_strdup("");
	fprintf(out, "%s %s", verbs[r->m->kind], r->m->name);
	if (r->o && r->o->pid)
		fprintf(out, " --pid %llu", (unsigned long long)r->o->pid);
	if (r->o && r->o->command)
		fputs(" --", out);
	for (char **word = r->o ? r->o->command : NULL; word && *word; word++)
		fprintf(out, " %s", *word);
	fclose(out);
	return text;
}

/* ---------------------------------------------------------------- verdict */

static bool never(const struct measurement *m, const struct oneshot *o, struct error *verdict)
{
	const char *by = o->command ? o->command[0] : "anybody";

	if (m->entered || m->returned)
		return error_set(verdict, STATUS_NEVER, "%s: no call was seen from its beginning to its end (%llu begun, %llu ended): measure longer",
				 m->name, (unsigned long long)m->entered, (unsigned long long)m->returned);
	if (m->elsewhere)
		return error_set(verdict, STATUS_NEVER, "%s was never reached by %s, but %llu times by others: leave out the filter to measure those",
				 m->name, by, (unsigned long long)m->elsewhere);
	return error_set(verdict, STATUS_NEVER, "%s was never reached by %s: is it the right function? 'explain' shows what calls are inlined",
			 m->name, by);
}

/* Is there anything to be said? */
static bool judge(const struct measurement *m, const struct oneshot *o, struct error *verdict)
{
	char figures[256];

	if (o->fail_if && condition_holds(o->fail_if, m, figures, sizeof(figures))) {
		error_set(verdict, STATUS_CONDITION, "%s: %s: --fail-if '%s' holds", m->name, figures,
			  condition_text(o->fail_if));
		return true;
	}
	return !measure_count(m) && !never(m, o, verdict);
}

/* -------------------------------------------------------------------- show */

static bool write_page(const struct report *r, const char *path, struct error *err)
{
	AUTO_CLOSE FILE *out = fopen(path, "we");

	if (out) {
		report_html(r, out);
		if (!fflush(out) && !ferror(out))
			return true;
	}
	return error_set(err, STATUS_FAILURE, "%s: %s: choose another file for --html", path, strerror(errno));
}

static bool is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

bool report_show(struct session *s, const struct oneshot *o, const struct measurement *m,
		 const struct timeline *timeline, struct error *err)
{
	static void (*const formats[])(const struct report *r, FILE *out) = {
		[PRINT_TEXT] = report_text, [PRINT_JSON] = report_json, [PRINT_CSV] = report_csv,
	};
	const struct report r = { .m = m, .o = o, .timeline = timeline, .colour = s->colour, .ascii = !is_utf8() };
	struct error verdict;
	bool any;

	formats[s->format](&r, s->out);
	if (!session_flush(s, err) || (o->html && !write_page(&r, o->html, err)))
		return false;
	any = judge(m, o, &verdict);
	return oneshot_conclude(s, o, any ? &verdict : NULL, err);
}
