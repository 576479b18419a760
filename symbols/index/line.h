/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line.h - the line table of an index: rows by address.
 *
 * The rows are in blocks of at least LINE_BLOCK rows, all rows of one address in one block. PART_LINES has a stream for each
 * block: file, and 2 * line + (is it an end?), of the row before the block; then for each row
 *   a byte        bits 0 and 1: a number of enum line_file
 *                 bit 2: LINE_IS_STMT
 *                 bits 3 to 7: the distance from the row before, or a number of enum line_step
 *   the distance  if the byte says so
 *   the file      if the byte says so
 *   the line      (signed) the difference from the last row of that file in the block, or from 0
 * PART_FILE_BLOCKS has for each file the blocks with rows of it: differences of rising numbers.
 */
#ifndef KTRACE_LINE_H
#define KTRACE_LINE_H

#include "symbols/index/dbindex.h"

#define LINE_IS_STMT	(1U << 31)
#define LINE_END	(1U << 30)	/* end of a sequence: no code begins here */
#define LINE_MASK	(LINE_END - 1)

struct ix_line {
	uint32_t addr;
	uint32_t file;
	uint32_t line;		/* with the flags LINE_* */
};

struct ix_line_block {
	uint32_t addr;		/* of its first row */
	uint32_t at;		/* in PART_LINES */
};

#define LINE_BLOCK	64
#define LINE_BLOCK_MOST	256

enum line_file {
	LINE_SAME_FILE,		/* as the row before */
	LINE_LAST_FILE,		/* the last other one, and the last before that one */
	LINE_OLDER_FILE,
	LINE_NEW_FILE,		/* its number follows */
};

enum line_step {
	LINE_FAR = 30,		/* the distance follows */
	LINE_END_ROW,		/* the same, and the row has LINE_END */
};

/* The last three files of a block, the last one first, and the last line of each. */
struct line_files {
	struct {
		uint32_t file, line;
	} v[3];
};

/* Make it the last file. */
static inline void line_files_use(struct line_files *files, enum line_file which, uint32_t file)
{
	const unsigned int at = which == LINE_NEW_FILE ? 2 : which;
	struct line_files before = *files;

	if (which == LINE_NEW_FILE)
		before.v[2].file = file, before.v[2].line = 0;
	files->v[0] = before.v[at];
	if (at >= 1)
		files->v[1] = before.v[0];
	if (at == 2)
		files->v[2] = before.v[1];
}

/* The rows of a block. */
struct line_block {
	struct ix_line before;	/* the row before the first, without address; LINE_END also if there is none */
	struct ix_line rows[LINE_BLOCK_MOST];
	size_t n;
};

/* False: there is no such block. */
bool line_block_read(const struct dbindex *ix, size_t number, struct line_block *out);

/* A place in the table, to go on from row to row. */
struct line_walk {
	const struct dbindex *ix;
	size_t number, i;
	struct line_block block;
	const struct ix_line *row;	/* NULL: there are no more */
};

/* Begin at the row of an offset: see dbindex_line_at(). */
void line_walk_at(struct line_walk *walk, const struct dbindex *ix, uint32_t addr);
/* Begin at the first row at or behind an offset. */
void line_walk_from(struct line_walk *walk, const struct dbindex *ix, uint32_t addr);
void line_walk_next(struct line_walk *walk);

/* Call `each` for the blocks that have rows of a file. */
void line_file_blocks(const struct dbindex *ix, uint32_t file, void (*each)(const struct line_block *block, void *arg), void *arg);

/* The row of an offset.  False: no line is known. */
bool dbindex_line_at(const struct dbindex *ix, uint32_t addr, struct ix_line *out);
/* Has the index code of such a file? */
bool dbindex_has_code_of(const struct dbindex *ix, const char *end);
/* The offsets at which a line begins, in order.  The caller frees *out. */
size_t dbindex_line_addrs(const struct dbindex *ix, uint32_t file, uint32_t line, uint32_t **out);
/* The nearest lines of a file with code; 0: there is none. */
void dbindex_lines_around(const struct dbindex *ix, uint32_t file, uint32_t line, uint32_t *before, uint32_t *after);

#endif
