// SPDX-License-Identifier: GPL-2.0-or-later
/* counted_data.c - what was counted, for programs (JSON, CSV) and for pages (HTML).  docs/output.md has the schema. */
#include "ctl/live/aggregate/counted_int.h"

#include <inttypes.h>
#include <string.h>

#include "ctl/base/escape.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"

/* Digits without separators. */
static const char *digits_of(__int128 value, char buf[WIDE_SIZE])
{
	char *to = buf;

	wide_text(value, buf);
	for (const char *from = buf; *from; from++)
		if (*from != ',')
			*to++ = *from;
	*to = '\0';
	return buf;
}

/* ---------------------------------------------------------------------- JSON */

/* Sums may have more than 64 bits. */
static void put_wide(struct json *j, const char *key, __int128 value)
{
	const bool exact = value <= (__int128)JSON_EXACT && value >= -(__int128)JSON_EXACT;
	char text[WIDE_SIZE];

	(exact ? json_raw : json_text)(j, key, digits_of(value, text));
}

static void put_buckets(struct json *j, const struct counted *counted, const struct counted_row *row)
{
	__int128 low, high;
	size_t from, to;

	json_open_array(j, "buckets");
	if (!counted_span(counted, row, &from, &to))
		to = from;
	for (size_t i = from; i < to; i++) {
		counted_limits(counted, i, &low, &high);
		json_open(j, NULL);
		if (counted_is_below(counted, i))
			json_null(j, "low");
		else
			put_wide(j, "low", low);
		if (counted_is_above(counted, i))
			json_null(j, "high");
		else
			put_wide(j, "high", high);
		json_number(j, "count", row->value[i]);
		json_close(j);
	}
	json_close(j);
}

static void put_row(struct json *j, struct printer *printer, const struct counted *counted, const struct counted_row *row)
{
	const uint32_t kind = counted->desc->aggregate->kind;

	json_open(j, NULL);
	json_open_array(j, "key");
	counted_key(printer, counted, row, item_json, j);
	json_close(j);
	json_number(j, "count", counted_number(counted, row));
	if (aggregate_is_histogram(counted->desc->aggregate))
		put_buckets(j, counted, row);
	else if (kind == KT_AGG_SUM || kind == KT_AGG_AVG)
		put_wide(j, "sum", counted_sum(counted, row));
	else if (kind != KT_AGG_COUNT)
		put_wide(j, aggregate_kind(kind), counted_sum(counted, row));
	if (kind == KT_AGG_AVG)
		json_real(j, "avg", (double)((long double)counted_sum(counted, row) / counted_number(counted, row)));
	json_close(j);
}

void counted_json(struct session *s, const struct counted *counted)
{
	struct printer *printer = counted_printer(s, counted, PRINT_JSON, s->out);
	struct json j = json_typed(s->out, "aggregate");

	json_text(&j, "name", counted->desc->typed);
	json_text(&j, "options", counted->desc->options);
	json_text(&j, "kind", aggregate_kind(counted->desc->aggregate->kind));
	if (counted->desc->aggregate->is_time)
		json_text(&j, "unit", "ns");
	json_open_array(&j, "rows");
	for (size_t i = 0; i < counted->n; i++)
		put_row(&j, printer, counted, &counted->rows[i]);
	json_close(&j);
	json_number(&j, "keys", counted->desc->aggregate->keys);
	json_number(&j, "lost", counted->data.lost);
	json_number(&j, "unreadable", counted->data.unreadable);
	json_number(&j, "braked", counted->braked);
	json_end(&j);
	printer_free(printer);
}

/* ----------------------------------------------------------------------- CSV */

static void put_item(struct printer *printer, const struct item *item, void *arg)
{
	const char **before = arg;

	fputs(*before, printer->out);
	(**before ? escape_csv_part : escape_csv)(printer->out, item->name);
	*before = ";";
	fputc('=', printer->out);
	item_csv(printer, item);
	fputs(item_cut(item), printer->out);
	if (!*item->symbol)
		return;
	fputc('(', printer->out);
	escape_csv_part(printer->out, item->symbol);
	fputc(')', printer->out);
}

/* The columns that all lines of a row have. */
static void put_start(FILE *out, struct printer *printer, const struct counted *counted, const struct counted_row *row)
{
	const char *before = "";

	fputs("aggregate,\"", out);
	escape_csv(out, counted->desc->typed);
	fputs("\",\"", out);
	escape_csv(out, counted->desc->options);
	fputs("\",\"", out);
	if (row)
		counted_key(printer, counted, row, put_item, &before);
	fputs("\",", out);
}

static void csv_buckets(FILE *out, struct printer *printer, const struct counted *counted, const struct counted_row *row)
{
	char low_text[WIDE_SIZE], high_text[WIDE_SIZE];
	__int128 low, high;
	size_t from, to;

	if (!counted_span(counted, row, &from, &to))
		return;
	for (size_t i = from; i < to; i++) {
		counted_limits(counted, i, &low, &high);
		put_start(out, printer, counted, row);
		fprintf(out, "%" PRIu64 ",,%s,%s,,,\n", row->value[i], counted_is_below(counted, i) ? "" : digits_of(low, low_text),
			counted_is_above(counted, i) ? "" : digits_of(high, high_text));
	}
}

static void csv_row(FILE *out, struct printer *printer, const struct counted *counted, const struct counted_row *row)
{
	const uint32_t kind = counted->desc->aggregate->kind;
	char text[WIDE_SIZE] = "";

	if (aggregate_is_histogram(counted->desc->aggregate)) {
		csv_buckets(out, printer, counted, row);
		return;
	}
	if (kind != KT_AGG_COUNT)
		digits_of(counted_sum(counted, row), text);
	put_start(out, printer, counted, row);
	fprintf(out, "%" PRIu64 ",%s,,,,,\n", counted_number(counted, row), text);
}

void counted_csv(struct session *s, const struct counted *counted)
{
	struct printer *printer = counted_printer(s, counted, PRINT_CSV, s->out);

	fputs("type,name,options,key,count,value,low,high,lost,unreadable,braked\n", s->out);
	for (size_t i = 0; i < counted->n; i++)
		csv_row(s->out, printer, counted, &counted->rows[i]);
	put_start(s->out, printer, counted, NULL);
	fprintf(s->out, ",,,,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", counted->data.lost, counted->data.unreadable,
		counted->braked);
	printer_free(printer);
}

/* ---------------------------------------------------------------------- HTML */

/* A histogram has a row for each bucket. */
static void add_buckets(struct sheet *sheet, struct printer *printer, const struct counted *counted, const struct counted_row *row)
{
	char text[VALUE_TEXT];
	__int128 low, high;
	size_t from, to;

	if (!counted_span(counted, row, &from, &to))
		return;
	for (size_t i = from; i < to; i++) {
		counted_limits(counted, i, &low, &high);
		sheet_row(sheet);
		counted_add_key(sheet, printer, counted, row, true);
		cell_text_as(sheet, CELL_RIGHT, NULL, "from", counted_is_below(counted, i) ? "" : counted_limit_text(counted, low, text));
		cell_text_as(sheet, CELL_RIGHT, NULL, "to", counted_is_above(counted, i) ? "" : counted_limit_text(counted, high, text));
		cell_number(sheet, NULL, "count", row->value[i]);
		cell_part(sheet, NULL, "share", (double)row->value[i] / counted_number(counted, row));
	}
}

static void html_note(uint64_t n, const char *text, FILE *out)
{
	if (n)
		fprintf(out, "<p>%" PRIu64 " hits %s</p>\n", n, text);
}

void counted_html(struct session *s, const struct counted *counted, FILE *out)
{
	struct printer *printer = counted_printer(s, counted, PRINT_TEXT, out);
	AUTO_FREE char *title = counted_title(counted);
	AUTO_SHEET struct sheet sheet = { .key = NULL };

	for (size_t i = 0; i < counted->n; i++) {
		if (aggregate_is_histogram(counted->desc->aggregate))
			add_buckets(&sheet, printer, counted, &counted->rows[i]);
		else
			counted_add_row(&sheet, printer, counted, &counted->rows[i], true);
	}
	fputs("<section>\n<h2>", out);
	escape_html(out, title);
	fputs("</h2>\n", out);
	sheet_html(&sheet, NULL, NULL, out);
	html_note(counted->data.lost, "lost: their keys found no room", out);
	html_note(counted->data.unreadable, "not counted: their value could not be read", out);
	html_note(counted->braked, "not counted: the brake turned them away", out);
	fputs("</section>\n", out);
	printer_free(printer);
}
