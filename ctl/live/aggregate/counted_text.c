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
#include "ctl/base/table.h"

#define BAR		40	/* columns of the longest bar */
#define FEW_EMPTY	3	/* longest run of empty rows that is shown */
#define WIDEST		100	/* of a line of callers */
#define INDENT		"    "

/* ---------------------------------------------------------------------- keys */

struct texts {
	char *v[MOST_KEYS];
	bool is_stack[MOST_KEYS];
	size_t n;
};

static void take_text(struct printer *printer, const struct item *item, void *arg)
{
	struct texts *texts = arg;

	if (texts->n == MOST_KEYS)
		return;
	texts->is_stack[texts->n] = item->kind == FIELD_BACKTRACE;
	texts->v[texts->n++] = counted_item_text(printer, item);
}

static void texts_free(struct texts *texts)
{
	for (size_t i = 0; i < texts->n; i++)
		free(texts->v[i]);
	texts->n = 0;
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

/* Print each line of the table, and below it the stacks of its row. */
static void print_lines(struct session *s, const char *text, const struct texts *stacks, size_t n)
{
	for (size_t row = 0; *text; row++) {
		const size_t len = strcspn(text, "\n");

		fprintf(s->out, "%.*s\n", (int)len, text);
		for (size_t i = 0; row && row <= n && i < stacks[row - 1].n; i++)
			if (stacks[row - 1].is_stack[i])
				print_stack(stacks[row - 1].v[i], s->out);
		text += len + (text[len] == '\n');
	}
}

static bool is_stack(const struct counted *counted, size_t key)
{
	return counted->desc->fields[key].kind == FIELD_BACKTRACE;
}

static bool has_rate(const struct counted *counted)
{
	return counted->desc->aggregate->kind <= KT_AGG_SUM;
}

static void add_headings(struct table *table, const struct counted *counted, const struct counted *before)
{
	for (size_t i = 0; i < counted_nr_keys(counted); i++)
		if (!is_stack(counted, i))
			table_add(table, "%s", counted->desc->fields[i].name);
	table_add(table, "%s", counted_value_name(counted));
	if (counted->desc->aggregate->kind != KT_AGG_COUNT)
		table_add(table, "count");
	if (before && has_rate(counted))
		table_add(table, "per s");
}

/* What has come since then, for each second. */
static void add_rate(struct session *s, struct table *table, const struct counted *counted, const struct counted_row *row,
		     const struct counted *before, double seconds)
{
	const struct counted_row *was = counted_find(before, row);
	const __int128 more = counted_sum(counted, row) - (was ? counted_sum(before, was) : 0);
	const double rate = seconds > 0 ? (double)more / seconds : 0;
	char text[VALUE_TEXT];

	if (counted->desc->aggregate->is_time)
		table_add(table, "%s", duration_text(rate < 0 ? 0 : rate, text));
	else
		table_add(table, "%s", wide_text((__int128)(rate + (rate < 0 ? -0.5 : 0.5)), text));
}

static void add_row(struct table *table, const struct counted *counted, const struct counted_row *row, const struct texts *key)
{
	char text[VALUE_TEXT];

	for (size_t i = 0; i < key->n; i++)
		if (!key->is_stack[i])
			table_add(table, "%s", key->v[i]);
	table_add(table, "%s", counted_value_text(counted, row, text));
	if (counted->desc->aggregate->kind != KT_AGG_COUNT)
		table_add(table, "%s", count_text(counted_number(counted, row), text));
}

/* Numbers, names of functions, other texts. */
static char align_of(const struct field *field)
{
	if (field->kind == FIELD_NUMBER || field->kind == FIELD_INT || field->kind == FIELD_FLOAT)
		return 'r';
	return field->kind == FIELD_POINTER && field->is_code ? 'n' : 'l';
}

/* One letter for each column. */
static void align(const struct counted *counted, char *to)
{
	for (size_t i = 0; i < counted_nr_keys(counted); i++)
		if (!is_stack(counted, i))
			*to++ = align_of(&counted->desc->fields[i]);
	*to = '\0';
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
	const double seconds = before ? seconds_between(s, before, counted) : 0;
	AUTO_FREE struct texts *keys = mem_zalloc(rows + 1, sizeof(*keys));
	struct printer *printer = counted_printer(s, counted, PRINT_TEXT, s->out);
	char columns[MOST_KEYS + 4];
	AUTO_TABLE struct table table = { .align = columns };
	AUTO_FREE char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	align(counted, columns);
	strcat(columns, counted->desc->aggregate->kind == KT_AGG_COUNT ? "r" : "rr");
	if (before && has_rate(counted))
		strcat(columns, "r");
	add_headings(&table, counted, before);
	for (size_t i = 0; i < rows; i++) {
		counted_key(printer, counted, &counted->rows[i], take_text, &keys[i]);
		add_row(&table, counted, &counted->rows[i], &keys[i]);
		if (before && has_rate(counted))
			add_rate(s, &table, counted, &counted->rows[i], before, seconds);
	}
	table_shorten(&table, fit_columns(s->out));
	if (out) {
		table_print(&table, true, out, s->colour);
		fclose(out);
		print_lines(s, text, keys, rows);
	}
	for (size_t i = 0; i < rows; i++)
		texts_free(&keys[i]);
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
		if (key.is_stack[i])
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
		if (key.is_stack[i])
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
