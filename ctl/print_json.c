// SPDX-License-Identifier: GPL-2.0-or-later
/* print_json.c - one JSON object a line; the schema is docs/output.md. */
#include "ctl/print_int.h"

#include <inttypes.h>
#include <string.h>

#include "ctl/escape.h"
#include "ctl/place.h"

static void print_head(const struct printer *printer, const char *type)
{
	fprintf(printer->out, "{\"type\":\"%s\",\"v\":%d", type, OUTPUT_VERSION);
}

static void print_time(const struct printer *printer, const struct moment *moment)
{
	char utc[UTC_SIZE];

	format_utc(utc, moment->wall_ns);
	fprintf(printer->out, ",\"time\":\"%s\",\"time_ns\":\"%" PRId64 "\"", utc, moment->wall_ns);
}

static void print_value(FILE *out, const struct item *item)
{
	char text[32];

	if (item->unreadable || item->kind == FIELD_TEXT) {
		fputs("null", out);
	} else if (item->kind == FIELD_STRING) {
		escape_text(out, item->raw, item->length, true, "\"");
	} else if (item_is_decimal(item)) {
		/* All of the kind are alike, and 64 bits do not fit a double. */
		format_number(text, sizeof(text), item);
		fprintf(out, item->bytes == 8 ? "\"%s\"" : "%s", text);
	} else if (item->kind == FIELD_CONST) {
		bool large;

		format_const(text, sizeof(text), item->value);
		large = !strncmp(text, "0x", 2);
		fprintf(out, "%s%s%s", large ? "\"" : "", text, large ? "\"" : "");
	} else {
		fprintf(out, "\"0x%" PRIx64 "\"", item->value);
	}
}

static void print_callers(struct printer *printer, const struct item *item)
{
	FILE *out = printer->out;
	char symbol[SYMBOL_SIZE];

	fputc('[', out);
	for (size_t i = 0; i < item->length; i++) {
		fprintf(out, "%s{\"addr\":\"0x%" PRIx64 "\"", i ? "," : "",
			item_caller(printer, item, i, symbol));
		if (*symbol) {
			fputs(",\"symbol\":", out);
			escape_json(out, symbol);
		}
		fputc('}', out);
	}
	fputc(']', out);
}

static void print_item(struct printer *printer, const struct item *item, void *arg)
{
	const char **before = arg;
	FILE *out = printer->out;

	fprintf(out, "%s{\"name\":", *before);
	*before = ",";
	escape_json(out, item->name);
	fputs(",\"value\":", out);
	if (item->kind == FIELD_BACKTRACE)
		print_callers(printer, item);
	else
		print_value(out, item);
	if (*item_cut(item))
		fputs(item->breaks_off ? ",\"cut\":true,\"unreadable\":true" : ",\"cut\":true", out);
	if (item->unreadable && item->has_address)
		fprintf(out, ",\"address\":\"0x%" PRIx64 "\"", item->address);
	if (*item->symbol) {
		fputs(",\"symbol\":", out);
		escape_json(out, item->symbol);
	}
	if (item->kind == FIELD_ELAPSED)
		fputs(",\"unit\":\"ns\"", out);
	if (item->word && !item->unreadable) {
		fputs(item->kind == FIELD_TEXT ? ",\"why\":" : ",\"enum\":", out);
		escape_json(out, item->word);
	}
	if (item->kind == FIELD_PSR && !item->unreadable) {
		fputs(",\"flags\":[", out);
		print_psr_flags(out, item->value, "\"", ",");
		fputc(']', out);
	}
	fputc('}', out);
}

static void print_flags(FILE *out, const struct desc *desc)
{
	const char *flags[MAX_FLAGS];
	size_t nr = desc_flags(desc, flags);

	fputs(",\"flags\":[", out);
	for (size_t i = 0; i < nr; i++)
		fprintf(out, "%s\"%s\"", i ? "," : "", flags[i]);
	fputc(']', out);
	if (desc->control & KT_DESC_LATEFREEZE)
		fprintf(out, ",\"late\":%" PRIu64, desc->late);
}

static void print_hit(struct printer *printer, const struct record *record,
		      const struct moment *moment)
{
	FILE *out = printer->out;
	const char *before = "";

	print_head(printer, "record");
	fputs(",\"name\":", out);
	escape_json(out, record->desc->name);
	fprintf(out, ",\"addr\":\"0x%" PRIx64 "\",\"cpu\":%" PRIu32 ",\"number\":%" PRIu64,
		place_told(record->desc->addr), record->cpu, record->count);
	print_time(printer, moment);
	if (moment->has_delta)
		fprintf(out, ",\"delta_ns\":%" PRId64 ",\"data\":[", moment->delta_ns);
	else
		fputs(",\"delta_ns\":null,\"data\":[", out);
	record_items(printer, record, print_item, &before);
	fputc(']', out);
	print_flags(out, record->desc);
	fputs("}\n", out);
}

static void print_lost(struct printer *printer, const struct record *record,
		       const struct moment *moment)
{
	print_head(printer, "lost");
	fprintf(printer->out, ",\"lost\":%" PRIu64 ",\"reason\":\"%s\",\"cpu\":%" PRIu32,
		record->lost, record->discarded ? "discarded" : "overwritten", record->cpu);
	print_time(printer, moment);
	fputs("}\n", printer->out);
}

const struct print_ops print_json = {
	.hit = print_hit,
	.lost = print_lost,
};
