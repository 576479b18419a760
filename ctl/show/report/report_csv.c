// SPDX-License-Identifier: GPL-2.0-or-later
/* report_csv.c - a measurement as comma-separated values: docs/measure.md. */
#include <string.h>

#include "ctl/base/escape.h"
#include "ctl/base/memory.h"
#include "ctl/show/report/report_int.h"

static void print_text(const char *text, FILE *out)
{
	fputc('"', out);
	escape_csv(out, text);
	fputc('"', out);
}

/* An unknown figure is an empty field. */
static void print_row(const char *type, const char *key, const struct measurement *m, FILE *out)
{
	fprintf(out, "%s,", type);
	print_text(key, out);
	for (const struct measure_field *field = measure_fields; field->name; field++) {
		if (!field->is_time)
			fprintf(out, ",%.0f", field->get(m));
		else if (measure_known(m, field))
			fprintf(out, ",%.3f", field->get(m));
		else
			fputc(',', out);
	}
	fputc('\n', out);
}

static void print_samples(const struct report *r, const char *type, const char *key, const struct samples *s, FILE *out)
{
	const struct measurement view = measure_view(r->m, s);

	print_row(type, key, &view, out);
}

/* A line; with --if also in the other calls; and where it was the last one of calls, these. */
static void print_line(const struct report *r, const struct line *line, FILE *out)
{
	AUTO_FREE char *where = mem_printf("%s:%u", line->file, line->number);

	print_samples(r, "line", where, &line->samples, out);
	if (r->m->only_if)
		print_samples(r, "other_line", where, &line->other, out);
	if (line->out.count)
		print_samples(r, "exit", where, &line->out, out);
	if (line->other_out.count)
		print_samples(r, "other_exit", where, &line->other_out, out);
}

void report_csv_heading(FILE *out)
{
	fputs("type,key", out);
	for (const struct measure_field *field = measure_fields; field->name; field++)
		fprintf(out, ",%s", field->key);
	fputc('\n', out);
}

void report_csv_rows(const struct report *r, FILE *out)
{
	const struct measurement *m = r->m;

	print_row("all", m->name, m, out);
	for (size_t i = 0; i < m->nr_groups; i++)
		print_samples(r, "group", m->groups[i].key, &m->groups[i].samples, out);
	if (m->others.count)
		print_samples(r, "others", "", &m->others, out);
	for (size_t i = 0; i < m->nr_lines; i++)
		print_line(r, &m->lines[i], out);
}

void report_csv(const struct report *r, FILE *out)
{
	/* The report of `run` is its records, which have other columns. */
	if (r->m->kind == MEASURE_RECORDS)
		return;
	report_csv_heading(out);
	report_csv_rows(r, out);
}
