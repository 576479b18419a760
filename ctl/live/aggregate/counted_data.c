// SPDX-License-Identifier: GPL-2.0-or-later
/* counted_data.c - what was counted, for programs (JSON, CSV) and for pages (HTML).  docs/output.md has the schema. */
#include "ctl/live/aggregate/counted_int.h"

#include <inttypes.h>
#include <stdlib.h>
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

static void html_key(struct printer *printer, const struct item *item, void *arg)
{
	AUTO_FREE char *text = counted_item_text(printer, item);

	fputs("<td class=\"l\">", arg);
	escape_html(arg, text);
	fputs("</td>", arg);
}

static void html_rows(struct printer *printer, const struct counted *counted, const struct counted_row *row, FILE *out)
{
	char text[VALUE_TEXT], high_text[VALUE_TEXT];
	__int128 low, high;
	size_t from = 0, to = 1;

	if (aggregate_is_histogram(counted->desc->aggregate) && !counted_span(counted, row, &from, &to))
		return;
	for (size_t i = from; i < to; i++) {
		fputs("<tr>", out);
		counted_key(printer, counted, row, html_key, out);
		if (!aggregate_is_histogram(counted->desc->aggregate)) {
			fprintf(out, "<td>%s</td>", counted_value_text(counted, row, text));
			fprintf(out, "<td>%s</td></tr>\n", wide_text(counted_number(counted, row), text));
			continue;
		}
		counted_limits(counted, i, &low, &high);
		fprintf(out, "<td>%s</td><td>%s</td>", counted_is_below(counted, i) ? "" : counted_limit_text(counted, low, text),
			counted_is_above(counted, i) ? "" : counted_limit_text(counted, high, high_text));
		low = 100 * (__int128)row->value[i] / counted_number(counted, row);
		fprintf(out, "<td class=\"share\" style=\"--s:%d%%\">%s</td></tr>\n", (int)low, wide_text(row->value[i], text));
	}
}

static void html_head(const struct counted *counted, FILE *out)
{
	fputs("<table class=\"counted\"><tr>", out);
	for (size_t i = 0; i < counted_nr_keys(counted); i++) {
		fputs("<th class=\"l\">", out);
		escape_html(out, counted->desc->fields[i].name);
		fputs("</th>", out);
	}
	if (aggregate_is_histogram(counted->desc->aggregate))
		fputs("<th>from</th><th>to</th><th>count</th></tr>\n", out);
	else
		fprintf(out, "<th>%s</th><th>hits</th></tr>\n", counted_value_name(counted));
}

void counted_html(struct session *s, const struct counted *counted, FILE *out)
{
	struct printer *printer = counted_printer(s, counted, PRINT_TEXT, out);
	AUTO_FREE char *title = counted_title(counted);

	fputs("<section>\n<h2>", out);
	escape_html(out, title);
	fputs("</h2>\n", out);
	html_head(counted, out);
	for (size_t i = 0; i < counted->n; i++)
		html_rows(printer, counted, &counted->rows[i], out);
	fputs("</table>\n", out);
	if (counted->data.lost)
		fprintf(out, "<p>%" PRIu64 " hits lost: their keys found no room</p>\n", counted->data.lost);
	if (counted->data.unreadable)
		fprintf(out, "<p>%" PRIu64 " hits not counted: their value could not be read</p>\n", counted->data.unreadable);
	if (counted->braked)
		fprintf(out, "<p>%" PRIu64 " hits not counted: the brake turned them away</p>\n", counted->braked);
	fputs("</section>\n", out);
	printer_free(printer);
}
