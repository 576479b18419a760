// SPDX-License-Identifier: GPL-2.0-or-later
/* print_runner.c - the task that ran on the CPU of a record: see print_int.h. */
#include "ctl/records/print_int.h"

#include <string.h>

#include "ctl/base/escape.h"
#include "ctl/base/memory.h"

#define GAP		2	/* blanks before each column */
#define ALL_FROM	100	/* columns of a terminal that has room for all; a narrower one has cpu and pid */
#define COMM		3	/* the last item */

static struct item number_item(const char *name, int64_t value)
{
	return (struct item){
		.kind = FIELD_NUMBER, .name = name, .bytes = 4, .value = value < 0 ? 0 : value, .unreadable = value < 0,
	};
}

void runner_items(const struct runner *runner, uint32_t cpu, struct item out[RUNNER_ITEMS])
{
	out[0] = number_item("cpu", cpu);
	out[1] = number_item("pid", runner->pid);
	out[2] = number_item("tid", runner->tid);
	out[COMM] = (struct item){
		.kind = FIELD_STRING, .name = "comm", .unreadable = !runner->comm, .raw = (const uint8_t *)runner->comm,
		.length = runner->comm ? strlen(runner->comm) : 0,
	};
}

static size_t columns_of(const struct printer *printer)
{
	return !printer->columns || printer->columns >= ALL_FROM ? RUNNER_ITEMS : 2;
}

/* The caller frees it. */
static char *text_of(const struct item *item)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return mem_strdup("");
	if (item->unreadable)
		fputc('?', out);
	else if (item->kind == FIELD_STRING)
		escape_text(out, item->raw, item->length, false, "\"");
	else
		fprintf(out, "%llu", (unsigned long long)item->value);
	fclose(out);
	return text;
}

static int width_of(const struct printer *printer, size_t i)
{
	static const int least[RUNNER_ITEMS] = { 3, 3, 3, 4 };	/* their names */

	return printer->runner_columns.width[i] > least[i] ? printer->runner_columns.width[i] : least[i];
}

void runner_expect(struct printer *printer, const struct record *record)
{
	struct item items[RUNNER_ITEMS];

	runner_items(printer->runner, record->cpu, items);
	for (size_t i = 0; i < columns_of(printer); i++) {
		AUTO_FREE char *text = text_of(&items[i]);
		const int len = strlen(text);

		if (len > printer->runner_columns.width[i])
			printer->runner_columns.width[i] = len;
	}
}

int runner_width(const struct printer *printer)
{
	int width = 0;

	for (size_t i = 0; i < columns_of(printer); i++)
		width += GAP + width_of(printer, i);
	return width;
}

/* Blanks behind the last one are printed before the next text, so that no line ends with them. */
void runner_text(struct printer *printer, const struct record *record, bool has_heading)
{
	struct item items[RUNNER_ITEMS];

	runner_expect(printer, record);
	runner_items(printer->runner, record->cpu, items);
	for (size_t i = 0; i < columns_of(printer); i++) {
		AUTO_FREE char *text = text_of(&items[i]);
		const int width = has_heading ? width_of(printer, i) : printer->runner_columns.width[i];

		fprintf(printer->out, "%*s%s%s", GAP, "", has_heading ? "" : items[i].name, has_heading ? "" : " ");
		fprintf(printer->out, "%*s", i == COMM ? 0 : width, text);
		printer->owed = i == COMM ? width - (int)strlen(text) : 0;
	}
}

void runner_heading(struct printer *printer)
{
	static const char *const names[RUNNER_ITEMS] = { "cpu", "pid", "tid", "comm" };

	for (size_t i = 0; i < columns_of(printer); i++)
		fprintf(printer->out, "%*s%*s", GAP, "", i == COMM ? 0 : width_of(printer, i), names[i]);
	printer->owed = columns_of(printer) > COMM ? width_of(printer, COMM) - (int)strlen(names[COMM]) : 0;
}
