// SPDX-License-Identifier: GPL-2.0-or-later
/* print_columns.c - see print_columns.h. */
#include "ctl/records/print_columns.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/records/print_int.h"

#define GAP	2	/* blanks between columns */

/* ------------------------------------------------------------------ choosing */

/* A value that is printed on its own lines, such as a backtrace, has no column. */
static bool has_column(const struct field *field)
{
	return !field->is_address && field->kind != FIELD_ALLREGS && field->kind != FIELD_BACKTRACE;
}

static bool can_have_columns(const struct desc *desc)
{
	for (size_t i = 0; i < desc->nr_fields; i++)
		if (desc->fields[i].group)
			return false;
	return true;
}

static bool has_names(const struct value_columns *columns, const struct desc *desc)
{
	size_t n = 0;

	for (size_t i = 0; i < desc->nr_fields; i++) {
		if (!has_column(&desc->fields[i]))
			continue;
		if (n == columns->n || strcmp(columns->names[n], desc->fields[i].name))
			return false;
		n++;
	}
	return n == columns->n;
}

void columns_free(struct value_columns *columns)
{
	for (size_t i = 0; i < columns->n; i++)
		free(columns->names[i]);
	free(columns->names);
	free(columns->widths);
	*columns = (struct value_columns){ 0 };
}

static void take_names(struct value_columns *columns, const struct desc *desc)
{
	columns_free(columns);
	columns->names = mem_zalloc(desc->nr_fields + 1, sizeof(*columns->names));
	columns->widths = mem_zalloc(desc->nr_fields + 1, sizeof(*columns->widths));
	for (size_t i = 0; i < desc->nr_fields; i++) {
		const struct field *field = &desc->fields[i];

		if (!has_column(field))
			continue;
		columns->widths[columns->n] = strlen(field->name);
		columns->names[columns->n++] = mem_strdup(field->name);
	}
	columns->is_headed = false;
}

void columns_begin(struct value_columns *columns)
{
	columns->is_used = false;
	columns->is_first = true;
}

/* --------------------------------------------------------------------- cells */

/* Print only the value: the heading has its name. */
static char *value_text(struct printer *printer, const struct item *item)
{
	FILE *const out = printer->out;
	struct item nameless = *item;
	char *text = NULL;
	size_t len;

	printer->out = open_memstream(&text, &len);
	if (!printer->out) {
		printer->out = out;
		return mem_strdup("");
	}
	nameless.name = "";
	print_text_item(printer, &nameless);
	printer->owed = 0;
	fclose(printer->out);
	printer->out = out;
	/* Behind the name come a blank or "=". */
	if (len)
		memmove(text, text + 1, len);
	return text;
}

struct row {
	const struct value_columns *columns;
	int *widths;		/* to widen; NULL: print */
	size_t at;
	int owed;		/* blanks before the next value */
};

static bool is_number(const struct item *item)
{
	return !item->word && (item->kind == FIELD_NUMBER || item->kind == FIELD_INT || item->kind == FIELD_ELAPSED);
}

static void put_cell(struct printer *printer, const struct item *item, struct row *row, const char *text)
{
	const int width = row->columns->widths[row->at], len = strlen(text), room = width > len ? width - len : 0;
	const bool right = is_number(item);

	fprintf(printer->out, "%*s%s", row->owed + GAP + (right ? room : 0), "", text);
	row->owed = right ? 0 : room;
}

static void take_cell(struct printer *printer, const struct item *item, void *arg)
{
	struct row *row = arg;
	AUTO_FREE char *text = NULL;

	if (item->kind == FIELD_ALLREGS || item->kind == FIELD_BACKTRACE || row->at == row->columns->n)
		return;
	text = value_text(printer, item);
	if (!row->widths)
		put_cell(printer, item, row, text);
	else if ((int)strlen(text) > row->widths[row->at])
		row->widths[row->at] = strlen(text);
	row->at++;
}

void columns_consider(struct value_columns *columns, struct printer *printer, const struct record *record)
{
	struct row row = { .columns = columns };

	if (columns->is_first && can_have_columns(record->desc)) {
		if (!has_names(columns, record->desc))
			take_names(columns, record->desc);
		columns->is_used = columns->n;
	} else if (!columns->is_first) {
		columns->is_used &= can_have_columns(record->desc) && has_names(columns, record->desc);
	}
	columns->is_first = false;
	if (!columns->is_used)
		return;
	row.widths = columns->widths;
	record_items(printer, record, take_cell, &row);
}

void columns_heading(const struct value_columns *columns, FILE *out)
{
	for (size_t i = 0; i < columns->n; i++)
		fprintf(out, "%*s%s%*s", GAP, "", columns->names[i],
			i + 1 < columns->n ? columns->widths[i] - (int)strlen(columns->names[i]) : 0, "");
}

void columns_row(const struct value_columns *columns, struct printer *printer, const struct record *record)
{
	struct row row = { .columns = columns };

	record_items(printer, record, take_cell, &row);
	printer->owed = row.owed;
}
