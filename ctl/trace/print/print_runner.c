// SPDX-License-Identifier: GPL-2.0-or-later
/* print_runner.c - the task that ran on the CPU of a record: see print_int.h. */
#include "ctl/trace/print/print_int.h"

#include <string.h>

#include "ctl/base/escape.h"
#include "ctl/base/memory.h"
#include "ctl/base/put.h"

#define GAP		2	/* blanks before each column */
#define ALL_FROM	100	/* columns of a terminal that has room for all; a narrower one has cpu and pid */
#define COMM		3	/* the last item */

static const char *const names[RUNNER_ITEMS] = { "cpu", "pid", "tid", "comm" };

static void put_number(struct item *item, const char *name, int64_t value)
{
	item_begin(item, FIELD_NUMBER, name);
	item->bytes = 4;
	item->value = value < 0 ? 0 : value;
	item->unreadable = value < 0;
}

void runner_items(const struct runner *runner, uint32_t cpu, struct item out[RUNNER_ITEMS])
{
	put_number(&out[0], names[0], cpu);
	put_number(&out[1], names[1], runner->pid);
	put_number(&out[2], names[2], runner->tid);
	item_begin(&out[COMM], FIELD_STRING, names[COMM]);
	out[COMM].unreadable = !runner->comm;
	out[COMM].raw = (const uint8_t *)runner->comm;
	out[COMM].length = runner->comm ? strlen(runner->comm) : 0;
}

static size_t columns_of(const struct printer *printer)
{
	return !printer->columns || printer->columns >= ALL_FROM ? RUNNER_ITEMS : 2;
}

/* The name of a task has less than 16 bytes, and an escape takes 4 for each. */
#define TEXT_ROOM	80

/* Returns the length of the text. */
static int escape_comm(const char *comm, size_t len, char out[TEXT_ROOM])
{
	FILE *to = fmemopen(out, TEXT_ROOM, "w");

	*out = '\0';
	if (to) {
		escape_text(to, (const uint8_t *)comm, len, false, "\"");
		fclose(to);
	}
	return strlen(out);
}

static int format_comm(const char *comm, char out[TEXT_ROOM])
{
	const size_t len = strlen(comm);

	if (len >= TEXT_ROOM - 2 || !escape_is_quotable(comm, len))
		return escape_comm(comm, len, out);
	out[0] = '"';
	memcpy(out + 1, comm, len);
	memcpy(out + 1 + len, "\"", 2);
	return len + 2;
}

static int format_unknown(char out[TEXT_ROOM])
{
	strcpy(out, "?");
	return 1;
}

static int format_id(int64_t id, char out[TEXT_ROOM])
{
	return id < 0 ? format_unknown(out) : put_format_decimal(out, id);
}

struct runner_texts {
	/* What they are of; the names of runners stay where they are. */
	uint32_t cpu;
	int32_t pid, tid;
	const char *comm;
	char text[RUNNER_ITEMS][TEXT_ROOM];
	int len[RUNNER_ITEMS];
};

/* The texts of the columns of this record, which get as wide as these.  Of most records they are those of the one before. */
static const struct runner_texts *take_texts(struct printer *printer, const struct record *record)
{
	const struct runner *runner = printer->runner;
	int *const width = printer->runner_columns.width;
	struct runner_texts *texts = printer->runner_texts;

	if (texts && texts->cpu == record->cpu && texts->pid == runner->pid && texts->tid == runner->tid && texts->comm == runner->comm)
		return texts;
	if (!texts)
		texts = printer->runner_texts = mem_zalloc(1, sizeof(*texts));
	texts->cpu = record->cpu;
	texts->pid = runner->pid;
	texts->tid = runner->tid;
	texts->comm = runner->comm;
	texts->len[0] = format_id(record->cpu, texts->text[0]);
	texts->len[1] = format_id(runner->pid, texts->text[1]);
	texts->len[2] = format_id(runner->tid, texts->text[2]);
	texts->len[COMM] = runner->comm ? format_comm(runner->comm, texts->text[COMM]) : format_unknown(texts->text[COMM]);
	for (size_t i = 0; i < columns_of(printer); i++)
		width[i] = texts->len[i] > width[i] ? texts->len[i] : width[i];
	return texts;
}

/* With a heading. */
static int width_of(const struct printer *printer, size_t i)
{
	const int least = strlen(names[i]), width = printer->runner_columns.width[i];

	return width > least ? width : least;
}

void runner_expect(struct printer *printer, const struct record *record)
{
	take_texts(printer, record);
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
	char line[RUNNER_ITEMS * (GAP + sizeof("comm ") + 2 * TEXT_ROOM)], *at = line;
	const struct runner_texts *texts = take_texts(printer, record);

	for (size_t i = 0; i < columns_of(printer); i++) {
		const int width = has_heading ? width_of(printer, i) : printer->runner_columns.width[i], rest = width - texts->len[i];

		at = put_pad(at, GAP);
		if (!has_heading)
			at = put_pad(stpcpy(at, names[i]), 1);
		if (i != COMM)
			at = put_pad(at, rest);
		at = mempcpy(at, texts->text[i], texts->len[i]);
		printer->owed = i == COMM ? rest : 0;
	}
	put_bytes(printer->out, line, at - line);
}

void runner_heading(struct printer *printer)
{
	for (size_t i = 0; i < columns_of(printer); i++)
		fprintf(printer->out, "%*s%*s", GAP, "", i == COMM ? 0 : width_of(printer, i), names[i]);
	printer->owed = columns_of(printer) > COMM ? width_of(printer, COMM) - (int)strlen(names[COMM]) : 0;
}
