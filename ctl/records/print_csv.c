// SPDX-License-Identifier: GPL-2.0-or-later
/* print_csv.c - one line a record, one column a field (RFC 4180); see docs/output.md. */
#include "ctl/records/print_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "ctl/base/escape.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/resolve/probe_point.h"

static void print_callers(struct printer *printer, const struct item *item)
{
	char symbol[SYMBOL_SIZE];

	for (size_t i = 0; i < item->length; i++) {
		uint64_t addr = item_caller(printer, item, i, symbol);

		fputs(i ? " " : "", printer->out);
		if (*symbol)
			escape_csv_part(printer->out, symbol);
		else
			fprintf(printer->out, "0x%" PRIx64, addr);
	}
}

void item_csv(struct printer *printer, const struct item *item)
{
	FILE *out = printer->out;
	char text[32];

	if (item->unreadable && item->has_address)
		fprintf(out, "0x%" PRIx64 "(unreadable)", item->address);
	else if (item->unreadable)
		fputc('?', out);
	else if (item->word)
		escape_csv_part(out, item->word);
	else if (item->kind == FIELD_STRING)
		escape_text(out, item->raw, item->length, false, "\"\"");
	else if (item->kind == FIELD_BACKTRACE)
		print_callers(printer, item);
	else if (item_is_decimal(item) && format_number(text, sizeof(text), item))
		fputs(text, out);
	else if (item->kind == FIELD_INT && item->value <= JSON_EXACT)
		fprintf(out, "%" PRIu64, item->value);
	else if (item->kind == FIELD_FLOAT && format_float(text, sizeof(text), item))
		fputs(text, out);
	else if (item->kind == FIELD_CONST && format_const(text, sizeof(text), item->value))
		fputs(text, out);
	else
		fprintf(out, "0x%" PRIx64, item->value);
}

/* ------------------------------------------------------------------- columns */

#define FIRST	"type,time,time_ns,delta_ns,cpu,number,name,addr,flags,lost,reason"
#define RUNNER	",pid,tid,comm"

struct csv_column {
	char *name;
	size_t nth;		/* of the fields of that name in a record, from 0 */
	size_t at;		/* its place among the columns of a line, from 0 */
};

/* The cell of a column, in the line that is being built. */
struct csv_cell {
	size_t from, len;
};

struct csv {
	struct csv_column *columns;	/* by name and nth */
	struct csv_cell *cells;	/* by `at` */
	char **headings;		/* by `at`; they belong to the columns */
	size_t n;			/* columns so far */
	size_t headed;			/* columns in the heading that was printed last */
	bool is_headed;
	const struct desc *known;	/* the last descriptor that got columns; only its address is used */
	/* The fields of a record so far. */
	const char **names;
	size_t nr_names, room;
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

void csv_free(struct csv *csv)
{
	if (!csv)
		return;
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
	csv->cells = MEM_MORE(csv->cells, n);
	csv->headings = MEM_MORE(csv->headings, n);
	memmove(&csv->columns[before + 1], &csv->columns[before], (n - before) * sizeof(*csv->columns));
	csv->columns[before] = (struct csv_column){ mem_strdup(name), nth, n };
	csv->headings[n] = csv->columns[before].name;
	csv->cells[n] = (struct csv_cell){ 0 };
	csv->n++;
	return n;
}

/* Where the column is for the next field of a record; make the column if there is none. */
static size_t column_of(struct csv *csv, const char *name)
{
	size_t low = 0, high = csv->n, nth = 0;

	for (size_t i = 0; i < csv->nr_names; i++)
		nth += !strcmp(csv->names[i], name);
	if (csv->nr_names == csv->room)
		csv->names = mem_grow(csv->names, csv->room = 2 * csv->room + 8, sizeof(*csv->names));
	csv->names[csv->nr_names++] = name;
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

static void expect(struct printer *printer, const struct desc *desc)
{
	struct csv *csv = csv_of(printer);

	if (csv->known == desc)
		return;
	csv->known = desc;
	csv->nr_names = 0;
	for (size_t i = 0; i < desc->nr_fields; i++) {
		if (desc->fields[i].kind == FIELD_ALLREGS)
			for (size_t reg = 0; reg < arch_native.nr_all_regs; reg++)
				column_of(csv, arch_reg_name(&arch_native, arch_native.all_regs[reg]));
		else if (!field_is_hidden(&desc->fields[i]))
			column_of(csv, desc->fields[i].name);
	}
}

/* A field that has a comma, a quote or a line's end stands in quotes; the text has its quotes doubled already. */
static void put_field(FILE *out, const char *text, size_t len)
{
	const char *quote = memchr(text, ',', len) || memchr(text, '"', len) || memchr(text, '\n', len) ? "\"" : "";

	fputs(quote, out);
	fwrite(text, 1, len, out);
	fputs(quote, out);
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

/* Text has no quotes of its own: a text "?" is told from an unreadable value by a backslash, as are the marks of a cut. */
static void print_text_cell(FILE *out, const struct item *item)
{
	if (item->length == 1 && *item->raw == '?')
		fputc('\\', out);
	escape_text(out, item->raw, item->length, false, "");
	if (*item_cut(item))
		fprintf(out, "\\%s", item_cut(item));
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
		AUTO_FREE char *text = mem_strndup((const char *)item->raw, item->length);

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
	const size_t at = column_of(csv, item->name);

	csv->cells[at].from = ftell(csv->line);
	if (item->absent)
		return;
	fputs(is_formula(printer, item) ? "'" : "", csv->line);
	printer->out = csv->line;
	if (item->kind == FIELD_STRING && !item->unreadable && !item->word)
		print_text_cell(csv->line, item);
	else
		item_csv(printer, item);
	if (item->word)
		fputs(item_cut(item), csv->line);
	printer->out = out;
	if (*item->symbol) {
		fputc('(', csv->line);
		escape_csv_part(csv->line, item->symbol);
		fputc(')', csv->line);
	}
	csv->cells[at].len = ftell(csv->line) - csv->cells[at].from;
}

static void print_cells(struct printer *printer, const struct record *record)
{
	struct csv *csv = printer->csv;

	if (!csv->line)
		csv->line = open_memstream(&csv->text, &csv->len);
	if (!csv->line)
		return;
	rewind(csv->line);
	csv->nr_names = 0;
	for (size_t i = 0; i < csv->n; i++)
		csv->cells[i].len = 0;
	record_items(printer, record, print_cell, NULL);
	fflush(csv->line);
	for (size_t i = 0; i < csv->n; i++) {
		fputc(',', printer->out);
		put_field(printer->out, csv->text + csv->cells[i].from, csv->cells[i].len);
	}
	fputc('\n', printer->out);
}

/* The task that ran, in columns of its own. */
static void print_runner(struct printer *printer, const struct record *record)
{
	AUTO_FREE char *text = NULL;
	struct item items[RUNNER_ITEMS];
	size_t len;
	FILE *comm = open_memstream(&text, &len);

	if (!comm)
		return;
	runner_items(printer->runner, record->cpu, items);
	for (size_t i = 1; i < RUNNER_ITEMS - 1; i++) {
		item_csv(printer, &items[i]);
		fputc(',', printer->out);
	}
	fputs(is_formula(printer, &items[RUNNER_ITEMS - 1]) ? "'" : "", comm);
	if (items[RUNNER_ITEMS - 1].unreadable)
		fputc('?', comm);
	else
		print_text_cell(comm, &items[RUNNER_ITEMS - 1]);
	fclose(comm);
	put_field(printer->out, text, len);
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
	char name[RECORD_NAME];

	expect(printer, record->desc);
	print_heading(printer);
	print_time(out, "record", moment);
	if (moment->has_delta)
		fprintf(out, "%" PRId64, moment->delta_ns);
	fprintf(out, ",%" PRIu32 ",%" PRIu64 ",\"", record->cpu, record->count);
	escape_csv(out, record_name(record->desc, name));
	fprintf(out, "\",0x%" PRIx64 ",", probe_point_told(record->desc->addr));
	print_flags(out, record->desc);
	fputs(printer->has_runners ? ",,," : ",,", out);
	if (printer->has_runners)
		print_runner(printer, record);
	print_cells(printer, record);
}

static void print_lost(struct printer *printer, const struct record *record,
		       const struct moment *moment)
{
	print_heading(printer);
	print_time(printer->out, "lost", moment);
	fprintf(printer->out, ",%" PRIu32 ",,,,,%" PRIu64 ",%s", record->cpu, record->lost,
		record->discarded ? "discarded" : "overwritten");
	fputs(printer->has_runners ? ",,," : "", printer->out);
	for (size_t i = 0; i < printer->csv->n; i++)
		fputc(',', printer->out);
	fputc('\n', printer->out);
}

/* A descriptor may be freed then. */
static void print_end(struct printer *printer)
{
	print_heading(printer);
	printer->csv->known = NULL;
}

const struct print_ops print_csv = {
	.expect = expect,
	.hit = print_hit,
	.lost = print_lost,
	.end = print_end,
};
