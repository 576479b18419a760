// SPDX-License-Identifier: GPL-2.0-or-later
/* report_many.c - see report_many.h. */
#include "ctl/show/report/report_many.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/bar.h"
#include "ctl/base/duration.h"
#include "ctl/base/memory.h"
#include "ctl/base/style.h"
#include "ctl/live/measure/condition.h"
#include "ctl/show/report/report_int.h"

/* The slowest total first. */
static int by_total(const void *a, const void *b)
{
	const struct measurement *x = a, *y = b;

	if (x->all.sum != y->all.sum)
		return x->all.sum < y->all.sum ? 1 : -1;
	if (x->all.count != y->all.count)
		return x->all.count < y->all.count ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* The counts of all functions together, for what is said of all. */
static struct measurement sum_up(const struct many_report *many)
{
	struct measurement all = { .kind = MEASURE_CALL, .name = (char *)many->pattern };

	for (size_t i = 0; i < many->n; i++) {
		const struct measurement *m = &many->v[i];

		all.all.count += m->all.count;
		all.entered += m->entered;
		all.returned += m->returned;
		all.unmatched += m->unmatched;
		all.open += m->open;
		all.abandoned += m->abandoned;
		all.braked += m->braked;
		all.spanned += m->spanned;
		all.overflow += m->overflow;
		all.filtered += m->filtered;
		all.turned_away += m->turned_away;
		all.unmeasured += m->unmeasured;
		all.filtered_by_task += m->filtered_by_task;
	}
	return all;
}

/* ------------------------------------------------------------------- text */

static size_t print_rows(const struct report *r, const struct many_report *many, FILE *out)
{
	AUTO_SHEET struct sheet sheet = { 0 };

	for (size_t i = 0; i < many->n; i++) {
		if (!many->v[i].all.count)
			continue;
		sheet_row(&sheet);
		cell_text_as(&sheet, CELL_NAME, NULL, "function", many->v[i].name);
		add_summary(&sheet, &many->v[i]);
	}
	sheet_print(&sheet, SIZE_MAX, out, r->colour);
	return sheet_rows(&sheet);
}

/* What was taken off a call: the least and the most of the functions' means. */
static void print_correction(const struct many_report *many, FILE *out)
{
	char low[DURATION_SIZE], high[DURATION_SIZE];
	double least = -1, most = 0;
	size_t without = 0, mixed = 0;

	for (size_t i = 0; i < many->n; i++) {
		const struct measurement *m = &many->v[i];
		const double off = m->all.count ? measure_ns(m, (double)m->all.taken_off / m->all.count) : 0;

		if (!m->all.count)
			continue;
		if (m->raw || !m->correction.known) {
			without++;
			continue;
		}
		mixed += m->correction.is_mixed;
		least = least < 0 || off < least ? off : least;
		most = off > most ? off : most;
	}
	if (without && many->v[0].raw)
		fputs("not corrected (--raw): the times include the cost of the tracepoints\n", out);
	else if (without)
		fprintf(out, "%zu functions are not corrected: other tracepoints there change the cost\n", without);
	if (least < 0)
		return;
	fprintf(out, "corrected by %s to %s a call, depending on the function: the cost of its tracepoints, and of those in measured calls within it\n",
		duration_text(least, low), duration_text(most, high));
	if (mixed)
		fprintf(out, "other tracepoints were set or removed meanwhile at addresses of %zu of them, which changes the cost: there this does not fit all calls\n",
			mixed);
}

static bool any_few(const struct many_report *many)
{
	for (size_t i = 0; i < many->n; i++)
		if (measure_few(&many->v[i], measure_field_find("p99")))
			return true;
	return false;
}

static void many_text(const struct report *r, const struct many_report *many, FILE *out)
{
	AUTO_FREE char *title = report_title(r);
	size_t called;

	style_put(out, r->colour, STYLE_NAME, title, 0);
	fputs("\n\n", out);
	called = print_rows(r, many, out);
	if (called)
		fputc('\n', out);
	if (called < many->n)
		fprintf(out, "%zu of %zu functions had no call\n", many->n - called, many->n);
	if (any_few(many))
		fprintf(out, "%s\n", few_note);
	print_correction(many, out);
	report_counts(r->m, out);
}

/* ------------------------------------------------------------------- formats */

static void many_json(const struct report *r, const struct many_report *many, FILE *out)
{
	for (size_t i = 0; i < many->n; i++)
		report_json(&(struct report){ .m = &many->v[i], .o = r->o }, out);
}

static void many_csv(const struct report *r, const struct many_report *many, FILE *out)
{
	AUTO_SHEET struct sheet sheet = { 0 };

	for (size_t i = 0; i < many->n; i++)
		report_csv_rows(&(struct report){ .m = &many->v[i], .o = r->o }, &sheet);
	sheet_csv(&sheet, out);
}

static void many_metrics(const struct report *r, const struct many_report *many, FILE *out)
{
	report_metrics_of(many->v, many->n, out);
}

/* ------------------------------------------------------------------- verdict */

static bool judge(const struct many_report *many, const struct measurement *all, const struct oneshot *o,
		  struct error *verdict)
{
	for (size_t i = 0; o->fail_if && i < many->n; i++)
		if (report_condition(&many->v[i], o, verdict))
			return true;
	return !all->all.count && report_never(all, o, verdict);
}

static void tell_unknown(struct session *s, const struct many_report *many, const struct condition *c)
{
	const char *name = NULL;
	uint64_t least;
	size_t n = 0;

	for (size_t i = 0; i < many->n; i++) {
		const char *unknown = many->v[i].all.count ? condition_unknown(c, &many->v[i], &least) : NULL;

		name = unknown ? unknown : name;
		n += unknown != NULL;
	}
	if (n)
		session_warn(s, "warning: --fail-if '%s': %s is not known of %zu functions, which had too few calls",
			     condition_text(c), name, n);
}

bool report_many(struct session *s, const struct oneshot *o, const struct many_report *many, struct error *err)
{
	static void (*const formats[])(const struct report *r, const struct many_report *many, FILE *out) = {
		[PRINT_TEXT] = many_text, [PRINT_JSON] = many_json, [PRINT_CSV] = many_csv,
		[PRINT_METRICS] = many_metrics,
	};
	struct measurement all = sum_up(many);
	const struct report r = { .m = &all, .o = o, .colour = s->colour, .ascii = !bar_is_utf8() };
	struct error verdict;
	bool any;

	qsort(many->v, many->n, sizeof(*many->v), by_total);
	formats[s->format](&r, many, s->out);
	if (!session_flush(s, err))
		return false;
	any = judge(many, &all, o, &verdict);
	if (o->fail_if && !any)
		tell_unknown(s, many, o->fail_if);
	return oneshot_conclude(s, o, any ? &verdict : NULL, err);
}
