// SPDX-License-Identifier: GPL-2.0-or-later
/* line.c - read the line table of an index.  See line.h. */
#include "symbols/index/line.h"

#include <stdlib.h>

/* -------------------------------------------------------------------- blocks */

static void read_row(struct cursor *c, struct line_files *files, struct ix_line *row)
{
	const uint8_t head = cursor_uint(c, 1), step = head >> 3;

	row->addr += step < LINE_FAR ? step : cursor_uleb(c);
	if ((head & 3) == LINE_NEW_FILE)
		line_files_use(files, LINE_NEW_FILE, cursor_uleb(c));
	else if (head & 3)
		line_files_use(files, head & 3, 0);
	files->v[0].line = (files->v[0].line + cursor_sleb(c)) & LINE_MASK;
	row->file = files->v[0].file;
	row->line = files->v[0].line | (head & 4 ? LINE_IS_STMT : 0) | (step == LINE_END_ROW ? LINE_END : 0);
}

static void read_before(struct cursor *c, struct ix_line *out)
{
	uint32_t line;

	out->file = cursor_uleb(c);
	line = cursor_uleb(c);
	out->line = (line >> 1 & LINE_MASK) | (line & 1 ? LINE_END : 0);
}

bool line_block_read(const struct dbindex *ix, size_t number, struct line_block *out)
{
	size_t nr, size;
	const struct ix_line_block *blocks = dbindex_rows(ix, PART_LINE_BLOCKS, struct ix_line_block, &nr);
	const uint8_t *data = dbindex_rows(ix, PART_LINES, uint8_t, &size);
	struct line_files files = { 0 };
	struct ix_line row = { 0 };
	struct cursor c;

	out->n = 0;
	if (number >= nr)
		return false;
	c = cursor_at(data, number + 1 < nr && blocks[number + 1].at < size ? blocks[number + 1].at : size, blocks[number].at);
	out->before = row;
	read_before(&c, &out->before);
	files.v[0].file = out->before.file;
	files.v[0].line = out->before.line & LINE_MASK;
	row.addr = blocks[number].addr;
	while (cursor_left(&c) && out->n < LINE_BLOCK_MOST) {
		read_row(&c, &files, &row);
		if (!c.bad)
			out->rows[out->n++] = row;
	}
	return true;
}

/* The number of blocks that begin at or below an offset. */
static size_t blocks_to(const struct dbindex *ix, uint32_t addr)
{
	size_t low = 0, high;
	const struct ix_line_block *blocks = dbindex_rows(ix, PART_LINE_BLOCKS, struct ix_line_block, &high);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (blocks[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---------------------------------------------------------------------- walk */

/* Of several rows at one address the last counts; a new sequence may begin where one ends. */
void line_walk_at(struct line_walk *walk, const struct dbindex *ix, uint32_t addr)
{
	const size_t to = blocks_to(ix, addr);

	walk->ix = ix;
	walk->number = to - 1;
	walk->row = NULL;
	if (!to || !line_block_read(ix, to - 1, &walk->block))
		return;
	for (size_t i = 0; i < walk->block.n && walk->block.rows[i].addr <= addr; i++)
		walk->row = &walk->block.rows[walk->i = i];
	if (walk->row && walk->row->line & LINE_END)
		walk->row = NULL;
}

void line_walk_from(struct line_walk *walk, const struct dbindex *ix, uint32_t addr)
{
	const size_t to = blocks_to(ix, addr);

	walk->ix = ix;
	walk->number = to ? to - 1 : 0;
	walk->i = 0;
	walk->row = line_block_read(ix, walk->number, &walk->block) && walk->block.n ? walk->block.rows : NULL;
	while (walk->row && walk->row->addr < addr)
		line_walk_next(walk);
}

void line_walk_next(struct line_walk *walk)
{
	if (++walk->i >= walk->block.n) {
		walk->i = 0;
		if (!line_block_read(walk->ix, ++walk->number, &walk->block) || !walk->block.n) {
			walk->row = NULL;
			return;
		}
	}
	walk->row = &walk->block.rows[walk->i];
}

bool dbindex_line_at(const struct dbindex *ix, uint32_t addr, struct ix_line *out)
{
	struct line_walk walk;

	line_walk_at(&walk, ix, addr);
	if (walk.row)
		*out = *walk.row;
	return walk.row;
}

/* --------------------------------------------------------------------- files */

static struct cursor blocks_of(const struct dbindex *ix, uint32_t file)
{
	size_t nr, size;
	const uint32_t *first = dbindex_rows(ix, PART_FILE_LINES, uint32_t, &nr);
	const uint8_t *data = dbindex_rows(ix, PART_FILE_BLOCKS, uint8_t, &size);

	if (file >= nr || file + 1 >= nr || first[file] > first[file + 1] || first[file + 1] > size)
		return cursor_of(NULL, 0);
	return cursor_of(data + first[file], first[file + 1] - first[file]);
}

void line_file_blocks(const struct dbindex *ix, uint32_t file, void (*each)(const struct line_block *block, void *arg), void *arg)
{
	struct cursor c = blocks_of(ix, file);
	struct line_block block;
	size_t number = 0;

	while (cursor_left(&c)) {
		number += cursor_uleb(&c);
		if (!c.bad && line_block_read(ix, number, &block))
			each(&block, arg);
	}
}

bool dbindex_has_code_of(const struct dbindex *ix, const char *end)
{
	size_t nr;
	const uint32_t *files = dbindex_rows(ix, PART_FILES, uint32_t, &nr);

	for (size_t i = 0; i < nr; i++) {
		const struct cursor blocks = blocks_of(ix, i);

		if (cursor_left(&blocks) && dbindex_path_ends(dbindex_string(ix, files[i]), end))
			return true;
	}
	return false;
}

/* --------------------------------------------------------------------- lines */

struct search {
	uint32_t file, line;
	bool empty;		/* take the statements without instructions */
	uint32_t *found;
	size_t n, room;
};

static bool is_line(const struct ix_line *row, uint32_t file, uint32_t line)
{
	return row->file == file && (row->line & LINE_MASK) == line && !(row->line & LINE_END);
}

/* Is the row the first of its line there, or the begin of a statement of the line behind another line? */
static bool begins(const struct line_block *block, size_t i, const struct search *search)
{
	const struct ix_line *rows = block->rows;
	const bool is_empty = i + 1 < block->n && rows[i + 1].addr == rows[i].addr;

	if (!is_line(&rows[i], search->file, search->line) || !(rows[i].line & LINE_IS_STMT) || is_empty != search->empty)
		return false;
	while (i > 0 && rows[i - 1].addr == rows[i].addr && !(rows[i - 1].line & LINE_END))
		i--;
	return !is_line(i ? &rows[i - 1] : &block->before, search->file, search->line);
}

static void add_found(struct search *search, uint32_t addr)
{
	if (search->n && search->found[search->n - 1] == addr)
		return;
	if (search->n == search->room) {
		const size_t room = 2 * search->room + 16;
		uint32_t *more = reallocarray(search->found, room, sizeof(*more));

		if (!more)
			return;
		search->found = more;
		search->room = room;
	}
	search->found[search->n++] = addr;
}

static void search_block(const struct line_block *block, void *arg)
{
	struct search *search = arg;

	for (size_t i = 0; i < block->n; i++)
		if (begins(block, i, search))
			add_found(search, block->rows[i].addr);
}

size_t dbindex_line_addrs(const struct dbindex *ix, uint32_t file, uint32_t line, uint32_t **out)
{
	struct search search = { .file = file, .line = line };

	line_file_blocks(ix, file, search_block, &search);
	if (!search.n) {
		search.empty = true;
		line_file_blocks(ix, file, search_block, &search);
	}
	*out = search.found;
	return search.n;
}

struct around {
	uint32_t file, line;
	uint32_t *before, *after;
};

static void look_around(const struct line_block *block, void *arg)
{
	const struct around *around = arg;

	for (size_t i = 0; i < block->n; i++) {
		const uint32_t line = block->rows[i].line, number = line & LINE_MASK;

		if (block->rows[i].file != around->file || !(line & LINE_IS_STMT) || line & LINE_END || !number)
			continue;
		if (number < around->line && number > *around->before)
			*around->before = number;
		if (number > around->line && (!*around->after || number < *around->after))
			*around->after = number;
	}
}

void dbindex_lines_around(const struct dbindex *ix, uint32_t file, uint32_t line, uint32_t *before, uint32_t *after)
{
	struct around around = { file, line, before, after };

	*before = *after = 0;
	line_file_blocks(ix, file, look_around, &around);
}
