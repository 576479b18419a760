// SPDX-License-Identifier: GPL-2.0-or-later
/* print_csv.c - one line a record, one column a field (RFC 4180); see docs/output.md. */
#include "ctl/trace/print/print_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "ctl/ask/resolve/probe_point.h"
#include "ctl/base/escape.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/base/put.h"
#include "symbols/base/hash.h"

static void put_address(FILE *out, uint64_t addr)
{
	put_text(out, "0x");
	put_hex(out, addr, 1);
}

static void print_callers(struct printer *printer, const struct item *item)
{
	char symbol[SYMBOL_SIZE];

	for (size_t i = 0; i < item->length; i++) {
		uint64_t addr = item_caller(printer, item, i, symbol);

		put_text(printer->out, i ? " " : "");
		if (*symbol)
			escape_csv_part(printer->out, symbol);
		else
			put_address(printer->out, addr);
	}
}

void item_csv(struct printer *printer, const struct item *item)
{
	FILE *out = printer->out;
	char text[NUMBER_SIZE];

	if (item->unreadable && item->has_address)
		fprintf(out, "0x%" PRIx64 "(unreadable)", item->address);
	else if (item->unreadable)
		put_char(out, '?');
	else if (item->word)
		escape_csv_part(out, item->word);
	else if (item->kind == FIELD_STRING)
		escape_text(out, item->raw, item->length, false, "\"\"");
	else if (item->kind == FIELD_BACKTRACE)
		print_callers(printer, item);
	else if (item_is_decimal(item) && format_number(text, item))
		put_text(out, text);
	else if (item->kind == FIELD_INT && item->value <= JSON_EXACT)
		put_decimal(out, item->value);
	else if (item->kind == FIELD_FLOAT && format_float(text, item))
		put_text(out, text);
	else if (item->kind == FIELD_CONST && format_const(text, item->value))
		put_text(out, text);
	else
		put_address(out, item->value);
}

/* ------------------------------------------------------------------- columns */

#define FIRST	"type,time,time_ns,delta_ns,cpu,number,name,addr,flags,lost,reason"
#define RUNNER	",pid,tid,comm"

struct csv_column {
	char *name;
	size_t nth;		/* of the fields of that name in a record, from 0 */
	size_t at;		/* its place among the columns of a line, from 0 */
};

/* The text of one field of a record. */
struct csv_cell {
	size_t at;		/* index of its column */
	const char *text;
	size_t len;
};

/* A descriptor that has columns. */
struct csv_known {
	const struct desc *desc;	/* only its address is used; NULL: none */
	size_t *columns;		/* index of the column of each of its fields */
	size_t n;
};

struct csv {
	struct csv_column *columns;	/* by name and nth */
	char **headings;		/* by `at`; they belong to the columns */
	size_t n;			/* columns so far */
	size_t headed;			/* columns in the heading that was printed last */
	bool is_headed;
	struct csv_known *known;	/* a hash table */
	size_t nr_known, nr_slots;	/* nr_slots: a power of 2, or 0 */
	/* Set by take_names(): */
	const char **names;
	size_t nr_names, room;
	/* The record that is being printed: */
	const struct csv_known *record;	/* its descriptor */
	struct csv_cell *cells;
	size_t nr_cells, room_cells;
	FILE *line;
	char *text;
	size_t len;
};

static struct csv *csv_of(struct printer *printer)
{
	if (!printer->csv)
		printer->csv = mem_zalloc(1, sizeof(*printer->csv));
	return printer->csv;
}

static void forget_known(struct csv *csv)
{
	for (size_t i = 0; i < csv->nr_slots; i++)
		free(csv->known[i].columns);
	free(csv->known);
	csv->known = NULL;
	csv->nr_known = csv->nr_slots = 0;
}

void csv_free(struct csv *csv)
{
	if (!csv)
		return;
	forget_known(csv);
	for (size_t i = 0; i < csv->n; i++)
		free(csv->columns[i].name);
	free(csv->columns);
	free(csv->cells);
	free(csv->headings);
	free(csv->names);
	if (csv->line)
		fclose(csv->line);
	free(csv->text);
	free(csv);
}

static size_t insert(struct csv *csv, size_t before, const char *name, size_t nth)
{
	const size_t n = csv->n;

	csv->columns = MEM_MORE(csv->columns, n);
	csv->headings = MEM_MORE(csv->headings, n);
	memmove(&csv->columns[before + 1], &csv->columns[before], (n - before) * sizeof(*csv->columns));
	csv->columns[before] = (struct csv_column){ mem_strdup(name), nth, n };
	csv->headings[n] = csv->columns[before].name;
	csv->n++;
	return n;
}

/* Returns the index of the column of the field names[i].  If there is no such column, it is added. */
static size_t column_of(struct csv *csv, size_t i)
{
	const char *name = csv->names[i];
	size_t low = 0, high = csv->n, nth = 0;

	while (i--)
		nth += !strcmp(csv->names[i], name);
	while (low < high) {
		const size_t middle = (low + high) / 2;
		const struct csv_column *column = &csv->columns[middle];
		const int order = strcmp(column->name, name);

		if (!order && column->nth == nth)
			return column->at;
		if (order < 0 || (!order && column->nth < nth))
			low = middle + 1;
		else
			high = middle;
	}
	return insert(csv, low, name, nth);
}

static void add_name(struct csv *csv, const char *name)
{
	csv->names = csv->nr_names == csv->room ? mem_grow(csv->names, csv->room = 2 * csv->room + 8, sizeof(*csv->names)) : csv->names;
	csv->names[csv->nr_names++] = name;
}

/* Set `names` to the names of the fields, in the order in which record_items() gives the values of a record. */
static void take_names(struct csv *csv, const struct desc *desc)
{
	csv->nr_names = 0;
	for (size_t i = 0; i < desc->nr_fields; i++) {
		if (desc->fields[i].kind == FIELD_ALLREGS)
			for (size_t reg = 0; reg < arch_native.nr_all_regs; reg++)
				add_name(csv, arch_reg_name(&arch_native, arch_native.all_regs[reg]));
		else if (!field_is_hidden(&desc->fields[i]))
			add_name(csv, desc->fields[i].name);
	}
}

/* The slot of a descriptor, or the free one where it belongs. */
static struct csv_known *slot_of(const struct csv *csv, const struct desc *desc)
{
	size_t i = hash_number(HASH_START, (uintptr_t)desc) & (csv->nr_slots - 1);

	while (csv->known[i].desc && csv->known[i].desc != desc)
		i = (i + 1) & (csv->nr_slots - 1);
	return &csv->known[i];
}

static void grow_known(struct csv *csv)
{
	struct csv_known *const before = csv->known;
	const size_t nr_before = csv->nr_slots;

	if (2 * csv->nr_known < nr_before)
		return;
	csv->nr_slots = nr_before ? 2 * nr_before : 64;
	csv->known = mem_zalloc(csv->nr_slots, sizeof(*csv->known));
	for (size_t i = 0; i < nr_before; i++)
		if (before[i].desc)
			*slot_of(csv, before[i].desc) = before[i];
	free(before);
}

/* Do the columns belong to the descriptor of take_names()?  A new one may have the address of one that was freed. */
static bool is_right(const struct csv *csv, const struct csv_known *known)
{
	bool right = known->n == csv->nr_names;

	for (size_t i = 0; right && i < known->n; i++)
		right = !strcmp(csv->headings[known->columns[i]], csv->names[i]);
	return right;
}

/* Returns the descriptor with its columns.  It is valid until the next call. */
static const struct csv_known *know(struct printer *printer, const struct desc *desc)
{
	struct csv *csv = csv_of(printer);
	struct csv_known *known;

	take_names(csv, desc);
	grow_known(csv);
	known = slot_of(csv, desc);
	if (known->desc && is_right(csv, known))
		return known;
	csv->nr_known += !known->desc;
	known->desc = desc;
	for (known->n = 0; known->n < csv->nr_names; known->n++) {
		known->columns = MEM_MORE(known->columns, known->n);
		known->columns[known->n] = column_of(csv, known->n);
	}
	return known;
}

static void expect(struct printer *printer, const struct desc *desc)
{
	know(printer, desc);
}

/* A field that has a comma, a quote or a line's end stands in quotes; the text has its quotes doubled already. */
static void put_field(FILE *out, const char *text, size_t len)
{
	bool quoted = false;

	for (size_t i = 0; i < len; i++)
		quoted |= text[i] == ',' || text[i] == '"' || text[i] == '\n';
	if (quoted)
		put_char(out, '"');
	put_bytes(out, text, len);
	if (quoted)
		put_char(out, '"');
}

static void put_commas(FILE *out, size_t n)
{
	if (n == 1)
		put_char(out, ',');
	else
		put_repeated(out, ',', (int)n);
}

/* Before the first line, and again when there are more columns. */
static void print_heading(struct printer *printer)
{
	struct csv *csv = csv_of(printer);

	if (csv->is_headed && csv->headed == csv->n)
		return;
	fputs(FIRST, printer->out);
	fputs(printer->has_runners ? RUNNER : "", printer->out);
	for (size_t i = 0; i < csv->n; i++) {
		AUTO_FREE char *text = NULL;
		size_t len;
		FILE *doubled = open_memstream(&text, &len);

		fputc(',', printer->out);
		if (!doubled)
			continue;
		escape_csv(doubled, csv->headings[i]);
		fclose(doubled);
		put_field(printer->out, text, len);
	}
	fputc('\n', printer->out);
	csv->headed = csv->n;
	csv->is_headed = true;
}

/* --------------------------------------------------------------------- lines */

/* Text has no quotes of its own: a text "?" is told from an unreadable value by a backslash, as are the marks behind it. */
static void print_text_cell(FILE *out, const struct item *item)
{
	if (item->length == 1 && *item->raw == '?')
		put_char(out, '\\');
	escape_text(out, item->raw, item->length, false, "");
	if (*item_cut(item))
		fprintf(out, "\\%s", item_cut(item));
	put_text(out, item->is_late ? "\\" READ_LATE : "");
}

/* -ENOENT and -1.5 ms are words of the program, names of strangers are not. */
static bool is_own_word(const char *word)
{
	return *word == '-' && strspn(word + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789. ") == strlen(word + 1);
}

/* Must a ' keep spreadsheets from computing the cell of the item? */
static bool is_formula(struct printer *printer, const struct item *item)
{
	char symbol[SYMBOL_SIZE];

	if (item->unreadable)
		return false;
	if (item->word)
		return escape_is_formula(item->word) && !is_own_word(item->word);
	if (item->kind == FIELD_STRING) {
		AUTO_FREE char *text = NULL;

		if (!item->length || !strchr(ESCAPE_FORMULA, *item->raw))
			return false;
		text = mem_strndup((const char *)item->raw, item->length);
		return escape_is_formula(text);
	}
	if (item->kind != FIELD_BACKTRACE || !item->length)
		return false;
	item_caller(printer, item, 0, symbol);
	return escape_is_formula(symbol);
}

static void print_cell(struct printer *printer, const struct item *item, void *arg)
{
	FILE *const out = printer->out;
	struct csv *csv = printer->csv;
	struct csv_cell *cell;

	if (csv->nr_cells == csv->room_cells)
		csv->cells = mem_grow(csv->cells, csv->room_cells = 2 * csv->room_cells + 8, sizeof(*csv->cells));
	cell = &csv->cells[csv->nr_cells];
	*cell = (struct csv_cell){ .at = csv->record->columns[csv->nr_cells] };
	csv->nr_cells++;
	if (item->absent) {
		put_char(csv->line, '\0');
		return;
	}
	put_text(csv->line, is_formula(printer, item) ? "'" : "");
	printer->out = csv->line;
	if (item->kind == FIELD_STRING && !item->unreadable && !item->word)
		print_text_cell(csv->line, item);
	else
		item_csv(printer, item);
	if (item->word)
		put_text(csv->line, item_cut(item));
	printer->out = out;
	if (*item->symbol) {
		put_char(csv->line, '(');
		escape_csv_part(csv->line, item->symbol);
		put_char(csv->line, ')');
	}
	put_char(csv->line, '\0');
}

/* The texts of all cells are in one string, one after the other; each ends with a 0. */
static void find_texts(struct csv *csv)
{
	const char *text = csv->text;

	for (size_t i = 0; i < csv->nr_cells; i++) {
		csv->cells[i].text = text;
		csv->cells[i].len = strlen(text);
		text += csv->cells[i].len + 1;
	}
}

/* Records have few cells, most of them in the order of the columns. */
static void sort_cells(struct csv *csv)
{
	for (size_t i = 1; i < csv->nr_cells; i++) {
		const struct csv_cell cell = csv->cells[i];
		size_t n = i;

		for (; n && csv->cells[n - 1].at > cell.at; n--)
			csv->cells[n] = csv->cells[n - 1];
		csv->cells[n] = cell;
	}
}

static bool begin_line(struct csv *csv)
{
	if (!csv->line)
		csv->line = open_memstream(&csv->text, &csv->len);
	if (csv->line)
		rewind(csv->line);
	return csv->line;
}

static void print_cells(struct printer *printer, const struct record *record)
{
	struct csv *csv = printer->csv;
	size_t at = 0;

	if (!begin_line(csv))
		return;
	csv->nr_cells = 0;
	record_items(printer, record, print_cell, NULL);
	fflush_unlocked(csv->line);
	find_texts(csv);
	sort_cells(csv);
	for (size_t i = 0; i < csv->nr_cells; i++) {
		const struct csv_cell *cell = &csv->cells[i];

		put_commas(printer->out, cell->at + 1 - at);
		put_field(printer->out, cell->text, cell->len);
		at = cell->at + 1;
	}
	put_commas(printer->out, csv->n - at);
	put_char(printer->out, '\n');
}

/* The task that ran, in columns of its own. */
static void print_runner(struct printer *printer, const struct record *record)
{
	struct item items[RUNNER_ITEMS], *const comm = &items[RUNNER_ITEMS - 1];
	struct csv *csv = printer->csv;

	if (!begin_line(csv))
		return;
	runner_items(printer->runner, record->cpu, items);
	for (struct item *item = &items[1]; item < comm; item++) {
		item_csv(printer, item);
		put_char(printer->out, ',');
	}
	put_text(csv->line, is_formula(printer, comm) ? "'" : "");
	if (comm->unreadable)
		put_char(csv->line, '?');
	else
		print_text_cell(csv->line, comm);
	put_char(csv->line, '\0');
	fflush_unlocked(csv->line);
	put_field(printer->out, csv->text, strlen(csv->text));
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

/* Room for the first columns up to the number of the record, of which no type is longer. */
#define FIRST_ROOM	(sizeof("record,,,,,") + UTC_SIZE + 4 * PUT_DIGITS)

/* Returns the end. */
static char *format_time(char *to, const char *type, const struct moment *moment)
{
	to = stpcpy(to, type);
	*to++ = ',';
	format_utc(to, moment->wall_ns);
	to += strlen(to);
	*to++ = ',';
	to += put_format_signed(to, moment->wall_ns);
	*to++ = ',';
	return to;
}

static void print_hit(struct printer *printer, const struct record *record,
		      const struct moment *moment)
{
	FILE *out = printer->out;
	char name[RECORD_NAME], first[FIRST_ROOM], *at = first;

	csv_of(printer)->record = know(printer, record->desc);
	print_heading(printer);
	at = format_time(at, "record", moment);
	if (moment->has_delta)
		at += put_format_signed(at, moment->delta_ns);
	*at++ = ',';
	at += put_format_decimal(at, record->cpu);
	*at++ = ',';
	at += put_format_decimal(at, record->count);
	put_bytes(out, first, at - first);
	put_text(out, ",\"");
	escape_csv(out, record_name(record->desc, name));
	put_text(out, "\",");
	put_address(out, probe_point_told(record->desc->addr));
	put_char(out, ',');
	print_flags(out, record->desc);
	put_text(out, printer->has_runners ? ",,," : ",,");
	if (printer->has_runners)
		print_runner(printer, record);
	print_cells(printer, record);
}

static void print_lost(struct printer *printer, const struct record *record,
		       const struct moment *moment)
{
	char first[FIRST_ROOM];

	print_heading(printer);
	put_bytes(printer->out, first, format_time(first, "lost", moment) - first);
	fprintf(printer->out, ",%" PRIu32 ",,,,,%" PRIu64 ",%s", record->cpu, record->lost,
		record->discarded ? "discarded" : "overwritten");
	fputs(printer->has_runners ? ",,," : "", printer->out);
	put_commas(printer->out, printer->csv->n);
	put_char(printer->out, '\n');
}

/* A descriptor may be freed then. */
static void print_end(struct printer *printer)
{
	print_heading(printer);
	forget_known(printer->csv);
}

const struct print_ops print_csv = {
	.expect = expect,
	.hit = print_hit,
	.lost = print_lost,
	.end = print_end,
};
