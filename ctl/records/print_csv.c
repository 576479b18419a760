// SPDX-License-Identifier: GPL-2.0-or-later
/* print_csv.c - one line a record, fixed columns (RFC 4180); see docs/output.md. */
#include "ctl/records/print_int.h"

#include <inttypes.h>
#include <string.h>

#include "ctl/base/escape.h"
#include "ctl/resolve/probe_point.h"

static void print_begin(struct printer *printer)
{
	fputs("type,time,time_ns,delta_ns,cpu,number,name,addr,data,flags,lost,reason\n",
	      printer->out);
}

static void print_callers(struct printer *printer, const struct item *item)
{
	char symbol[SYMBOL_SIZE];

	for (size_t i = 0; i < item->length; i++) {
		uint64_t addr = item_caller(printer, item, i, symbol);

		fputs(i ? " " : "", printer->out);
		if (*symbol)
			escape_doubled(printer->out, symbol);
		else
			fprintf(printer->out, "0x%" PRIx64, addr);
	}
}

static void print_value(struct printer *printer, const struct item *item)
{
	FILE *out = printer->out;
	char text[32];

	if (item->unreadable && item->has_address)
		fprintf(out, "0x%" PRIx64 "(unreadable)", item->address);
	else if (item->unreadable)
		fputc('?', out);
	else if (item->word)
		escape_doubled(out, item->word);
	else if (item->kind == FIELD_STRING)
		escape_text(out, item->raw, item->length, false, "\"\"");
	else if (item->kind == FIELD_BACKTRACE)
		print_callers(printer, item);
	else if (item_is_decimal(item) && format_number(text, sizeof(text), item))
		fputs(text, out);
	else if (item->kind == FIELD_CONST && format_const(text, sizeof(text), item->value))
		fputs(text, out);
	else
		fprintf(out, "0x%" PRIx64, item->value);
}

/* name=value, or name=value(symbol), separated by semicolons. */
static void print_item(struct printer *printer, const struct item *item, void *arg)
{
	const char **before = arg;
	FILE *out = printer->out;

	fputs(*before, out);
	*before = ";";
	escape_doubled(out, item->name);
	fputc('=', out);
	print_value(printer, item);
	fputs(item_cut(item), out);
	if (*item->symbol) {
		fputc('(', out);
		escape_doubled(out, item->symbol);
		fputc(')', out);
	}
}

static void print_flags(FILE *out, const struct desc *desc)
{
	const char *flags[MAX_FLAGS];
	size_t nr = desc_flags(desc, flags);

	for (size_t i = 0; i < nr; i++) {
		fprintf(out, "%s%s", i ? " " : "", flags[i]);
		if (!strcmp(flags[i], "LATEFREEZE"))
			fprintf(out, " %" PRIu64, desc->late);
	}
}

static void print_time(FILE *out, const char *type, const struct moment *moment)
{
	char utc[UTC_SIZE];

	format_utc(utc, moment->wall_ns);
	fprintf(out, "%s,%s,%" PRId64 ",", type, utc, moment->wall_ns);
}

static void print_hit(struct printer *printer, const struct record *record,
		      const struct moment *moment)
{
	FILE *out = printer->out;
	const char *before = "";

	print_time(out, "record", moment);
	if (moment->has_delta)
		fprintf(out, "%" PRId64, moment->delta_ns);
	fprintf(out, ",%" PRIu32 ",%" PRIu64 ",\"", record->cpu, record->count);
	escape_doubled(out, record->desc->name);
	fprintf(out, "\",0x%" PRIx64 ",\"", probe_point_told(record->desc->addr));
	record_items(printer, record, print_item, &before);
	fputs("\",", out);
	print_flags(out, record->desc);
	fputs(",,\n", out);
}

static void print_lost(struct printer *printer, const struct record *record,
		       const struct moment *moment)
{
	print_time(printer->out, "lost", moment);
	fprintf(printer->out, ",%" PRIu32 ",,,,,,%" PRIu64 ",%s\n", record->cpu, record->lost,
		record->discarded ? "discarded" : "overwritten");
}

const struct print_ops print_csv = {
	.begin = print_begin,
	.hit = print_hit,
	.lost = print_lost,
};
