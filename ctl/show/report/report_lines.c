// SPDX-License-Identifier: GPL-2.0-or-later
/* report_lines.c - the lines of a function, and where calls have left it, as text. */
#include <stdio.h>
#include <string.h>

#include "ctl/base/bar.h"
#include "ctl/base/duration.h"
#include "ctl/base/escape.h"
#include "ctl/base/fit.h"
#include "ctl/base/guard.h"
#include "ctl/base/memory.h"
#include "ctl/base/style.h"
#include "ctl/show/report/report_int.h"

#define LINE_BAR	20	/* columns of the longest bar */
#define NARROW_BAR	8	/* the same where the source needs the room */
#define NARROW		100	/* columns of such a terminal, at most */
#define BOTH_BAR	10	/* width of a bar in a report that shows two kinds of calls side by side */
#define EACH		21	/* columns of print_each() */

/* columns: of the terminal, 0: none */
static int line_bar(size_t columns)
{
	return columns && columns <= NARROW ? NARROW_BAR : LINE_BAR;
}

static void print_source(const char *text, FILE *out)
{
	for (; *text == '\t'; text++)
		fputs("    ", out);
	guard_text(text, out);
}

/* The source text, and the inlined function that has it, behind some blanks. */
static void print_what(const struct line *line, int blanks, FILE *out)
{
	if (line->text || line->inlined)
		fprintf(out, "%*s", blanks, "");
	print_source(line->text ? line->text : "", out);
	if (line->inlined)
		fprintf(out, "  (%s)", escape_shown(line->inlined));
	fputc('\n', out);
}

/* Print the file's name once, then the numbers of its lines. */
static void print_line(const struct report *r, const struct line *line, int bar, FILE *out)
{
	const double share = line_share(r->m, line);
	char n[DURATION_SIZE], mean[DURATION_SIZE] = "", number[16] = "";
	int columns;

	if (line->samples.count)
		duration_text(measure_ns(r->m, samples_mean(&line->samples)), mean);
	if (line->number)
		snprintf(number, sizeof(number), "%u", line->number);
	fprintf(out, "%6s %12s %10s %5.1f%% ", number, count_text(line->samples.count, n), mean, 100 * share);
	columns = bar_print(bar * share, r->ascii, out);
	print_what(line, bar + 1 - columns, out);
}

/* ----------------------------------------------------------------------- counts */

const char *line_count_text(const struct line *line, char buf[DURATION_SIZE])
{
	char n[DURATION_SIZE - 3];

	if (!line->is_least)
		return count_text(line->samples.count, buf);
	if (line->nr_refused == line->nr_addrs)
		return "?";
	snprintf(n, sizeof(n), "%s", count_text(line->samples.count, buf));
	snprintf(buf, DURATION_SIZE, ">= %s", n);
	return buf;
}

static void print_count(const struct line *line, FILE *out)
{
	char n[DURATION_SIZE], number[16] = "";

	if (line->number)
		snprintf(number, sizeof(number), "%u", line->number);
	fprintf(out, "%6s %12s%s", number, line_count_text(line, n), line->repeats ? " *" : "");
	print_what(line, line->repeats ? 1 : 3, out);
}

/* What the marks mean. */
static void print_marks(const struct report *r, FILE *out)
{
	bool any_least = false, any_repeats = false;

	for (size_t i = 0; i < r->m->nr_lines; i++) {
		any_least |= r->m->lines[i].is_least;
		any_repeats |= r->m->lines[i].repeats;
	}
	if (any_least || any_repeats)
		fputc('\n', out);
	if (any_repeats)
		fputs("*: control that comes from the line itself counts, too, as in a loop\n", out);
	if (any_least)
		fputs("?, >=: not traced, or not at all of its places, or the brake turned hits away\n", out);
}

/* ------------------------------------------- calls where a condition holds, and others */

static uint64_t nr_others(const struct measurement *m)
{
	uint64_t n = 0;

	for (size_t i = 0; i < m->nr_lines; i++)
		n += m->lines[i].other_out.count;
	return n;
}

/* How often control came to the line in each of `calls` calls, and how long it stayed. */
static void print_each(const struct report *r, const struct samples *s, uint64_t calls, FILE *out)
{
	char often[DURATION_SIZE] = "", time[DURATION_SIZE] = "";
	const double each = calls ? (double)s->count / calls : 0;

	if (s->count && each < 1000)
		snprintf(often, sizeof(often), "%.2f", each);
	else if (s->count)
		count_text((uint64_t)(each + 0.5), often);
	if (s->count)
		duration_text(measure_ns(r->m, (double)s->sum / calls), time);
	fprintf(out, "%10s %10s", often, time);
}

static void print_both(const struct report *r, const struct line *line, FILE *out)
{
	const double share = line_share(r->m, line);
	char number[16] = "";
	int columns;

	if (line->number)
		snprintf(number, sizeof(number), "%u", line->number);
	fprintf(out, "%6s ", number);
	print_each(r, &line->samples, r->m->all.count, out);
	fprintf(out, " %5.1f%% ", 100 * share);
	columns = bar_print(BOTH_BAR * share, r->ascii, out);
	/* No line ends with blanks. */
	if (!line->other.count) {
		print_what(line, BOTH_BAR - columns + EACH + 2, out);
		return;
	}
	fprintf(out, "%*s", BOTH_BAR - columns, "");
	print_each(r, &line->other, nr_others(r->m), out);
	print_what(line, 2, out);
}

static void print_heading(const struct report *r, const char *file, FILE *out)
{
	char n[DURATION_SIZE];

	fputc('\n', out);
	style_put(out, r->colour, STYLE_NAME, file, 0);
	fputc('\n', out);
	style_set(out, r->colour, STYLE_DIM);
	if (r->m->only_if) {
		fprintf(out, "%17s  calls where %s", count_text(r->m->all.count, n), r->m->only_if);
		fprintf(out, "; %s others\n", count_text(nr_others(r->m), n));
		fprintf(out, "%6s %10s %10s %6s %*s %10s %10s\n", "line", "a call", "time", "share", BOTH_BAR - 1, "", "a call", "time");
	} else if (r->m->kind == MEASURE_LINE_COUNTS) {
		fprintf(out, "%6s %12s\n", "line", "count");
	} else {
		fprintf(out, "%6s %12s %10s %6s\n", "line", "count", "mean", "time");
	}
	style_set(out, r->colour, STYLE_PLAIN);
}

/* ---------------------------------------------------------------------- listing */

/* Of lines that control never reached, show only those in the function's own file; its first line is there. */
static bool is_shown(const struct report *r, const struct line *line)
{
	return line->samples.count || line->is_least || line->other.count || (!line->inlined && !strcmp(line->file, r->m->lines[0].file));
}

static void print_listing(const struct report *r, int bar, FILE *out)
{
	const char *file = "";
	size_t left_out = 0;

	for (size_t i = 0; i < r->m->nr_lines; i++) {
		const struct line *line = &r->m->lines[i];

		if (!is_shown(r, line)) {
			left_out++;
			continue;
		}
		if (strcmp(line->file, file))
			print_heading(r, line->file, out);
		file = line->file;
		if (r->m->kind == MEASURE_LINE_COUNTS)
			print_count(line, out);
		else if (r->m->only_if)
			print_both(r, line, out);
		else
			print_line(r, line, bar, out);
	}
	if (left_out)
		fprintf(out, "\n%zu lines of inlined functions were never reached\n", left_out);
}

/* -------------------------------------------------------------------- ways out */

static void print_calls(const struct report *r, const struct samples *s, FILE *out)
{
	char n[DURATION_SIZE], mean[DURATION_SIZE] = "-", most[DURATION_SIZE] = "-";

	if (s->count) {
		duration_text(measure_ns(r->m, samples_mean(s)), mean);
		duration_text(measure_ns(r->m, s->max), most);
	}
	fprintf(out, " %12s %10s %10s", s->count ? count_text(s->count, n) : "-", mean, most);
}

static void print_exit(const struct report *r, const struct line *line, FILE *out)
{
	char number[16] = "";

	if (line->number)
		snprintf(number, sizeof(number), "%u", line->number);
	fprintf(out, "%6s", number);
	print_calls(r, &line->out, out);
	if (r->m->only_if)
		print_calls(r, &line->other_out, out);
	print_what(line, 2, out);
}

/* The last line of each call, apart from inlined functions and the closing brace. */
static void print_exits(const struct report *r, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < r->m->nr_lines; i++) {
		const struct line *line = &r->m->lines[i];

		if (!line->out.count && !line->other_out.count)
			continue;
		if (!any) {
			fputc('\n', out);
			style_set(out, r->colour, STYLE_DIM);
			fprintf(out, "%s %11s %10s %10s", "left at", "calls", "mean", "max");
			if (r->m->only_if)
				fprintf(out, " %12s %10s %10s", "others", "mean", "max");
			style_set(out, r->colour, STYLE_PLAIN);
			fputc('\n', out);
		}
		any = true;
		print_exit(r, line, out);
	}
}

void report_lines(const struct report *r, FILE *out)
{
	const size_t columns = fit_columns(out);
	AUTO_FREE char *text = NULL;
	size_t len;
	FILE *lines = columns ? open_memstream(&text, &len) : NULL;

	print_listing(r, line_bar(columns), lines ? lines : out);
	print_exits(r, lines ? lines : out);
	print_marks(r, lines ? lines : out);
	if (!lines)
		return;
	fclose(lines);
	fit_cut(text, columns, out);
}
