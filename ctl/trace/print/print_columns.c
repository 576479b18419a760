// SPDX-License-Identifier: GPL-2.0-or-later
/* print_columns.c - see print_columns.h. */
#include "ctl/trace/print/print_columns.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/escape.h"
#include "ctl/base/memory.h"
#include "ctl/trace/print/print_int.h"

#define GAP	2	/* blanks between columns */

/* -------------------------------------------------------------------- columns */

/* A value that is printed on its own lines, such as a backtrace, has no column. */
static bool has_column(enum field_kind kind)
{
	return kind != FIELD_ALLREGS && kind != FIELD_BACKTRACE;
}

static bool is_value(const struct field *field)
{
	return !field_is_hidden(field) && has_column(field->kind);
}

static struct column *find_column(const struct heading *heading, const char *name)
{
	for (size_t i = 0; i < heading->n; i++)
		if (!strcmp(heading->v[i].name, name))
			return &heading->v[i];
	return NULL;
}

static void add_column(struct heading *heading, const char *name)
{
	heading->v = MEM_MORE(heading->v, heading->n);
	heading->v[heading->n++] = (struct column){ mem_strdup(name), strlen(name) };
}

static void heading_free(struct heading *heading)
{
	for (size_t i = 0; i < heading->n; i++)
		free(heading->v[i].name);
	free(heading->v);
	free(heading->of);
}

void columns_free(struct value_columns *columns)
{
	heading_free(&columns->all);
	for (size_t i = 0; i < columns->nr_each; i++)
		heading_free(&columns->each[i]);
}

/* Parts of a composite are printed in braces, and two values of one name need their order. */
static bool can_have_columns(const struct desc *desc)
{
	size_t n = 0;

	for (size_t i = 0; i < desc->nr_fields; i++) {
		const struct field *field = &desc->fields[i];

		if (field->group)
			return false;
		if (!is_value(field))
			continue;
		n++;
		for (size_t k = 0; k < i; k++)
			if (is_value(&desc->fields[k]) && !strcmp(desc->fields[k].name, field->name))
				return false;
	}
	return n;
}

/* Does the heading have the values of the descriptor, and no others? */
static bool is_heading_of(const struct heading *heading, const struct desc *desc)
{
	size_t n = 0;

	for (size_t i = 0; i < desc->nr_fields; i++) {
		if (!is_value(&desc->fields[i]))
			continue;
		if (n == heading->n || strcmp(heading->v[n].name, desc->fields[i].name))
			return false;
		n++;
	}
	return n == heading->n;
}

/* ------------------------------------------------------------------- headings */

static int heading_width(const struct heading *heading)
{
	int width = 0;

	for (size_t i = 0; i < heading->n; i++)
		width += GAP + heading->v[i].width;
	return width;
}

/* Does a line have room for all columns, and for flags of this width? */
static bool fits(const struct heading *heading, int flags, const struct printer *printer)
{
	const int before = printer->width + GAP + print_text_moment_width + (printer->has_runners ? runner_width(printer) : 0);

	return before + heading_width(heading) + flags <= (int)printer->columns;
}

/* Does one heading serve all? */
static bool all_share(const struct value_columns *columns, const struct printer *printer)
{
	return columns->are_same || fits(&columns->all, columns->flags, printer);
}

static const struct heading *find_heading(const struct value_columns *columns, const struct desc *desc)
{
	for (size_t i = 0; i < columns->nr_each; i++)
		if (!strcmp(columns->each[i].of, desc->name))
			return &columns->each[i];
	return NULL;
}

static void add_heading(struct value_columns *columns, const struct desc *desc)
{
	const struct heading *known = find_heading(columns, desc);
	struct heading *heading = &columns->each[columns->nr_each];

	if (known && is_heading_of(known, desc))
		return;
	columns->is_headed = false;
	columns->are_many |= known || columns->nr_each == MOST_HEADINGS;
	if (columns->are_many)
		return;
	columns->nr_each++;
	heading->of = mem_strdup(desc->name);
	for (size_t i = 0; i < desc->nr_fields; i++)
		if (is_value(&desc->fields[i]))
			add_column(heading, desc->fields[i].name);
}

/* Add the columns that the descriptor has more. */
static void add_to_all(struct value_columns *columns, const struct desc *desc)
{
	struct heading *all = &columns->all;

	columns->are_same = all->n ? columns->are_same && is_heading_of(all, desc) : true;
	for (size_t i = 0; i < desc->nr_fields; i++) {
		if (!is_value(&desc->fields[i]) || find_column(all, desc->fields[i].name))
			continue;
		add_column(all, desc->fields[i].name);
		columns->is_headed = false;
	}
}

const struct heading *columns_heading(const struct value_columns *columns, const struct printer *printer,
				      const struct desc *desc)
{
	if (!columns->all.n || !can_have_columns(desc))
		return NULL;
	if (all_share(columns, printer))
		return &columns->all;
	return columns->are_many ? NULL : find_heading(columns, desc);
}

static void put_heading(const struct heading *heading, struct printer *printer,
			void (*begin)(struct printer *printer, const char *name), void (*end)(struct printer *printer))
{
	begin(printer, heading->of ? short_name(printer, heading->of) : "name");
	for (size_t i = 0; i < heading->n; i++, printer->owed = 0)
		fprintf(printer->out, "%*s%-*s", printer->owed + GAP, "", i + 1 < heading->n ? heading->v[i].width : 0, escape_shown(heading->v[i].name));
	end(printer);
}

/* Again on each screen. */
void columns_head(struct value_columns *columns, struct printer *printer,
		  void (*begin)(struct printer *printer, const char *name), void (*end)(struct printer *printer))
{
	const bool of_all = all_share(columns, printer);

	if (columns->is_headed && columns->is_of_all == of_all && columns->below < printer->rows)
		return;
	columns->is_headed = true;
	columns->is_of_all = of_all;
	columns->below = 0;
	if (of_all)
		put_heading(&columns->all, printer, begin, end);
	for (size_t i = 0; !of_all && i < columns->nr_each; i++)
		put_heading(&columns->each[i], printer, begin, end);
}

/* ---------------------------------------------------------------------- cells */

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

/* The values of a record by the columns of a heading. */
struct row {
	const struct heading *heading;
	struct cell {
		char *text;	/* NULL: the record lacks the value */
		bool is_right;
	} *cells;
};

static bool is_number(const struct item *item)
{
	return !item->word && (item->kind == FIELD_NUMBER || item->kind == FIELD_INT || item->kind == FIELD_FLOAT || item->kind == FIELD_ELAPSED);
}

static void take_cell(struct printer *printer, const struct item *item, void *arg)
{
	const struct row *row = arg;
	const struct column *column = has_column(item->kind) ? find_column(row->heading, item->name) : NULL;

	if (column && !item->absent)
		row->cells[column - row->heading->v] = (struct cell){ value_text(printer, item), is_number(item) };
}

static struct row take_row(const struct heading *heading, struct printer *printer, const struct record *record)
{
	struct row row = { heading, mem_zalloc(heading->n, sizeof(*row.cells)) };

	record_items(printer, record, take_cell, &row);
	return row;
}

static void row_free(struct row *row)
{
	for (size_t i = 0; i < row->heading->n; i++)
		free(row->cells[i].text);
	free(row->cells);
}

static void widen(struct heading *heading, const char *name, int width)
{
	struct column *column = find_column(heading, name);

	if (column && column->width < width)
		column->width = width;
}

/* Both the heading of all and that of the tracepoint, whichever will be used. */
static void widen_by(struct value_columns *columns, struct printer *printer, const struct record *record)
{
	struct heading *own = (struct heading *)find_heading(columns, record->desc);
	struct row row = take_row(&columns->all, printer, record);

	for (size_t i = 0; i < columns->all.n; i++) {
		const char *text = row.cells[i].text;

		if (!text)
			continue;
		widen(&columns->all, columns->all.v[i].name, strlen(text));
		if (own)
			widen(own, columns->all.v[i].name, strlen(text));
	}
	row_free(&row);
}

static int flags_width(const struct desc *desc)
{
	const char *flags[MAX_FLAGS];
	int width = desc->control & KT_DESC_LATEFREEZE ? snprintf(NULL, 0, " %llu", (unsigned long long)desc->late) : 0;

	for (size_t i = 0; i < desc_flags(desc, flags); i++)
		width += (i ? 1 : GAP) + (int)strlen(desc_flag_text(flags[i]));
	return width;
}

void columns_consider(struct value_columns *columns, struct printer *printer, const struct record *record)
{
	const bool is_hopeless = columns->are_many && !all_share(columns, printer);
	const int flags = flags_width(record->desc);

	if (is_hopeless || !can_have_columns(record->desc))
		return;
	add_to_all(columns, record->desc);
	add_heading(columns, record->desc);
	columns->flags = flags > columns->flags ? flags : columns->flags;
	widen_by(columns, printer, record);
}

/*
 * Blanks are printed before the next text, so that no line ends with them.  Where the columns are too wide for a line, the
 * values stand side by side: fewer are cut.
 */
void columns_row(const struct heading *heading, struct printer *printer, const struct record *record)
{
	const bool aligned = fits(heading, 0, printer);
	struct row row = take_row(heading, printer, record);
	int owed = printer->owed;

	for (size_t i = 0; i < heading->n; i++) {
		const char *text = row.cells[i].text ? row.cells[i].text : "";
		const int len = strlen(text), width = aligned ? heading->v[i].width : len, room = width > len ? width - len : 0;
		const int before = row.cells[i].is_right ? room : 0;

		if (len)
			fprintf(printer->out, "%*s%s", owed + GAP + before, "", text);
		owed = len ? room - before : owed + GAP + width;
	}
	row_free(&row);
	printer->owed = owed;
}
