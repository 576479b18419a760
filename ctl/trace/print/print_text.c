// SPDX-License-Identifier: GPL-2.0-or-later
/* print_text.c - records as text. */
#include "ctl/trace/print/print_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "ctl/base/device/property.h"
#include "ctl/base/duration.h"
#include "ctl/base/escape.h"
#include "ctl/base/fit.h"
#include "ctl/base/memory.h"
#include "ctl/base/put.h"
#include "ctl/base/style.h"

#define DELTA_WIDTH	14
#define TIME_WIDTH	18	/* see format_time() */
#define COLUMNS		3	/* registers a line in continuation lines */
#define MAX_WIDTH	100	/* of a line of symbol names */
#define INDENT		"    "

/* -------------------------------------------------------------------- time */

static void format_date(char buf[16], const struct tm *tm)
{
	strftime(buf, 16, "%Y-%m-%d", tm);
}

static void today(char buf[16])
{
	time_t now = time(NULL);
	struct tm tm;

	localtime_r(&now, &tm);
	format_date(buf, &tm);
}

/* Print the date on a line of its own when it changes, and at first if it is not today. */
static void print_date(struct printer *printer)
{
	char date[16];

	format_date(date, &printer->local);
	if (!printer->dated)
		today(printer->date);
	printer->dated = true;
	if (!strcmp(date, printer->date))
		return;
	strcpy(printer->date, date);
	fprintf(printer->out, "--- %s ---\n", date);
}

static void set_second(struct printer *printer, int64_t wall_ns)
{
	time_t second = wall_ns / NS_PER_S;

	if (second == printer->second)
		return;
	printer->second = second;
	localtime_r(&second, &printer->local);
	print_date(printer);
}

static void print_delta(const struct printer *printer, const struct moment *moment)
{
	const uint64_t ns = llabs(moment->delta_ns);
	char digits[PUT_DIGITS + 12], *end = digits, text[sizeof("  ()") + DELTA_WIDTH + sizeof(digits)], *at;

	if (moment->has_delta) {
		if (moment->delta_ns < 0)
			*end++ = '-';
		end += put_format_decimal(end, ns / NS_PER_S);
		*end++ = '.';
		end = put_fixed(end, ns % NS_PER_S, 9);
	}
	at = put_pad(stpcpy(text, "  ("), DELTA_WIDTH - (int)(end - digits));
	at = mempcpy(at, digits, end - digits);
	*at++ = ')';
	put_bytes(printer->out, text, at - text);
}

/* A name that is longer than the column has its two blanks, too. */
static int width_with(const struct printer *printer, const char *name)
{
	const size_t bytes = strlen(name);
	const int len = (int)(escape_plain_length(name, bytes) == bytes ? bytes : fit_length(escape_shown(name)));

	return (len > printer->width ? len : printer->width) + 2;
}

/* "14:03:11.482913207" */
static void format_time(char out[TIME_WIDTH + 1], const struct tm *tm, uint32_t ns)
{
	out = put_fixed(out, tm->tm_hour, 2);
	*out++ = ':';
	out = put_fixed(out, tm->tm_min, 2);
	*out++ = ':';
	out = put_fixed(out, tm->tm_sec, 2);
	*out++ = '.';
	*put_fixed(out, ns, 9) = '\0';
}

static void print_head(struct printer *printer, const struct desc *desc,
		       const struct moment *moment)
{
	char time[TIME_WIDTH + 1], buf[RECORD_NAME];
	const char *name = shown_name(printer, desc, buf);

	format_time(time, &printer->local, moment->wall_ns % NS_PER_S);
	style_put(printer->out, printer->colour, STYLE_NAME, name, width_with(printer, name));
	style_put(printer->out, printer->colour, STYLE_DIM, time, 0);
	print_delta(printer, moment);
}

/* ------------------------------------------------------------------ values */

static void put_before(struct printer *printer)
{
	put_blanks(printer->out, printer->before);
	printer->before = 0;
}

/* With the blanks before it. */
static void put_named(struct printer *printer, const struct item *item, char between, const char *text)
{
	const char *name = escape_shown(item->name);
	const size_t len = strlen(name), text_len = strlen(text), before = printer->before;
	char line[128], *at = line;

	if (before + len + 1 + text_len > sizeof(line)) {
		put_before(printer);
		put_bytes(printer->out, name, len);
		put_char(printer->out, between);
		put_bytes(printer->out, text, text_len);
		return;
	}
	printer->before = 0;
	at = mempcpy(put_pad(at, (int)before), name, len);
	*at++ = between;
	at = mempcpy(at, text, text_len);
	put_bytes(printer->out, line, at - line);
}

static void put_symbol(struct printer *printer, const struct item *item)
{
	if (!*item->symbol)
		return;
	put_text(printer->out, " (");
	put_text(printer->out, escape_shown(item->symbol));
	put_char(printer->out, ')');
}

/*
 * Pad a number to its column later: the blanks are printed before the next text, so that no line ends with
 * blanks.
 */
static void print_number(struct printer *printer, const struct item *item)
{
	const struct property *property = property_named(item->name);
	int *width = &printer->number_width[property ? property->number : KT_NR_CURS];
	char text[NUMBER_SIZE];
	int digits = format_number(text, item);

	put_named(printer, item, ' ', text);
	*width = digits > *width ? digits : *width;
	printer->owed = *width - digits;
}

static void print_const(struct printer *printer, const struct item *item)
{
	char text[NUMBER_SIZE];

	format_const(text, item->value);
	put_named(printer, item, ' ', text);
}

static void print_psr(struct printer *printer, const struct item *item)
{
	const char *before = "";

	fprintf(printer->out, "%s=%08" PRIx64 " [", escape_shown(item->name), item->value);
	for (const struct arch_flag *flag = arch_native.flags; flag->name; flag++) {
		if ((item->value & flag->mask) != flag->value)
			continue;
		fprintf(printer->out, "%s%s", before, escape_shown(flag->name));
		before = " ";
	}
	fputc(']', printer->out);
}

static void print_hex(struct printer *printer, const struct item *item)
{
	char text[NUMBER_SIZE];

	put_format_hex(text, item->value, 2 * item->bytes);
	put_named(printer, item, '=', text);
	put_symbol(printer, item);
}

/* A large value that may be a pointer is shown like an address. */
static void print_int(struct printer *printer, const struct item *item)
{
	char text[NUMBER_SIZE];

	format_number(text, item);
	put_named(printer, item, '=', text);
	if (!strncmp(text, "0x", 2))
		put_symbol(printer, item);
}

/* From fractions of a microsecond to hours. */
static void print_elapsed(struct printer *printer, const struct item *item)
{
	char text[DURATION_SIZE];

	put_named(printer, item, '=', duration_text(item->value, text));
}

static void print_float(struct printer *printer, const struct item *item)
{
	char text[NUMBER_SIZE];

	format_float(text, item);
	put_named(printer, item, '=', text);
}

static void print_word(struct printer *printer, const struct item *item)
{
	const char *cut = item_cut(item);

	put_named(printer, item, '=', escape_shown(item->word));
	put_text(printer->out, *cut ? " " : "");
	put_text(printer->out, cut);
}

static void print_text_of(struct printer *printer, const struct item *item)
{
	put_named(printer, item, '=', "");
	escape_text(printer->out, item->raw, item->length, false, "\"");
	put_text(printer->out, item_cut(item));
	put_text(printer->out, item->is_late ? " " READ_LATE : "");
}

static void part(struct printer *printer)
{
	put_blanks(printer->out, 2 + printer->owed);
	printer->owed = 0;
}

/* The composite whose parts are being printed. */
struct below {
	char group[sizeof(((struct field *)NULL)->name)];
};

static bool is_in_group(const struct below *below, const struct item *item)
{
	return *below->group && item->group == strlen(below->group) &&
	       !strncmp(item->name, below->group, item->group);
}

static void end_group(struct printer *printer, struct below *below)
{
	if (*below->group)
		put_char(printer->out, '}');
	below->group[0] = '\0';
}

/* "f_path={mnt=..., dentry=...}".  Returns the part of the name still to print. */
static const char *begin_item(struct printer *printer, const struct item *item, struct below *below)
{
	const char *name = item->name + item->group;

	if (is_in_group(below, item)) {
		put_text(printer->out, ", ");
		return name + (*name == '.');
	}
	end_group(printer, below);
	printer->before = 2 + printer->owed;
	printer->owed = 0;
	if (!item->group || !*name)
		return item->name;
	put_before(printer);
	snprintf(below->group, sizeof(below->group), "%.*s", (int)item->group, item->name);
	fprintf(printer->out, "%s={", escape_shown(below->group));
	return name + (*name == '.');
}

void print_text_item(struct printer *printer, const struct item *item)
{
	static void (*const print[NR_FIELD_KINDS])(struct printer *, const struct item *) = {
		[FIELD_NUMBER] = print_number,
		[FIELD_REG] = print_hex, [FIELD_WORD] = print_hex, [FIELD_RAW] = print_hex,
		[FIELD_PSR] = print_psr, [FIELD_CONST] = print_const,
		[FIELD_INT] = print_int,
		[FIELD_POINTER] = print_hex, [FIELD_ELAPSED] = print_elapsed, [FIELD_STRING] = print_text_of,
		[FIELD_FLOAT] = print_float,
	};

	if (item->kind == FIELD_PSR || (item->unreadable && item->has_address))
		put_before(printer);
	if (item->unreadable && item->has_address)
		fprintf(printer->out, "%s=0x%" PRIx64 " (unreadable)", escape_shown(item->name), item->address);
	else if (item->unreadable)
		put_named(printer, item, '=', "?");
	else if (item->word)
		print_word(printer, item);
	else
		print[item->kind](printer, item);
}

static void print_item(struct printer *printer, const struct item *item, void *arg)
{
	struct below *below = arg;
	struct item named = *item;

	if (item->kind == FIELD_ALLREGS || item->kind == FIELD_BACKTRACE || item->absent)
		return;
	named.name = begin_item(printer, item, below);
	print_text_item(printer, &named);
}

static void print_flags(struct printer *printer, const struct desc *desc)
{
	const char *flags[MAX_FLAGS];
	size_t nr = desc_flags(desc, flags);

	if (nr)
		part(printer);
	for (size_t i = 0; i < nr; i++) {
		fprintf(printer->out, "%s%s", i ? " " : "", desc_flag_text(flags[i]));
		if (!strcmp(flags[i], "LATEFREEZE"))
			fprintf(printer->out, " %" PRIu64, desc->late);
	}
}

/* --------------------------------------------------------------- registers */

/* Of a line of symbol names. */
static int widest(const struct printer *printer)
{
	return printer->columns && printer->columns < MAX_WIDTH ? (int)printer->columns : MAX_WIDTH;
}

/* The position of the next register or symbol name. */
struct grid {
	size_t nr;
	int at;			/* column, 0 at the start of a line */
};

static void print_register(struct printer *printer, const struct item *item, void *arg)
{
	struct grid *grid = arg;

	if (item->kind != FIELD_ALLREGS)
		return;
	fprintf(printer->out, "%s%3s=%016" PRIx64, grid->nr % COLUMNS ? "  " : INDENT, escape_shown(item->name),
		item->value);
	if (++grid->nr % COLUMNS == 0)
		fputc('\n', printer->out);
}

static void print_symbol(struct printer *printer, const struct item *item, void *arg)
{
	struct grid *grid = arg;
	int len = strlen(item->name) + strlen(item->symbol) + 3;

	if (item->kind != FIELD_ALLREGS || !*item->symbol)
		return;
	if (grid->at && grid->at + 2 + len > widest(printer)) {
		fputc('\n', printer->out);
		grid->at = 0;
	}
	grid->at += fprintf(printer->out, "%s%s (%s)", grid->at ? "  " : INDENT, escape_shown(item->name),
			    escape_shown(item->symbol));
}

/* Print the values in columns, then the symbols that they point to. */
static void print_registers(struct printer *printer, const struct record *record)
{
	struct grid grid = { 0 };

	record_items(printer, record, print_register, &grid);
	if (grid.nr % COLUMNS)
		fputc('\n', printer->out);
	record_items(printer, record, print_symbol, &grid);
	if (grid.at)
		fputc('\n', printer->out);
}

/* -------------------------------------------------------------- backtraces */

/* "    from ksys_write+0x5f < do_syscall_64+0x58 < ...", the nearest caller first. */
static void print_backtrace(struct printer *printer, const struct item *item, void *arg)
{
	char symbol[SYMBOL_SIZE];
	int at;

	if (item->kind != FIELD_BACKTRACE)
		return;
	at = fprintf(printer->out, INDENT "from");
	for (size_t i = 0; i < item->length; i++) {
		uint64_t addr = item_caller(printer, item, i, symbol);

		if (!*symbol)
			snprintf(symbol, sizeof(symbol), "%016" PRIx64, addr);
		if (i && at + 3 + (int)strlen(symbol) > widest(printer))
			at = fprintf(printer->out, "\n" INDENT "    ") - 1;
		at += fprintf(printer->out, "%s %s", i ? " <" : "", escape_shown(symbol));
	}
	fputs(item->length ? "\n" : " nowhere\n", printer->out);
}

/* ------------------------------------------------------------------- lines */

/* Print one line for all records lost at this point, on any CPU. */
static void tell_lost(struct printer *printer)
{
	if (!printer->lost)
		return;
	style_set(printer->out, printer->colour, STYLE_WARNING);
	fprintf(printer->out, "ktrace: warning: %" PRIu64 " traces lost", printer->lost);
	style_set(printer->out, printer->colour, STYLE_PLAIN);
	fputc('\n', printer->out);
	printer->lost = 0;
}

static void print_lost(struct printer *printer, const struct record *record,
		       const struct moment *moment)
{
	printer->lost += record->lost;
}

/* Values that stand on lines of their own. */
static bool has_kind(const struct desc *desc, enum field_kind kind)
{
	for (size_t i = 0; i < desc->nr_fields; i++)
		if (desc->fields[i].kind == kind)
			return true;
	return false;
}

const int print_text_moment_width = TIME_WIDTH + 2 + DELTA_WIDTH + 2;

static void begin_heading(struct printer *printer, const char *name)
{
	style_set(printer->out, printer->colour, STYLE_DIM);
	fprintf(printer->out, "%-*s%-*s  %-*s", width_with(printer, name), escape_shown(name), TIME_WIDTH, "time", DELTA_WIDTH + 2, "difference");
	if (printer->has_runners)
		runner_heading(printer);
}

static void end_heading(struct printer *printer)
{
	style_set(printer->out, printer->colour, STYLE_PLAIN);
	fputc('\n', printer->out);
	printer->owed = 0;
}

static void print_values(struct printer *printer, const struct record *record, const struct heading *heading)
{
	struct below below = { .group = "" };

	if (heading) {
		columns_row(heading, printer, record);
		return;
	}
	record_items(printer, record, print_item, &below);
	end_group(printer, &below);
}

/* Where the name of a record has no room for its source line, it stands here if the rest of the line has. */
static void print_line(struct printer *printer, const struct desc *desc, char *const *text)
{
	const char *line = name_has_line(printer) ? "" : record_line(printer, desc), *begin;

	fflush(printer->out);
	begin = strrchr(*text, '\n');
	if (*line && fit_length(begin ? begin + 1 : *text) + printer->owed + 2 + strlen(line) <= printer->columns) {
		part(printer);
		style_put(printer->out, printer->colour, STYLE_DIM, line, 0);
	}
	printer->owed = 0;
}

/*
 * The columns of tasks have a heading on a terminal, also where the values have none.  Else they have their names.  True:
 * they have a heading.
 */
static bool put_headings(struct printer *printer, const struct heading *heading)
{
	struct value_columns *cells = &printer->cells;

	if (heading)
		columns_head(cells, printer, begin_heading, end_heading);
	if (heading || !printer->columns || !printer->has_runners)
		return heading;
	if (cells->is_headed || (printer->runner_columns.is_headed && cells->below < printer->rows))
		return true;
	begin_heading(printer, "name");
	end_heading(printer);
	printer->runner_columns.is_headed = true;
	cells->below = 0;
	return true;
}

/* text: where the printer's stream writes, NULL: not on a terminal. */
static void print_record(struct printer *printer, const struct record *record, const struct moment *moment, char *const *text)
{
	const struct heading *heading = columns_heading(&printer->cells, printer, record->desc);
	bool has_heading;

	tell_lost(printer);
	set_second(printer, moment->wall_ns);
	has_heading = put_headings(printer, heading);
	print_head(printer, record->desc, moment);
	if (printer->has_runners)
		runner_text(printer, record, has_heading);
	print_values(printer, record, heading);
	print_flags(printer, record->desc);
	if (text)
		print_line(printer, record->desc, text);
	printer->owed = 0;
	fputc('\n', printer->out);
	if (has_kind(record->desc, FIELD_ALLREGS))
		print_registers(printer, record);
	if (has_kind(record->desc, FIELD_BACKTRACE))
		record_items(printer, record, print_backtrace, NULL);
}

static void print_hit(struct printer *printer, const struct record *record, const struct moment *moment)
{
	FILE *const out = printer->out;
	AUTO_FREE char *text = NULL;
	size_t len;
	FILE *lines = printer->columns ? open_memstream(&text, &len) : NULL;

	if (lines)
		printer->out = lines;
	print_record(printer, record, moment, lines ? &text : NULL);
	printer->out = out;
	if (!lines)
		return;
	fclose(lines);
	fit_cut(text, printer->columns, out);
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		printer->cells.below++;
}

/* ------------------------------------------------------------ values alone */

static void print_own_line(struct printer *printer, const struct item *item, void *arg)
{
	struct below below = { .group = "" };
	struct item whole = *item;

	if (item->absent)
		return;
	whole.group = 0;
	printer->owed = -2;	/* no blanks before it */
	print_item(printer, &whole, &below);
	printer->owed = 0;
	fputc('\n', printer->out);
}

void printer_values(struct printer *printer, const struct record *record, bool one_line)
{
	struct below below = { .group = "" };

	if (!one_line) {
		record_items(printer, record, print_own_line, NULL);
		return;
	}
	record_items(printer, record, print_item, &below);
	end_group(printer, &below);
	printer->owed = 0;
	fputc('\n', printer->out);
}

const struct print_ops print_text = {
	.hit = print_hit,
	.lost = print_lost,
	.end = tell_lost,
};
