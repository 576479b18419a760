/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line_pack.h - write the line table of an index: see symbols/index/line.h. */
#ifndef KTRACE_LINE_PACK_H
#define KTRACE_LINE_PACK_H

#include "symbols/index/line.h"

struct line_pack {
	struct ix_line_block *blocks;
	size_t nr_blocks, blocks_room;
	struct bytes lines;		/* PART_LINES */
	uint32_t *first;		/* PART_FILE_LINES: nr_files + 1 of them */
	struct bytes file_blocks;	/* PART_FILE_BLOCKS */
};

void line_pack(const struct ix_line *rows, size_t n, size_t nr_files, struct line_pack *out);
void line_pack_free(struct line_pack *pack);

#endif
