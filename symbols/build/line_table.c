// SPDX-License-Identifier: GPL-2.0-or-later
/* line_table.c - see line_table.h. */
#include "symbols/build/line_table.h"

#include <stdlib.h>

#define MOST_FORMATS	16	/* columns of the tables of names of version 5 */

/* ---------------------------------------------------------------------- head */

static bool read_sizes(struct line_table *table, struct cursor *c)
{
	struct unit_head *head = &table->head;
	uint64_t len = cursor_uint(c, 4);

	head->offset_size = len == UINT32_MAX ? 8 : 4;
	if (len == UINT32_MAX)
		len = cursor_uint(c, 8);
	if (c->bad || len > cursor_left(c))
		return false;
	c->end = c->at + len;
	head->version = cursor_uint(c, 2);
	head->address_size = 8;
	if (head->version == 5) {
		head->address_size = cursor_uint(c, 1);
		cursor_take(c, 1);	/* size of segment selectors */
	}
	return head->version >= 2 && head->version <= 5 && head->address_size == 8;
}

bool line_table_open(struct line_table *table, const struct dwarf *dwarf, const struct dwarf_unit *unit, uint64_t offset)
{
	struct cursor c = cursor_at(dwarf->line.data, dwarf->line.len, offset);
	const uint8_t *program;
	uint64_t len;

	*table = (struct line_table){ .texts = &unit->texts };
	if (!read_sizes(table, &c))
		return false;
	len = cursor_uint(&c, table->head.offset_size);
	program = len <= cursor_left(&c) ? c.at + len : NULL;
	table->min_length = cursor_uint(&c, 1);
	table->ops = table->head.version < 4 ? 1 : cursor_uint(&c, 1);
	table->is_stmt = cursor_uint(&c, 1);
	table->line_base = cursor_uint(&c, 1);
	table->line_range = cursor_uint(&c, 1);
	table->opcode_base = cursor_uint(&c, 1);
	table->operands = table->opcode_base ? cursor_take(&c, table->opcode_base - 1) : NULL;
	if (!program || !table->operands || !table->line_range || !table->ops || c.at > program)
		return false;
	table->names = cursor_of(c.at, program - c.at);
	table->program = cursor_of(program, c.end - program);
	return true;
}

void line_table_close(struct line_table *table)
{
	free(table->dirs);
}

/* --------------------------------------------------------------------- names */

static void add_dir(struct line_table *table, const char *dir)
{
	*ARRAY_ADD(table->dirs, table->nr_dirs, table->dirs_room) = dir;
}

static const char *dir_at(const struct line_table *table, uint64_t number)
{
	return number < table->nr_dirs ? table->dirs[number] : NULL;
}

/* A text in the table itself.  NULL: the row of texts ends. */
static const char *take_text(struct cursor *c)
{
	const uint8_t *end = cursor_left(c) ? memchr(c->at, 0, cursor_left(c)) : NULL;
	const char *text = (const char *)c->at;

	if (!end || !*text) {
		cursor_take(c, 1);
		return NULL;
	}
	cursor_take(c, end + 1 - c->at);
	return text;
}

/* Version 4 and older count directories and files from 1. */
static void read_old_names(struct line_table *table, void (*each)(void *arg, uint64_t number, const char *dir, const char *name),
			   void *arg)
{
	struct cursor c = table->names;
	const char *text;

	add_dir(table, NULL);
	while ((text = take_text(&c)))
		add_dir(table, text);
	for (uint64_t number = 1; (text = take_text(&c)); number++) {
		const uint64_t dir = cursor_uleb(&c);

		cursor_uleb(&c);	/* time and length */
		cursor_uleb(&c);
		if (c.bad)
			return;
		each(arg, number, dir_at(table, dir), text);
	}
}

struct name {
	const char *text;
	uint64_t dir;
};

struct formats {
	struct { uint64_t type; struct abbrev_attr attr; } v[MOST_FORMATS];
	size_t n;
};

static bool read_formats(struct cursor *c, struct formats *out)
{
	out->n = cursor_uint(c, 1);
	if (out->n > MOST_FORMATS)
		return false;
	for (size_t i = 0; i < out->n; i++) {
		out->v[i].type = cursor_uleb(c);
		out->v[i].attr.form = cursor_uleb(c);
	}
	return !c->bad;
}

/* A name without any bytes is none: the number of names may be damaged. */
static bool read_name(const struct line_table *table, struct cursor *c, const struct formats *formats, struct name *out)
{
	const uint8_t *start = c->at;
	struct die_value value;

	*out = (struct name){ NULL, 0 };
	for (size_t i = 0; i < formats->n; i++) {
		if (!die_value(c, &table->head, &formats->v[i].attr, &value))
			return false;
		if (formats->v[i].type == DW_LNCT_path)
			out->text = die_text(table->texts, &table->head, &value);
		else if (formats->v[i].type == DW_LNCT_directory_index)
			out->dir = value.number;
	}
	return c->at > start;
}

/* Version 5 counts from 0, and says in which form the names are. */
static void read_names(struct line_table *table, void (*each)(void *arg, uint64_t number, const char *dir, const char *name),
		       void *arg)
{
	struct cursor c = table->names;
	struct formats formats;
	struct name name;
	uint64_t nr;

	if (!read_formats(&c, &formats))
		return;
	nr = cursor_uleb(&c);
	for (uint64_t i = 0; i < nr && read_name(table, &c, &formats, &name); i++)
		add_dir(table, name.text);
	if (!read_formats(&c, &formats))
		return;
	nr = cursor_uleb(&c);
	for (uint64_t i = 0; i < nr && read_name(table, &c, &formats, &name); i++)
		each(arg, i, dir_at(table, name.dir), name.text);
}

void line_table_files(struct line_table *table, void (*each)(void *arg, uint64_t number, const char *dir, const char *name),
		      void *arg)
{
	if (table->head.version < 5)
		read_old_names(table, each, arg);
	else
		read_names(table, each, arg);
}

/* ---------------------------------------------------------------------- rows */

struct line_row line_table_start(const struct line_table *table)
{
	return (struct line_row){ .file = 1, .line = 1, .is_stmt = table->is_stmt };
}

static void advance(const struct line_table *table, struct line_row *row, uint64_t by)
{
	if (table->ops == 1) {
		row->addr += table->min_length * by;
		return;
	}
	row->addr += table->min_length * ((row->op + by) / table->ops);
	row->op = (row->op + by) % table->ops;
}

static void run_special(const struct line_table *table, struct line_row *row, uint8_t opcode)
{
	const uint8_t adjusted = opcode - table->opcode_base;

	advance(table, row, adjusted / table->line_range);
	row->line += table->line_base + adjusted % table->line_range;
}

static void run_extended(struct line_table *table, struct line_row *row)
{
	const uint64_t len = cursor_uleb(&table->program);
	const uint8_t *at = cursor_take(&table->program, len);
	struct cursor c = cursor_of(at, at ? len : 0);

	switch (cursor_uint(&c, 1)) {
	case DW_LNE_end_sequence:
		row->is_end = !c.bad;
		break;
	case DW_LNE_set_address:
		row->addr = cursor_uint(&c, cursor_left(&c) < 8 ? cursor_left(&c) : 8);
		row->op = 0;
		break;
	}
}

/* Returns true if it has written a row. */
static bool run_standard(struct line_table *table, struct line_row *row, uint8_t opcode)
{
	struct cursor *c = &table->program;

	switch (opcode) {
	case DW_LNS_copy:
		return true;
	case DW_LNS_advance_pc:
		advance(table, row, cursor_uleb(c));
		break;
	case DW_LNS_advance_line:
		row->line += cursor_sleb(c);
		break;
	case DW_LNS_set_file:
		row->file = cursor_uleb(c);
		break;
	case DW_LNS_negate_stmt:
		row->is_stmt = !row->is_stmt;
		break;
	case DW_LNS_const_add_pc:
		advance(table, row, (255 - table->opcode_base) / table->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		row->addr += cursor_uint(c, 2);
		row->op = 0;
		break;
	default:
		for (uint8_t i = 0; i < table->operands[opcode - 1]; i++)
			cursor_uleb(c);
	}
	return false;
}

bool line_table_next(struct line_table *table, struct line_row *row)
{
	if (row->is_end)
		*row = line_table_start(table);
	while (cursor_left(&table->program)) {
		const uint8_t opcode = cursor_uint(&table->program, 1);
		bool is_row = false;

		if (!opcode)
			run_extended(table, row);
		else if (opcode < table->opcode_base)
			is_row = run_standard(table, row, opcode);
		else
			run_special(table, row, opcode);
		if (table->program.bad)
			return false;
		if (is_row || row->is_end || opcode >= table->opcode_base)
			return true;
	}
	return false;
}
