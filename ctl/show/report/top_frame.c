// SPDX-License-Identifier: GPL-2.0-or-later
/* top_frame.c - see top_frame.h. */
#include "ctl/show/report/top_frame.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/duration.h"
#include "ctl/base/escape.h"
#include "ctl/base/memory.h"
#include "ctl/base/style.h"
#include "ctl/live/measure/fields.h"

/* Columns of tasks that people see under another heading than in a report; NULL: not at all. */
static const struct {
	const char *key, *heading;
	enum cell_kind kind;
} shown[] = {
	{ "running_ns", "run", CELL_SHARE }, { "interrupts_ns", "irqs", CELL_SHARE },
	{ "wait_cpu_ns", "wait", CELL_SHARE }, { "wait_io_ns", "i/o", CELL_SHARE }, { "asleep_ns", "sleep", CELL_SHARE },
	{ "syscalls", "calls/s", CELL_RATE }, { "latency_mean_ns", "latency", CELL_TIME },
	{ "latency_max_ns", "longest", CELL_TIME },
};

const struct top_sort top_sorts[] = {
	{ 'P', "running_ns", "time on a CPU" }, { 'U', "user_ns", "user time" }, { 'K', "kernel_ns", "time in the kernel" },
	{ 'W', "wait_cpu_ns", "waiting for a CPU" }, { 'I', "wait_io_ns", "waiting for I/O" },
	{ 'S', "syscalls", "system calls" }, { 'L', "latency_max_ns", "longest scheduling latency" },
	{ '\0', NULL, NULL },
};

/* ---------------------------------------------------------------------- taking */

static void take_note(void *arg, const char *text)
{
	fprintf(arg, "note  %s\n", escape_shown(text));
}

static char *take_text(const struct trace_report *r, void (*print)(const struct trace_report *r, FILE *out))
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return mem_strdup("");
	print(r, out);
	fclose(out);
	return text;
}

static void print_notes(const struct trace_report *r, FILE *out)
{
	trace_notes(r, take_note, out);
}

static size_t count_rows(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static bool is_of_tasks(const struct sheet *sheet)
{
	return sheet_column(sheet, "lifetime_ns") < sheet->nr_columns;
}

static bool has_unknown(const struct sheet *sheet)
{
	const size_t column = sheet_column(sheet, "unknown_ns");

	for (size_t i = 0; i < sheet_rows(sheet); i++)
		if (sheet_cell(sheet, i, column)->number)
			return true;
	return false;
}

static void choose_heading(struct sheet_column *column)
{
	for (size_t i = 0; column->key && i < ARRAY_SIZE(shown); i++) {
		if (strcmp(shown[i].key, column->key))
			continue;
		column->heading = shown[i].heading;
		column->kind = shown[i].kind;
	}
}

static void to_rate(struct sheet *sheet, size_t column)
{
	const double seconds = sheet->whole / 1e9;

	for (size_t i = 0; i < sheet_rows(sheet); i++) {
		struct cell *cell = &sheet->cells[i * sheet->nr_columns + column];

		cell->number = cell->known && seconds > 0 ? cell->number / seconds : 0;
	}
}

/* The columns for people. */
static void choose_columns(struct top_frame *frame, enum report_by by)
{
	struct sheet *sheet = &frame->sheets[by];
	struct sheet_column *columns = mem_zalloc(sheet->nr_columns, sizeof(*columns));
	const size_t unknown = sheet_column(sheet, "unknown_ns");

	memcpy(columns, sheet->columns, sheet->nr_columns * sizeof(*columns));
	for (size_t i = 0; is_of_tasks(sheet) && i < sheet->nr_columns; i++) {
		choose_heading(&columns[i]);
		if (columns[i].kind == CELL_RATE)
			to_rate(sheet, i);
	}
	if (unknown < sheet->nr_columns && !has_unknown(sheet))
		columns[unknown].heading = NULL;
	frame->columns[by] = columns;
	sheet->columns = columns;
}

struct top_frame top_frame_take(const struct trace_report *r, enum report_by by)
{
	struct top_frame frame = { .head = take_text(r, trace_report_head), .notes = take_text(r, print_notes) };

	frame.few = trace_latency_has_few(r);
	frame.head_rows = count_rows(frame.head);
	for (enum report_by i = BY_PROCESS; i < BY_TREE; i++) {
		if (by && by != i)
			continue;
		frame.sheets[i] = trace_sheet(r, i);
		choose_columns(&frame, i);
	}
	return frame;
}

void top_frame_free(struct top_frame *frame)
{
	free(frame->head);
	free(frame->notes);
	for (enum report_by i = 0; i < NR_BYS; i++) {
		sheet_free(&frame->sheets[i]);
		free(frame->columns[i]);
	}
	*frame = (struct top_frame){ 0 };
}

/* -------------------------------------------------------------------- printing */

static const struct top_sort *find_sort(const struct sheet *sheet, char key)
{
	for (const struct top_sort *sort = top_sorts; sort->key; sort++)
		if (sort->key == key && sheet_column(sheet, sort->column) < sheet->nr_columns)
			return sort;
	return NULL;
}

static bool is_share(const struct sheet *sheet)
{
	for (size_t i = 0; i < sheet->nr_columns; i++)
		if (sheet->columns[i].kind == CELL_SHARE)
			return true;
	return false;
}

/* What the table is, and what is 100 %. */
static void print_title(const struct sheet *sheet, const struct top_sort *sort, const struct top_view *view, FILE *out)
{
	char text[DURATION_SIZE];

	style_set(out, view->colour, STYLE_DIM);
	fputs(sheet->title, out);
	if (is_share(sheet))
		fprintf(out, ", in %% of %s", duration_text(sheet->whole, text));
	if (sort)
		fprintf(out, ", by %s", sort->says);
	if (view->rows)
		fputs("   (h: help)", out);
	fputc('\n', out);
	style_set(out, view->colour, STYLE_PLAIN);
}

void top_frame_print(struct top_frame *frame, const struct top_view *view, FILE *out)
{
	struct sheet *sheet = &frame->sheets[view->by];
	const struct top_sort *sort = find_sort(sheet, view->sort);
	/* Besides the head: the title and the headings. */
	const size_t used = frame->head_rows + 2;
	size_t rows = view->rows > used ? view->rows - used : 0;

	if (sort) {
		sheet->by = sheet_column(sheet, sort->column);
		sheet_sort(sheet);
	}
	fputs(frame->head, out);
	print_title(sheet, sort, view, out);
	sheet_print(sheet, view->rows ? rows : SIZE_MAX, out, view->colour);
	if (view->rows)
		return;
	if (frame->few || sheet_has_few(sheet, SIZE_MAX))
		take_note(out, few_note);
	fputs(frame->notes, out);
}
