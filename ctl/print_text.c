// SPDX-License-Identifier: GPL-2.0-or-later
/* print_text.c - records for people. */
#include "ctl/print_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/memory.h"

#define DELTA_WIDTH	14
#define COLUMNS		3	/* of registers in the continuation lines */
#define INDENT		"    "

enum style { NAME, TIME, WARNING, PLAIN };

static void set_style(const struct printer *printer, enum style style)
{
	static const char *const codes[] = {
		[NAME] = "\033[1m", [TIME] = "\033[2m", [WARNING] = "\033[33m", [PLAIN] = "\033[0m",
	};

	if (printer->colour)
		fputs(codes[style], printer->out);
}

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

/* The date has its line where it changes, or where it is not the day it is. */
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
	uint64_t ns = llabs(moment->delta_ns);
	char text[40] = "";

	if (moment->has_delta)
		snprintf(text, sizeof(text), "%s%" PRIu64 ".%09" PRIu64,
			 moment->delta_ns < 0 ? "-" : "", ns / (uint64_t)NS_PER_S,
			 ns % (uint64_t)NS_PER_S);
	fprintf(printer->out, "  (%*s)", DELTA_WIDTH, text);
}

static void print_head(struct printer *printer, const struct desc *desc,
		       const struct moment *moment)
{
	const struct tm *tm = &printer->local;

	set_style(printer, NAME);
	fputs(desc->name, printer->out);
	set_style(printer, PLAIN);
	fprintf(printer->out, "%*s ", printer->width - (int)strlen(desc->name), "");
	set_style(printer, TIME);
	fprintf(printer->out, "%02d:%02d:%02d.%09u", tm->tm_hour, tm->tm_min, tm->tm_sec,
		(unsigned int)(moment->wall_ns % NS_PER_S));
	set_style(printer, PLAIN);
	print_delta(printer, moment);
}

/* ------------------------------------------------------------------ values */

static void print_pid(FILE *out, const struct item *item)
{
	fprintf(out, "%s %" PRId32, item->name, (int32_t)item->value);
}

static void print_const(FILE *out, const struct item *item)
{
	char text[32];

	format_const(text, sizeof(text), item->value);
	fprintf(out, "%s %s", item->name, text);
}

static void print_psr(FILE *out, const struct item *item)
{
	fprintf(out, "%s=%08" PRIx64 " [", item->name, item->value);
	print_psr_flags(out, item->value, "", " ");
	fputc(']', out);
}

static void print_hex(FILE *out, const struct item *item)
{
	fprintf(out, "%s=%0*" PRIx64, item->name, 2 * item->bytes, item->value);
	if (*item->symbol)
		fprintf(out, " (%s)", item->symbol);
}

static void print_item(struct printer *printer, const struct item *item, void *arg)
{
	static void (*const print[NR_FIELD_KINDS])(FILE *out, const struct item *item) = {
		[FIELD_PID] = print_pid, [FIELD_REG] = print_hex, [FIELD_WORD] = print_hex,
		[FIELD_PSR] = print_psr, [FIELD_CONST] = print_const, [FIELD_RAW] = print_hex,
	};
	size_t *registers = arg;

	if (item->kind == FIELD_ALLREGS) {
		++*registers;	/* on lines of their own */
		return;
	}
	fputs("  ", printer->out);
	if (item->unreadable)
		fprintf(printer->out, "%s=?", item->name);
	else
		print[item->kind](printer->out, item);
}

static void print_flags(const struct printer *printer, const struct desc *desc)
{
	const char *flags[MAX_FLAGS];
	size_t nr = desc_flags(desc, flags);

	for (size_t i = 0; i < nr; i++) {
		fprintf(printer->out, "%s%s", i ? " " : "  ", flags[i]);
		if (!strcmp(flags[i], "LATEFREEZE"))
			fprintf(printer->out, " %" PRIu64, desc->late);
	}
}

/* --------------------------------------------------------------- registers */

struct cells {
	char (*text)[224];
	size_t nr;
};

static void add_cell(struct printer *printer, const struct item *item, void *arg)
{
	struct cells *cells = arg;
	const char *symbol = item->symbol;

	(void)printer;
	if (item->kind == FIELD_ALLREGS)
		snprintf(cells->text[cells->nr++], sizeof(*cells->text), "%3s=%016" PRIx64 "%s%s%s",
			 item->name, item->value, *symbol ? " (" : "", symbol, *symbol ? ")" : "");
}

static void print_rows(FILE *out, const struct cells *cells)
{
	int width[COLUMNS] = { 0 };
	size_t i;

	for (i = 0; i < cells->nr; i++) {
		int len = strlen(cells->text[i]);

		if (len > width[i % COLUMNS])
			width[i % COLUMNS] = len;
	}
	for (i = 0; i < cells->nr; i++) {
		bool last = i % COLUMNS == COLUMNS - 1 || i + 1 == cells->nr;

		fprintf(out, "%s%-*s%s", i % COLUMNS ? "  " : INDENT,
			last ? 0 : width[i % COLUMNS], cells->text[i], last ? "\n" : "");
	}
}

static void print_registers(struct printer *printer, const struct record *record, size_t nr)
{
	struct cells cells = { .text = mem_zalloc(nr, sizeof(*cells.text)) };

	record_items(printer, record, add_cell, &cells);
	print_rows(printer->out, &cells);
	free(cells.text);
}

/* ------------------------------------------------------------------- lines */

/* What was lost in one place, on whatever CPUs, is one line. */
static void tell_lost(struct printer *printer)
{
	if (!printer->lost)
		return;
	set_style(printer, WARNING);
	fprintf(printer->out, "ktrace: warning: %" PRIu64 " traces lost", printer->lost);
	set_style(printer, PLAIN);
	fputc('\n', printer->out);
	printer->lost = 0;
}

static void print_lost(struct printer *printer, const struct record *record,
		       const struct moment *moment)
{
	(void)moment;
	printer->lost += record->lost;
}

static void print_hit(struct printer *printer, const struct record *record,
		      const struct moment *moment)
{
	size_t registers = 0;

	tell_lost(printer);
	set_second(printer, moment->wall_ns);
	print_head(printer, record->desc, moment);
	record_items(printer, record, print_item, &registers);
	print_flags(printer, record->desc);
	fputc('\n', printer->out);
	if (registers)
		print_registers(printer, record, registers);
}

const struct print_ops print_text = {
	.hit = print_hit,
	.lost = print_lost,
	.end = tell_lost,
};
