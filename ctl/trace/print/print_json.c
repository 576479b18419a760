// SPDX-License-Identifier: GPL-2.0-or-later
/* print_json.c - one JSON object a line; docs/output.md has the schema. */
#include "ctl/trace/print/print_int.h"

#include <math.h>
#include <string.h>

#include "arch/arch.h"
#include "ctl/ask/resolve/probe_point.h"
#include "ctl/base/device/show_object.h"
#include "ctl/base/json_out.h"
#include "ctl/base/put.h"

static void put_when(struct json *j, const struct moment *moment)
{
	char utc[UTC_SIZE], ns[PUT_DIGITS];

	format_utc(utc, moment->wall_ns);
	json_plain(j, "time", utc, strlen(utc));
	json_plain(j, "time_ns", ns, put_format_signed(ns, moment->wall_ns));
}

static void put_const(struct json *j, uint64_t value)
{
	if (const_is_number(value, JSON_EXACT))
		json_signed(j, "value", (int64_t)value);
	else
		json_hex(j, "value", value);
}

static void put_value(struct json *j, const struct item *item)
{
	char text[NUMBER_SIZE];

	if (item->unreadable || item->kind == FIELD_TEXT) {
		json_null(j, "value");
	} else if (item->kind == FIELD_STRING) {
		json_bytes(j, "value", item->raw, item->length);
	} else if (item_is_object(item)) {
		show_object_json(j, "value", item->kind, item->raw, item->length);
	} else if (item_is_decimal(item) && item->is_signed) {
		json_signed(j, "value", (int64_t)item->value);
	} else if (item_is_decimal(item) || (item->kind == FIELD_INT && item->value <= JSON_EXACT)) {
		json_number(j, "value", item->value);
	} else if (item->kind == FIELD_FLOAT) {
		format_float(text, item);
		(isfinite(item_float(item)) ? json_raw : json_text)(j, "value", text);
	} else if (item->kind == FIELD_CONST) {
		put_const(j, item->value);
	} else {
		json_hex(j, "value", item->value);
	}
}

static void put_symbol(struct json *j, const char *symbol)
{
	if (*symbol)
		json_text(j, "symbol", symbol);
}

static void put_callers(struct json *j, const struct printer *printer, const struct item *item)
{
	char symbol[SYMBOL_SIZE];
	uint64_t addr;

	json_open_array(j, "value");
	for (size_t i = 0; i < item->length; i++) {
		json_open(j, NULL);
		addr = item_caller(printer, item, i, symbol);
		if (addr == KT_CALLER_UNKNOWN) {
			json_null(j, "addr");
		} else {
			json_hex(j, "addr", addr);
			put_symbol(j, symbol);
		}
		json_close(j);
	}
	json_close(j);
}

static void put_psr_flags(struct json *j, uint64_t psr)
{
	json_open_array(j, "flags");
	for (const struct arch_flag *flag = arch_native.flags; flag->name; flag++)
		if ((psr & flag->mask) == flag->value)
			json_text(j, NULL, flag->name);
	json_close(j);
}

void item_json(struct printer *printer, const struct item *item, void *arg)
{
	struct json *j = arg;

	if (item->absent)
		return;
	json_open(j, NULL);
	json_text(j, "name", item->name);
	if (item->kind == FIELD_BACKTRACE)
		put_callers(j, printer, item);
	else
		put_value(j, item);
	if (*item_cut(item))
		json_boolean(j, "cut", true);
	if (*item_cut(item) && item->breaks_off)
		json_boolean(j, "unreadable", true);
	if (item->is_late)
		json_boolean(j, "late", true);
	if (item->unreadable && item->has_address)
		json_hex(j, "address", item->address);
	put_symbol(j, item->symbol);
	if (item->kind == FIELD_ELAPSED)
		json_text(j, "unit", "ns");
	if (item->word && !item->unreadable && !item_is_object(item))
		json_text(j, item->is_shown ? "shown" : item->kind == FIELD_TEXT ? "why" : "enum", item->word);
	if (item->kind == FIELD_PSR && !item->unreadable)
		put_psr_flags(j, item->value);
	json_close(j);
}

static void put_flags(struct json *j, const struct desc *desc)
{
	const char *flags[MAX_FLAGS];
	size_t nr = desc_flags(desc, flags);

	json_open_array(j, "flags");
	for (size_t i = 0; i < nr; i++)
		json_text(j, NULL, flags[i]);
	json_close(j);
	if (desc->control & KT_DESC_LATEFREEZE)
		json_number(j, "late", desc->late);
}

static void put_runner(struct json *j, const struct record *record, const struct runner *runner)
{
	struct item items[RUNNER_ITEMS];

	runner_items(runner, record->cpu, items);
	for (size_t i = 1; i < RUNNER_ITEMS; i++)
		if (items[i].unreadable)
			json_null(j, items[i].name);
		else if (items[i].kind == FIELD_STRING)
			json_bytes(j, items[i].name, items[i].raw, items[i].length);
		else
			json_number(j, items[i].name, items[i].value);
}

static void print_hit(struct printer *printer, const struct record *record,
		      const struct moment *moment)
{
	struct json j = json_typed(printer->out, "record");
	const struct desc *desc = record->desc;
	char buf[RECORD_NAME];
	const char *name = record_name(desc, buf);

	json_text(&j, "name", name);
	if (name != desc->name)
		json_text(&j, "place", desc->name);
	if (*record_line(printer, desc))
		json_text(&j, "line", record_line(printer, desc));
	json_hex(&j, "addr", probe_point_told(record->desc->addr));
	json_number(&j, "cpu", record->cpu);
	json_number(&j, "number", record->count);
	put_when(&j, moment);
	if (moment->has_delta)
		json_signed(&j, "delta_ns", moment->delta_ns);
	else
		json_null(&j, "delta_ns");
	if (printer->has_runners)
		put_runner(&j, record, printer->runner);
	json_open_array(&j, "data");
	record_items(printer, record, item_json, &j);
	json_close(&j);
	put_flags(&j, record->desc);
	json_end(&j);
}

static void print_lost(struct printer *printer, const struct record *record,
		       const struct moment *moment)
{
	struct json j = json_typed(printer->out, "lost");

	json_number(&j, "lost", record->lost);
	json_text(&j, "reason", record->discarded ? "discarded" : "overwritten");
	json_number(&j, "cpu", record->cpu);
	put_when(&j, moment);
	json_end(&j);
}

const struct print_ops print_json = {
	.hit = print_hit,
	.lost = print_lost,
};
