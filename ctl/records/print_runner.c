// SPDX-License-Identifier: GPL-2.0-or-later
/* print_runner.c - the task that ran on the CPU of a record: see print_int.h. */
#include "ctl/records/print_int.h"

#include <string.h>

#include "ctl/base/escape.h"
#include "ctl/base/memory.h"

#define GAP		2	/* blanks before each column */
#define ALL_FROM	100	/* columns of a terminal that has room for all; a narrower one has cpu and pid */
#define COMM		3	/* the last item */

static const char *const names[RUNNER_ITEMS] = { "cpu", "pid", "tid", "comm" };

static struct item number_item(const char *name, int64_t value)
{
	return (struct item){
		.kind = FIELD_NUMBER, .name = name, .bytes = 4, .value = value < 0 ? 0 : value, .unreadable = value < 0,
	};
}

void runner_items(const struct runner *runner, uint32_t cpu, struct item out[RUNNER_ITEMS])
{
	out[0] = number_item(names[0], cpu);
	out[1] = number_item(names[1], runner->pid);
	out[2] = number_item(names[2], runner->tid);
	out[COMM] = (struct item){
		.kind = FIELD_STRING, .name = names[COMM], .unreadable = !runner->comm, .raw = (const uint8_t *)runner->comm,
		.length = runner->comm ? strlen(runner->comm) : 0,
	};
}

static size_t columns_of(const struct printer *printer)
{
	return !printer->columns || printer->columns >= ALL_FROM ? RUNNER_ITEMS : 2;
}

/* The name of a task has less than 16 bytes, and an escape takes 4 for each. */
#define TEXT_ROOM	80

static void put_comm(const struct item *item, char out[TEXT_ROOM])
{
	FILE *to = fmemopen(out, TEXT_ROOM, "w");

	*out = '\0';
	if (!to)
		return;
	escape_text(to, item->raw, item->length, false, "\"");
	fclose(to);
}

/* The texts of the columns of this record; they get as wide as these. */
static void take_texts(struct printer *printer, const struct record *record, char texts[RUNNER_ITEMS][TEXT_ROOM])
{
	struct item items[RUNNER_ITEMS];

	runner_items(printer->runner, record->cpu, items);
	for (size_t i = 0; i < columns_of(printer); i++) {
		int *width = &printer->runner_columns.width[i], len;

		if (items[i].unreadable)
			strcpy(texts[i], "?");
		else if (i == COMM)
			put_comm(&items[i], texts[i]);
		else
			snprintf(texts[i], TEXT_ROOM, "%llu", (unsigned long long)items[i].value);
		len = strlen(texts[i]);
		*width = len > *width ? len : *width;
	}
}

/* With a heading. */
static int width_of(const struct printer *printer, size_t i)
{
	const int least = strlen(names[i]), width = printer->runner_columns.width[i];

	return width > least ? width : least;
}

void runner_expect(struct printer *printer, const struct record *record)
{
	char texts[RUNNER_ITEMS][TEXT_ROOM];

	take_texts(printer, record, texts);
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
	char texts[RUNNER_ITEMS][TEXT_ROOM];

	take_texts(printer, record, texts);
	for (size_t i = 0; i < columns_of(printer); i++) {
		const int width = has_heading ? width_of(printer, i) : printer->runner_columns.width[i];

		fprintf(printer->out, "%*s%s%s", GAP, "", has_heading ? "" : names[i], has_heading ? "" : " ");
		fprintf(printer->out, "%*s", i == COMM ? 0 : width, texts[i]);
		printer->owed = i == COMM ? width - (int)strlen(texts[i]) : 0;
	}
}

void runner_heading(struct printer *printer)
{
	for (size_t i = 0; i < columns_of(printer); i++)
		fprintf(printer->out, "%*s%*s", GAP, "", i == COMM ? 0 : width_of(printer, i), names[i]);
	printer->owed = columns_of(printer) > COMM ? width_of(printer, COMM) - (int)strlen(names[COMM]) : 0;
}
