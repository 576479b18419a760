// SPDX-License-Identifier: GPL-2.0-or-later
/* line_pack.c - see line_pack.h. */
#include "symbols/build/line_pack.h"

#include <stdlib.h>

/* ---------------------------------------------------------------------- rows */

static enum line_file file_code(const struct line_files *files, uint32_t file)
{
	for (unsigned int i = 0; i < LINE_NEW_FILE; i++)
		if (files->v[i].file == file)
			return i;
	return LINE_NEW_FILE;
}

static void put_row(struct bytes *out, struct line_files *files, const struct ix_line *row, uint32_t before)
{
	const uint32_t distance = row->addr - before, line = row->line & LINE_MASK;
	const uint8_t step = row->line & LINE_END ? LINE_END_ROW : distance < LINE_FAR ? distance : LINE_FAR;
	const enum line_file code = file_code(files, row->file);
	const uint8_t head = code | (row->line & LINE_IS_STMT ? 4 : 0) | step << 3;

	bytes_put(out, &head, 1);
	if (step >= LINE_FAR)
		bytes_uleb(out, distance);
	if (code == LINE_NEW_FILE)
		bytes_uleb(out, row->file);
	line_files_use(files, code, row->file);
	bytes_sleb(out, (int32_t)(line - files->v[0].line));
	files->v[0].line = line;
}

/* The number of rows in a block that begins with the first of n rows. */
static size_t block_size(const struct ix_line *rows, size_t n)
{
	size_t size = n < LINE_BLOCK ? n : LINE_BLOCK;

	while (size < n && size < LINE_BLOCK_MOST && rows[size].addr == rows[size - 1].addr)
		size++;
	return size;
}

static void put_block(struct bytes *out, const struct ix_line *before, const struct ix_line *rows, size_t n)
{
	struct line_files files = { 0 };
	uint32_t addr = rows->addr;

	files.v[0].file = before->file;
	files.v[0].line = before->line & LINE_MASK;
	bytes_uleb(out, before->file);
	bytes_uleb(out, (uint64_t)files.v[0].line << 1 | (before->line & LINE_END ? 1 : 0));
	for (size_t i = 0; i < n; i++) {
		put_row(out, &files, &rows[i], addr);
		addr = rows[i].addr;
	}
}

/* --------------------------------------------------------------------- files */

struct file_list {
	struct bytes blocks;
	uint64_t next;		/* the last block that is in it, + 1; 0: none is */
};

static void note_files(struct file_list *lists, size_t nr_files, size_t block, const struct ix_line *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct file_list *list = rows[i].file < nr_files ? &lists[rows[i].file] : NULL;

		if (!list || list->next == block + 1)
			continue;
		bytes_uleb(&list->blocks, block - (list->next ? list->next - 1 : 0));
		list->next = block + 1;
	}
}

static void put_lists(struct file_list *lists, size_t nr_files, struct line_pack *out)
{
	out->first = must_alloc(nr_files + 1, sizeof(*out->first));
	for (size_t i = 0; i < nr_files; i++) {
		bytes_put(&out->file_blocks, lists[i].blocks.v, lists[i].blocks.n);
		out->first[i + 1] = out->file_blocks.n;
		bytes_free(&lists[i].blocks);
	}
	free(lists);
}

void line_pack(const struct ix_line *rows, size_t n, size_t nr_files, struct line_pack *out)
{
	struct file_list *lists = must_alloc(nr_files, sizeof(*lists));
	const struct ix_line none = { .line = LINE_END };
	size_t size;

	*out = (struct line_pack){ 0 };
	for (size_t i = 0; i < n; i += size) {
		size = block_size(rows + i, n - i);
		note_files(lists, nr_files, out->nr_blocks, rows + i, size);
		*ARRAY_ADD(out->blocks, out->nr_blocks, out->blocks_room) =
			(struct ix_line_block){ rows[i].addr, out->lines.n };
		put_block(&out->lines, i ? &rows[i - 1] : &none, rows + i, size);
	}
	put_lists(lists, nr_files, out);
}

void line_pack_free(struct line_pack *pack)
{
	free(pack->blocks);
	free(pack->first);
	bytes_free(&pack->lines);
	bytes_free(&pack->file_blocks);
}
