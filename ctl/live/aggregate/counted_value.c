// SPDX-License-Identifier: GPL-2.0-or-later
/* counted_value.c - keys, values and limits as text, for all formats.  See counted_int.h. */
#include "ctl/live/aggregate/counted_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/duration.h"
#include "ctl/base/escape.h"
#include "ctl/base/memory.h"
#include "ctl/live/session/session_target.h"

/* ---------------------------------------------------------------------- keys */

size_t counted_nr_keys(const struct counted *counted)
{
	return counted->desc->nr_fields - aggregate_has_value(counted->desc->aggregate);
}

struct printer *counted_printer(struct session *s, const struct counted *counted, enum print_format format, FILE *out)
{
	struct printer *printer = printer_create(out, format, false);

	printer_programs(printer, session_code(s));
	if (desc_wants_symbols(counted->desc))
		printer_symbols(printer, session_want_symbols(s));
	return printer;
}

/* Passes the items on, without that of the value. */
struct keys_only {
	item_fn *each;
	void *arg;
	size_t left;
};

static void pass(struct printer *printer, const struct item *item, void *arg)
{
	struct keys_only *only = arg;

	if (!only->left)
		return;
	only->left--;
	only->each(printer, item, only->arg);
}

/* The key is the payload of a record, without the value at its end. */
void counted_key(struct printer *printer, const struct counted *counted, const struct counted_row *row, item_fn *each, void *arg)
{
	const size_t len = desc_payload(counted->desc), key = aggregate_request(counted->desc).key_bytes;
	AUTO_FREE uint8_t *payload = mem_zalloc(1, len + 1);
	const struct record record = { .type = RECORD_HIT, .desc = counted->desc, .payload = payload, .payload_len = len };
	struct keys_only only = { each, arg, counted_nr_keys(counted) };

	memcpy(payload, row->key, key);
	record_items(printer, &record, pass, &only);
}

static void put_callers(struct printer *printer, const struct item *item, FILE *out)
{
	char symbol[SYMBOL_SIZE];

	for (size_t i = 0; i < item->length; i++) {
		const uint64_t addr = item_caller(printer, item, i, symbol);

		fputs(i ? " < " : "", out);
		if (*symbol)
			fputs(escape_shown(symbol), out);
		else
			fprintf(out, "0x%" PRIx64, addr);
	}
	if (!item->length)
		fputs("nowhere", out);
}

/* The function of a pattern: its name, without the offset of its first instruction. */
static void put_address(const struct item *item, FILE *out)
{
	const char *shown = escape_shown(item->symbol), *offset = strstr(shown, "+0x");
	const size_t len = offset && !strcmp(item->name, "function") ? (size_t)(offset - shown) : strlen(shown);

	if (*shown)
		fprintf(out, "%.*s", (int)len, shown);
	else
		fprintf(out, "0x%" PRIx64, item->value);
}

/* Texts stand without quotes, unless they are empty. */
static void put_text(const struct item *item, FILE *out)
{
	AUTO_FREE char *text = NULL;
	size_t len;
	FILE *quoted = open_memstream(&text, &len);

	if (!quoted)
		return;
	escape_text(quoted, item->raw, item->length, false, "\"");
	fclose(quoted);
	if (len > 2)
		fprintf(out, "%.*s%s", (int)len - 2, text + 1, item_cut(item));
	else
		fputs(text, out);
}

static void put_item(struct printer *printer, const struct item *item, FILE *out)
{
	char text[NUMBER_SIZE];

	if (item->unreadable)
		fputc('?', out);
	else if (item->word)
		fputs(escape_shown(item->word), out);
	else if (item->kind == FIELD_STRING)
		put_text(item, out);
	else if (item->kind == FIELD_BACKTRACE)
		put_callers(printer, item, out);
	else if ((item_is_decimal(item) || (item->kind == FIELD_INT && !*item->symbol)) && format_number(text, item))
		fputs(text, out);
	else if (item->kind == FIELD_FLOAT && format_float(text, item))
		fputs(text, out);
	else
		put_address(item, out);
}

char *counted_item_text(struct printer *printer, const struct item *item)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return mem_strdup("");
	put_item(printer, item, out);
	fclose(out);
	return text;
}

static void take_text(struct printer *printer, const struct item *item, void *arg)
{
	*(char **)arg = counted_item_text(printer, item);
}

char *counted_field_text(struct session *s, const struct desc *desc, const struct field *field, const uint8_t *bytes, size_t len)
{
	struct field alone = *field;
	const struct desc one = { .name = desc->name, .typed = desc->typed, .addr = desc->addr, .fields = &alone, .nr_fields = 1 };
	const struct record record = { .type = RECORD_HIT, .desc = &one, .payload = (uint8_t *)bytes, .payload_len = len };
	struct printer *printer = printer_create(s->out, PRINT_TEXT, false);
	char *text = NULL;

	printer_programs(printer, session_code(s));
	alone.fault_bit = -1;
	alone.depends = 0;
	if (alone.length > len)
		alone.length = len;
	if (desc_wants_symbols(&one))
		printer_symbols(printer, session_want_symbols(s));
	record_items(printer, &record, take_text, &text);
	printer_free(printer);
	return text ? text : mem_strdup("");
}

char *counted_title(const struct counted *counted)
{
	return mem_printf("%s %s", counted->desc->typed, counted->desc->options);
}

/* -------------------------------------------------------------------- values */

const char *wide_text(__int128 value, char buf[WIDE_SIZE])
{
	unsigned __int128 left = value < 0 ? -(unsigned __int128)value : (unsigned __int128)value;
	char *at = buf + WIDE_SIZE - 1;
	size_t digits = 0;

	*at = '\0';
	do {
		if (digits && digits % 3 == 0)
			*--at = ',';
		*--at = '0' + (char)(left % 10);
		left /= 10;
		digits++;
	} while (left);
	if (value < 0)
		*--at = '-';
	return memmove(buf, at, strlen(at) + 1);
}

const char *counted_value_name(const struct counted *counted)
{
	return aggregate_is_histogram(counted->desc->aggregate) ? "count" : aggregate_kind(counted->desc->aggregate->kind);
}

const char *counted_value_text(const struct counted *counted, const struct counted_row *row, char buf[VALUE_TEXT])
{
	const struct desc_aggregate *aggregate = counted->desc->aggregate;
	const __int128 sum = counted_sum(counted, row);
	const long double average = (long double)sum / counted_number(counted, row);
	const bool is_average = aggregate->kind == KT_AGG_AVG;

	if (aggregate->is_time && !aggregate_is_histogram(aggregate))
		return duration_text(is_average ? (double)average : (double)sum, buf);
	if (!is_average)
		return wide_text(sum, buf);
	snprintf(buf, VALUE_TEXT, "%.1Lf", average);
	return buf;
}

const char *counted_limit_text(const struct counted *counted, __int128 limit, char buf[VALUE_TEXT])
{
	return counted->desc->aggregate->is_time ? duration_text((double)limit, buf) : wide_text(limit, buf);
}

bool counted_span(const struct counted *counted, const struct counted_row *row, size_t *from, size_t *to)
{
	const size_t n = counted_buckets(counted);

	for (*from = 0; *from < n && !row->value[*from]; ++*from)
		;
	for (*to = n; *to > *from && !row->value[*to - 1]; --*to)
		;
	return *from < *to;
}

bool counted_is_below(const struct counted *counted, size_t n)
{
	return !n;
}

bool counted_is_above(const struct counted *counted, size_t n)
{
	return counted->desc->aggregate->kind == KT_AGG_LHIST && n + 1 == counted_buckets(counted);
}
