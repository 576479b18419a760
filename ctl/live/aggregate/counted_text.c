// SPDX-License-Identifier: GPL-2.0-or-later
/* counted_text.c - what was counted, as text. */
#include "ctl/live/aggregate/counted_int.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/bar.h"
#include "ctl/base/duration.h"
#include "ctl/base/escape.h"
#include "ctl/base/fit.h"
#include "ctl/base/memory.h"
#include "ctl/base/style.h"

#define BAR		40	/* columns of the longest bar */
#define FEW_EMPTY	3	/* longest run of empty rows that is shown */
#define WIDEST		100	/* of a line of callers */
#define INDENT		"    "

/* ---------------------------------------------------------------------- keys */

struct texts {
	char *v[MOST_KEYS];
	size_t n;
};

static void take_text(struct printer *printer, const struct item *item, void *arg)
{
	struct texts *texts = arg;

	if (texts->n < MOST_KEYS)
		texts->v[texts->n++] = counted_item_text(printer, item);
}

static void texts_free(struct texts *texts)
{
	for (size_t i = 0; i < texts->n; i++)
		free(texts->v[i]);
	texts->n = 0;
}

static bool is_stack(const struct counted *counted, size_t key)
{
	return counted->desc->fields[key].kind == FIELD_BACKTRACE;
}

/* Numbers, names of functions, other texts. */
static enum cell_kind kind_of(const struct field *field)
{
	if (field->kind == FIELD_NUMBER || field->kind == FIELD_INT || field->kind == FIELD_FLOAT)
		return CELL_RIGHT;
	return field->kind == FIELD_POINTER && field->is_code ? CELL_NAME : CELL_TEXT;
}

void counted_add_key(struct sheet *sheet, struct printer *printer, const struct counted *counted, const struct counted_row *row,
		     bool stacks)
{
	struct texts key = { .n = 0 };

	counted_key(printer, counted, row, take_text, &key);
	for (size_t i = 0; i < key.n; i++)
		if (stacks || !is_stack(counted, i))
			cell_text_as(sheet, kind_of(&counted->desc->fields[i]), NULL, counted->desc->fields[i].name, key.v[i]);
	texts_free(&key);
}

void counted_add_row(struct sheet *sheet, struct printer *printer, const struct counted *counted, const struct counted_row *row,
		     bool stacks)
{
	char text[VALUE_TEXT];

	sheet_row(sheet);
	counted_add_key(sheet, printer, counted, row, stacks);
	cell_text_as(sheet, CELL_RIGHT, NULL, counted_value_name(counted), counted_value_text(counted, row, text));
	if (counted->desc->aggregate->kind != KT_AGG_COUNT)
		cell_number(sheet, NULL, "count", counted_number(counted, row));
}

/* Lines of at most WIDEST columns, broken between callers. */
static void print_stack(const char *text, FILE *out)
{
	int at = fprintf(out, INDENT "from ");

	while (*text) {
		const char *end = strstr(text, " < ");
		const int len = end ? (int)(end - text) + 2 : (int)strlen(text);

		if (at + len > WIDEST && at > 9)
			at = fprintf(out, "\n" INDENT "     ") - 1;
		at += fprintf(out, "%.*s%s", len, text, end ? " " : "");
		text += end ? len + 1 : len;
	}
	fputc('\n', out);
}

/* --------------------------------------------------------------------- tables */

static void print_stacks(struct printer *printer, const struct counted *counted, const struct counted_row *row, FILE *out)
{
	struct texts key = { .n = 0 };

	counted_key(printer, counted, row, take_text, &key);
	for (size_t i = 0; i < key.n; i++)
		if (is_stack(counted, i))
			print_stack(key.v[i], out);
	texts_free(&key);
}

static bool has_stack(const struct counted *counted)
{
	for (size_t i = 0; i < counted_nr_keys(counted); i++)
		if (is_stack(counted, i))
			return true;
	return false;
}

/* Print each line of the table, and below it the stacks of its row. */
static void print_with_stacks(struct session *s, const struct sheet *sheet, struct printer *printer, const struct counted *counted)
{
	AUTO_FREE char *text = NULL;
	size_t len, row = 0;
	FILE *out = mem_stream(&text, &len);

	sheet_print(sheet, SIZE_MAX, out, s->colour);
	fclose(out);
	for (const char *line = text; *line; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		fprintf(s->out, "%.*s\n", (int)len, line);
		if (row++)
			print_stacks(printer, counted, &counted->rows[row - 2], s->out);
	}
}

/* What has come since then, for each second: of counts and sums. */
static void add_rate(struct sheet *sheet, const struct counted *counted, const struct counted_row *row, const struct counted *before,
		     double seconds)
{
	const struct counted_row *was = counted_find(before, row);
	const __int128 more = counted_sum(counted, row) - (was ? counted_sum(before, was) : 0);
	const double rate = seconds > 0 ? (double)more / seconds : 0;
	char text[VALUE_TEXT];

	cell_text_as(sheet, CELL_RIGHT, NULL, "per s", counted->desc->aggregate->is_time ? duration_text(rate < 0 ? 0 : rate, text) :
		     wide_text((__int128)(rate + (rate < 0 ? -0.5 : 0.5)), text));
}

static double seconds_between(struct session *s, const struct counted *before, const struct counted *now)
{
	struct kt_anchor *anchors;
	struct kt_clock clock;
	struct error unused;

	if (!device_clock(&s->dev, &clock, &anchors, &unused))
		return 0;
	free(anchors);
	return (double)(now->at - before->at) * clock.ns_num / clock.ns_den / 1e9;
}

static void print_table(struct session *s, const struct counted *counted, const struct counted *before, size_t rows)
{
	const bool has_rate = before && counted->desc->aggregate->kind <= KT_AGG_SUM;
	const double seconds = before ? seconds_between(s, before, counted) : 0;
	struct printer *printer = counted_printer(s, counted, PRINT_TEXT, s->out);
	AUTO_SHEET struct sheet sheet = { .room = fit_columns(s->out) };

	for (size_t i = 0; i < rows; i++) {
		counted_add_row(&sheet, printer, counted, &counted->rows[i], false);
		if (has_rate)
			add_rate(&sheet, counted, &counted->rows[i], before, seconds);
	}
	if (has_stack(counted))
		print_with_stacks(s, &sheet, printer, counted);
	else
		sheet_print(&sheet, SIZE_MAX, s->out, s->colour);
	printer_free(printer);
}

/* ----------------------------------------------------------------- histograms */

static int limits_width(const struct counted *counted, const struct counted_row *row, size_t from, size_t to)
{
	char text[VALUE_TEXT];
	__int128 low, high;
	int widest = 0, len;

	for (size_t i = from; i < to; i++) {
		counted_limits(counted, i, &low, &high);
		for (size_t k = 0; k < 2; k++) {
			if (k ? counted_is_above(counted, i) : counted_is_below(counted, i))
				continue;
			len = strlen(counted_limit_text(counted, k ? high : low, text));
			widest = len > widest ? len : widest;
		}
	}
	return widest;
}

/* "  4 - 7": the values of the bucket; numbers are shown with the last one that belongs to it. */
static void print_limits(struct session *s, const struct counted *counted, size_t n, int width, bool ascii)
{
	const bool is_time = counted->desc->aggregate->is_time;
	char low_text[VALUE_TEXT], high_text[VALUE_TEXT];
	__int128 low, high;

	counted_limits(counted, n, &low, &high);
	counted_limit_text(counted, low, low_text);
	counted_limit_text(counted, is_time ? high : high - 1, high_text);
	if (counted_is_below(counted, n)) {
		counted_limit_text(counted, high, high_text);
		fprintf(s->out, "  %*s %c %*s ", width, "", '<', width, high_text);
	} else if (counted_is_above(counted, n)) {
		fprintf(s->out, "  %*s %s %*s ", width, "", ascii ? ">=" : "\342\211\245", width - ascii, low_text);
	} else if (low == high - 1 && !is_time) {
		fprintf(s->out, "  %*s   %*s ", width, "", width, low_text);
	} else {
		fprintf(s->out, "  %*s %s %*s ", width, low_text, ascii ? "-" : "\342\200\223", width, high_text);
	}
}

static void print_bars(struct session *s, const struct counted *counted, const struct counted_row *row)
{
	const bool ascii = !bar_is_utf8();
	uint64_t most = 0;
	char text[DURATION_SIZE];
	size_t from, to;
	int width;

	if (!counted_span(counted, row, &from, &to))
		return;
	width = limits_width(counted, row, from, to);
	for (size_t i = from; i < to; i++)
		most = row->value[i] > most ? row->value[i] : most;
	for (size_t i = from; i < to; i++) {
		size_t empty = 0;

		while (!row->value[i + empty])
			empty++;
		if (empty > FEW_EMPTY) {
			fprintf(s->out, "  %*s\n", width + 1, ascii ? "..." : "\342\213\256");
			i += empty - 1;
			continue;
		}
		style_set(s->out, s->colour, STYLE_DIM);
		print_limits(s, counted, i, width, ascii);
		style_set(s->out, s->colour, STYLE_PLAIN);
		fprintf(s->out, "%12s%s", count_text(row->value[i], text), row->value[i] ? "  " : "");
		bar_print((double)BAR * row->value[i] / most, ascii, s->out);
		fputc('\n', s->out);
	}
}

/* "comm dd  PID 12   1,234 hits", then the bars. */
static void print_histogram(struct session *s, struct printer *printer, const struct counted *counted, const struct counted_row *row)
{
	struct texts key = { .n = 0 };
	char text[DURATION_SIZE];

	counted_key(printer, counted, row, take_text, &key);
	for (size_t i = 0; i < key.n; i++) {
		if (is_stack(counted, i))
			continue;
		style_set(s->out, s->colour, STYLE_DIM);
		fprintf(s->out, "%s ", escape_shown(counted->desc->fields[i].name));
		style_set(s->out, s->colour, STYLE_PLAIN);
		fprintf(s->out, "%s  ", escape_shown(key.v[i]));
	}
	style_set(s->out, s->colour, STYLE_DIM);
	fputs("count ", s->out);
	style_set(s->out, s->colour, STYLE_PLAIN);
	fprintf(s->out, "%s\n", count_text(counted_number(counted, row), text));
	for (size_t i = 0; i < key.n; i++)
		if (is_stack(counted, i))
			print_stack(key.v[i], s->out);
	print_bars(s, counted, row);
	texts_free(&key);
}

static void print_histograms(struct session *s, const struct counted *counted, size_t rows)
{
	struct printer *printer = counted_printer(s, counted, PRINT_TEXT, s->out);

	for (size_t i = 0; i < rows; i++) {
		if (i)
			fputc('\n', s->out);
		print_histogram(s, printer, counted, &counted->rows[i]);
	}
	printer_free(printer);
}

/* ----------------------------------------------------------------------- all */

static void print_foot(struct session *s, const struct counted *counted, size_t left_out)
{
	char text[DURATION_SIZE];

	if (left_out)
		fprintf(s->out, "... and %s more keys\n", count_text(left_out, text));
	if (counted->data.lost)
		fprintf(s->out, "ktrace: warning: %s hits lost, because their keys found no room: give more with KEYS, now %u\n",
			count_text(counted->data.lost, text), counted->desc->aggregate->keys);
	if (counted->data.unreadable)
		fprintf(s->out, "ktrace: warning: %s hits not counted, because their value could not be read\n",
			count_text(counted->data.unreadable, text));
	if (counted->braked)
		fprintf(s->out, "ktrace: warning: %s hits not counted since it was set, because the brake turned them away: 'help status'\n",
			count_text(counted->braked, text));
}

void counted_text(struct session *s, const struct counted *counted, const struct counted *before, size_t most)
{
	const size_t rows = counted->n < most ? counted->n : most;
	AUTO_FREE char *title = counted_title(counted);

	style_put(s->out, s->colour, STYLE_NAME, title, 0);
	fputc('\n', s->out);
	if (!rows)
		fputs("  nothing was counted\n", s->out);
	else if (aggregate_is_histogram(counted->desc->aggregate))
		print_histograms(s, counted, rows);
	else
		print_table(s, counted, before, rows);
	print_foot(s, counted, counted->n - rows);
}
