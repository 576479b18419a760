// SPDX-License-Identifier: GPL-2.0-or-later
/* print.c - the part that all output formats share: differences, values, symbols.  See print.h. */
#include "ctl/base/device/clockmap.h"
#include "ctl/trace/print/match.h"
#include "ctl/trace/print/print_int.h"
#include "ctl/ask/resolve/user_code.h"
#include "ctl/trace/print/show_number.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "ctl/ask/resolve/source.h"
#include "ctl/base/device/property.h"
#include "ctl/base/memory.h"
#include "ctl/base/put.h"
#include "ctl/base/signatures.h"
#include "symbols/base/hash.h"

#define MIN_NAME	19	/* width of the name column */
#define LINES_FROM	100	/* columns of a terminal that has room for source lines, too */

struct printer *printer_create(FILE *out, enum print_format format, bool colour)
{
	static const struct print_ops *const ops[] = {
		[PRINT_TEXT] = &print_text, [PRINT_JSON] = &print_json, [PRINT_CSV] = &print_csv,
	};
	struct printer *printer = mem_zalloc(1, sizeof(*printer));

	printer->out = out;
	printer->ops = ops[format];
	printer->colour = colour;
	printer->width = MIN_NAME;
	printer->most = UINT64_MAX;
	for (size_t i = 0; i < nr_properties; i++)
		printer->number_width[properties[i].number] = properties[i].columns;
	printer->second = INT64_MIN;
	return printer;
}

void printer_free(struct printer *printer)
{
	columns_free(&printer->cells);
	signatures_free(printer->names);
	csv_free(printer->csv);
	free(printer->runner_texts);
	for (size_t i = 0; i < printer->nr_lines; i++)
		free(printer->lines[i].text);
	free(printer->lines);
	free(printer);
}

/* Record i of the snapshot comes. */
static void look_at(struct printer *printer, size_t i)
{
	static const struct runner unknown = { .pid = RUNNER_UNKNOWN, .tid = RUNNER_UNKNOWN };

	if (printer->has_runners)
		printer->runner = printer->runners ? &printer->runners[i] : &unknown;
}

void printer_clock(struct printer *printer, const struct clockmap *map)
{
	printer->map = map;
}

void printer_symbols(struct printer *printer, const struct symtab *tab)
{
	printer->tab = tab;
}

void printer_programs(struct printer *printer, struct user_code *code)
{
	printer->code = code;
}

void printer_lines(struct printer *printer, printer_line_fn *line, void *arg)
{
	printer->line = line;
	printer->line_arg = arg;
}

void printer_state(struct printer *printer, bool shown)
{
	printer->with_state = shown;
}

void printer_terminal(struct printer *printer, size_t rows, size_t columns)
{
	printer->rows = rows;
	printer->columns = columns;
	if (columns)
		printer_short_names(printer);
}

void printer_short_names(struct printer *printer)
{
	if (!printer->names)
		printer->names = signatures_create();
}

void printer_show_runners(struct printer *printer)
{
	printer->has_runners = true;
	look_at(printer, 0);
}

void printer_runners(struct printer *printer, const struct runner *runners)
{
	printer->runners = runners;
}

void printer_match(struct printer *printer, struct match *match)
{
	printer->match = match;
}

void printer_range(struct printer *printer, uint64_t skip, uint64_t most)
{
	printer->skip = skip;
	printer->most = most;
}

bool printer_done(const struct printer *printer)
{
	return !printer->most;
}

uint64_t printer_printed(const struct printer *printer)
{
	return printer->printed;
}

/* ------------------------------------------------------------- differences */

/*
 * After a record with BASE, differences count from it.  A record with ADJACENT, and those after it, are
 * compared with their predecessors again.  A BASE record itself still shows its difference by the rule before
 * it.  The record of a text that was read later belongs to an earlier one: it has no difference, and others do not count from it.
 */
static struct moment advance(struct printer *printer, const struct record *record)
{
	uint32_t timing = record->desc->timing;
	const struct instant now = { record->ticks, clockmap_wall_ns(printer->map, record->ticks) };
	struct moment moment = { .wall_ns = now.wall_ns };

	if (record->desc->late_of)
		return moment;
	if (timing & DESC_ADJACENT)
		printer->has_base = false;
	moment.has_delta = printer->has_last;
	if (moment.has_delta)
		moment.delta_ns = clockmap_difference(printer->map, printer->has_base ? &printer->base : &printer->last, &now);
	printer->last = now;
	printer->has_last = true;
	if (timing & DESC_BASE) {
		printer->base = printer->last;
		printer->has_base = true;
	}
	return moment;
}

/* --------------------------------------------------------------- snapshots */

const char *record_name(const struct desc *desc, char buf[RECORD_NAME])
{
	if (desc->is_user || !desc->typed || !source_names_copies(desc->typed))
		return desc->name;
	if (strncmp(desc->typed, INLINE, strlen(INLINE)))
		return desc->typed;
	snprintf(buf, RECORD_NAME, "%s in %.*s", desc->typed, (int)strcspn(desc->name, "+"), desc->name);
	return buf;
}

static const char *line_at(struct printer *printer, uint64_t addr)
{
	char text[256];

	for (size_t i = 0; i < printer->nr_lines; i++)
		if (printer->lines[i].addr == addr)
			return printer->lines[i].text;
	printer->lines = MEM_MORE(printer->lines, printer->nr_lines);
	printer->lines[printer->nr_lines] = (struct shown_line){
		addr, mem_strdup(printer->line(printer->line_arg, addr, text, sizeof(text))),
	};
	return printer->lines[printer->nr_lines++].text;
}

bool name_has_line(const struct printer *printer)
{
	return !printer->columns || printer->columns >= LINES_FROM;
}

/* An address in a program, or at a function's entry, has none; a typed source line needs none. */
const char *record_line(struct printer *printer, const struct desc *desc)
{
	char name[RECORD_NAME];

	if (record_name(desc, name) != desc->name || desc->is_user || desc->is_state || KT_FILE_HAS(desc->addr) ||
	    !strchr(desc->name, '+'))
		return "";
	if (desc->line)
		return desc->line;
	return printer->line ? line_at(printer, desc->addr) : "";
}

const char *short_name(const struct printer *printer, const char *name)
{
	return printer->names ? signatures_find(printer->names, name) : name;
}

static void take_name(const struct printer *printer, const struct desc *desc)
{
	char name[RECORD_NAME];

	if (printer->names)
		signatures_add(printer->names, record_name(desc, name));
}

const char *shown_name(struct printer *printer, const struct desc *desc, char buf[RECORD_NAME])
{
	const char *line = name_has_line(printer) ? record_line(printer, desc) : "";

	if (!*line)
		return short_name(printer, record_name(desc, buf));
	snprintf(buf, RECORD_NAME, "%s  %s", desc->name, line);
	return buf;
}

/* On a terminal, a name that takes most of the line has no column as wide as it: the values of others would be cut off. */
static bool has_room(const struct printer *printer, int len)
{
	return !printer->columns || len <= (int)(printer->columns * 2 / 5);
}

static void make_room(struct printer *printer, const struct desc *desc)
{
	char name[RECORD_NAME];
	const int len = strlen(shown_name(printer, desc, name));

	if (len > printer->width && has_room(printer, len))
		printer->width = len;
	if (printer->ops->expect)
		printer->ops->expect(printer, desc);
}

void printer_expect(struct printer *printer, const struct desc *desc)
{
	take_name(printer, desc);
	make_room(printer, desc);
}

/* Records of a measurement's slowest calls are in the same ring, but the measurement prints them. */
static bool is_printed(struct printer *printer, const struct record *record)
{
	if (record->type != RECORD_HIT)
		return true;
	if (record->desc->is_hidden || (!printer->with_state && record->desc->is_state))
		return false;
	return !printer->match || match_holds(printer->match, printer, record);
}

uint64_t printer_count(struct printer *printer, const struct snapshot *snap)
{
	uint64_t n = 0;

	for (size_t i = 0; i < snapshot_count(snap); i++) {
		const struct record *record = snapshot_at(snap, i);

		look_at(printer, i);
		n += record->type == RECORD_HIT && is_printed(printer, record);
	}
	return n;
}

static void take_names(struct printer *printer, const struct snapshot *snap)
{
	for (size_t i = 0; printer->names && i < snapshot_count(snap); i++) {
		const struct record *record = snapshot_at(snap, i);

		if (record->type == RECORD_HIT && is_printed(printer, record))
			take_name(printer, record->desc);
	}
}

#define REMEMBERED	256	/* descriptors; if two share an entry, both are seen as new again and again, which costs only time */

static bool is_new(const struct desc **known, const struct desc *desc)
{
	const struct desc **entry = &known[hash_number(HASH_START, (uintptr_t)desc) % REMEMBERED];
	const bool is_new = *entry != desc;

	*entry = desc;
	return is_new;
}

void printer_expect_all(struct printer *printer, const struct snapshot *snap)
{
	const bool in_columns = printer->columns && printer->ops == &print_text;
	const struct desc *known[REMEMBERED] = { NULL };

	take_names(printer, snap);
	for (size_t i = 0; i < snapshot_count(snap); i++) {
		const struct record *record = snapshot_at(snap, i);

		look_at(printer, i);
		if (record->type != RECORD_HIT || !is_printed(printer, record))
			continue;
		if (is_new(known, record->desc))
			make_room(printer, record->desc);
		if (printer->has_runners && printer->ops == &print_text)
			runner_expect(printer, record);
		if (in_columns)
			columns_consider(&printer->cells, printer, record);
	}
}

static void print_hit(struct printer *printer, const struct record *record)
{
	const struct moment moment = advance(printer, record);

	if (printer->skip) {
		printer->skip--;
		return;
	}
	printer->most--;
	printer->printed++;
	printer->ops->hit(printer, record, &moment);
}

void printer_record(struct printer *printer, const struct record *record)
{
	struct moment moment;

	if (printer_done(printer) || !is_printed(printer, record))
		return;
	if (record->type == RECORD_HIT) {
		print_hit(printer, record);
		return;
	}
	if (printer->skip)
		return;
	moment = (struct moment){ .wall_ns = clockmap_wall_ns(printer->map, record->ticks) };
	printer->ops->lost(printer, record, &moment);
}

void printer_end(struct printer *printer)
{
	if (printer->ops->end)
		printer->ops->end(printer);
	fflush(printer->out);
}

void printer_part(struct printer *printer, const struct snapshot *snap, size_t from, size_t to)
{
	if (!from)
		printer_expect_all(printer, snap);
	for (size_t i = from; i < to; i++) {
		look_at(printer, i);
		printer_record(printer, snapshot_at(snap, i));
	}
	printer_end(printer);
}

void printer_snapshot(struct printer *printer, const struct snapshot *snap)
{
	printer_part(printer, snap, 0, snapshot_count(snap));
}

/* ----------------------------------------------------------------- numbers */

bool const_is_number(uint64_t value, int64_t most)
{
	return (int64_t)value >= INT32_MIN && (int64_t)value <= most;
}

static int format_0x(char buf[NUMBER_SIZE], uint64_t value)
{
	memcpy(buf, "0x", 2);
	return 2 + put_format_hex(buf + 2, value, 1);
}

int format_const(char buf[NUMBER_SIZE], uint64_t value)
{
	return const_is_number(value, UINT32_MAX) ? put_format_signed(buf, value) : format_0x(buf, value);
}

bool item_is_decimal(const struct item *item)
{
	switch (item->kind) {
	case FIELD_NUMBER:
	case FIELD_ELAPSED:
		return true;
	case FIELD_INT:
		return item->is_signed || item->bytes < 8;
	default:
		return false;
	}
}

int format_number(char buf[NUMBER_SIZE], const struct item *item)
{
	if (!item_is_decimal(item) && item->value > UINT32_MAX)
		return format_0x(buf, item->value);
	return item->is_signed ? put_format_signed(buf, item->value) : put_format_decimal(buf, item->value);
}

double item_float(const struct item *item)
{
	const uint32_t low = item->value;
	double value;
	float narrow;

	memcpy(&value, &item->value, sizeof(value));
	memcpy(&narrow, &low, sizeof(narrow));
	return item->bytes == 4 ? narrow : value;
}

int format_float(char buf[NUMBER_SIZE], const struct item *item)
{
	const double value = item_float(item);
	const int most = item->bytes == 4 ? 9 : 17;
	int digits = 1, exponent, len;

	/* A NaN has no sign that means anything. */
	if (!isfinite(value))
		return snprintf(buf, NUMBER_SIZE, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
	for (;; digits++) {
		len = snprintf(buf, NUMBER_SIZE, "%.*g", digits, value);
		if (digits == most || (item->bytes == 4 ? strtof(buf, NULL) == (float)value : strtod(buf, NULL) == value))
			break;
	}
	/* A whole number that C would write without an exponent: 1000000, not 1e+06. */
	exponent = strchr(buf, 'e') ? atoi(strchr(buf, 'e') + 1) : 0;
	return exponent > 0 && exponent < most ? snprintf(buf, NUMBER_SIZE, "%.*f", 0, value) : len;
}

uint64_t item_caller(const struct printer *printer, const struct item *item, size_t n,
		     char buf[SYMBOL_SIZE])
{
	uint64_t addr, hit;

	memcpy(&addr, item->raw + 8 * n, sizeof(addr));
	memcpy(&hit, item->raw, sizeof(hit));
	buf[0] = '\0';
	if (addr == KT_CALLER_UNKNOWN)
		strcpy(buf, "?");
	else if (printer->code && item->desc && KT_FILE_HAS(item->desc->addr))
		user_code_name(printer->code, &(struct user_list){ item->desc->typed, KT_FILE_OFFSET(item->desc->addr), hit }, addr, n, buf,
			       SYMBOL_SIZE);
	else if (printer->tab)
		symtab_describe(printer->tab, addr, buf, SYMBOL_SIZE);
	return addr;
}

#define LATE_FLAG	"AT_RETURN"

const char *desc_flag_text(const char *flag)
{
	return strcmp(flag, LATE_FLAG) ? flag : READ_LATE;
}

size_t desc_flags(const struct desc *desc, const char *out[MAX_FLAGS])
{
	const struct {
		bool set;
		const char *name;
	} rows[MAX_FLAGS] = {
		{ desc->control & KT_DESC_UNFREEZE, "UNFREEZE" },
		{ desc->timing & DESC_BASE, "BASE" },
		{ desc->timing & DESC_ADJACENT, "ADJACENT" },
		{ desc->control & KT_DESC_LATEFREEZE, "LATEFREEZE" },
		{ desc->control & KT_DESC_FREEZE, "FREEZE" },
		{ desc->late_of, LATE_FLAG },
	};
	size_t nr = 0;

	for (size_t i = 0; i < MAX_FLAGS; i++)
		if (rows[i].set)
			out[nr++] = rows[i].name;
	return nr;
}

void format_utc(char buf[UTC_SIZE], int64_t wall_ns)
{
	static _Thread_local char text[UTC_SIZE];	/* of that second, up to its fraction */
	static _Thread_local time_t of;
	static _Thread_local size_t n;
	const time_t second = wall_ns / NS_PER_S;
	struct tm tm;

	if (!n || second != of) {
		gmtime_r(&second, &tm);
		n = strftime(text, UTC_SIZE, "%Y-%m-%dT%H:%M:%S.", &tm);
		of = second;
	}
	memcpy(buf, text, n);
	memcpy(put_fixed(buf + n, wall_ns % NS_PER_S, 9), "Z", 2);
}
