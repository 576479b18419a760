// SPDX-License-Identifier: GPL-2.0-or-later
/* test_line_pack.c - the line table of an index: what line_pack.c writes, line.c reads. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/build/line_pack.h"
#include "symbols/index/line.h"

#define ROWS	3000
#define FILES	7

static struct ix_line rows[ROWS];

static uint32_t draw(uint32_t of)
{
	static uint32_t seed = 1;

	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % of;
}

/* Runs of one address, far and near addresses, ends of sequences, lines that go back. */
static void make_rows(void)
{
	uint32_t addr = 5000;

	for (size_t i = 0; i < ROWS; i++) {
		const bool is_end = i % 500 == 499 || !draw(40);

		addr += i % 700 > 600 || !draw(3) ? 0 : draw(10) ? draw(20) : draw(100000);
		rows[i] = (struct ix_line){ addr, draw(5) && i ? rows[i - 1].file : draw(FILES),
					    draw(90) | (draw(2) ? LINE_IS_STMT : 0) | (is_end ? LINE_END : 0) };
	}
	rows[ROWS / 2].line |= LINE_MASK;
}

/* --------------------------------------------------------------------- index */

static void put_part(int fd, struct dbindex_header *header, enum dbindex_part part, const void *data, size_t size)
{
	const off_t at = (lseek(fd, 0, SEEK_END) + 7) & -8;

	header->parts[part].offset = at;
	header->parts[part].size = size;
	assert_int_equal(pwrite(fd, data, size, at), size);
}

/* An index with nothing but lines. */
static struct dbindex *index_of_lines(const struct line_pack *pack)
{
	struct dbindex_header header = { .magic = DBINDEX_MAGIC, .version = DBINDEX_VERSION, .header_size = sizeof(header) };
	int fd = memfd_create("index", MFD_CLOEXEC);
	struct debug_error err = { .text = "" };
	struct dbindex *ix;

	assert_int_equal(write(fd, &header, sizeof(header)), sizeof(header));
	put_part(fd, &header, PART_STRINGS, "", 1);
	put_part(fd, &header, PART_LINES, pack->lines.v, pack->lines.n);
	put_part(fd, &header, PART_LINE_BLOCKS, pack->blocks, pack->nr_blocks * sizeof(*pack->blocks));
	put_part(fd, &header, PART_FILE_LINES, pack->first, (FILES + 1) * sizeof(*pack->first));
	put_part(fd, &header, PART_FILE_BLOCKS, pack->file_blocks.v, pack->file_blocks.n);
	header.size = lseek(fd, 0, SEEK_END);
	header.sum = dbindex_sum(&header);
	assert_int_equal(pwrite(fd, &header, sizeof(header), 0), sizeof(header));
	ix = dbindex_map(fd, "index", &err);
	assert_string_equal(err.text, "");
	close(fd);
	return ix;
}

static struct line_pack pack;
static struct dbindex *ix;

static int open_index(void **state)
{
	make_rows();
	line_pack(rows, ROWS, FILES, &pack);
	ix = index_of_lines(&pack);
	return !ix;
}

static int close_index(void **state)
{
	dbindex_close(ix);
	line_pack_free(&pack);
	return 0;
}

static void assert_row(const struct ix_line *row, const struct ix_line *is)
{
	assert_int_equal(row->addr, is->addr);
	assert_int_equal(row->file, is->file);
	assert_int_equal(row->line, is->line);
}

/* --------------------------------------------------------------------- tests */

static void test_rows(void **state)
{
	struct line_walk walk;
	size_t i = 0;

	for (line_walk_from(&walk, ix, 0); walk.row; line_walk_next(&walk))
		assert_row(walk.row, &rows[i++]);
	assert_int_equal(i, ROWS);
	line_walk_from(&walk, ix, rows[ROWS - 1].addr + 1);
	assert_null(walk.row);
}

static void test_blocks(void **state)
{
	static struct line_block block;
	size_t at = 0;

	for (size_t number = 0; line_block_read(ix, number, &block); number++) {
		assert_in_range(block.n, 1, LINE_BLOCK_MOST);
		assert_int_equal(block.before.line & ~LINE_IS_STMT, at ? rows[at - 1].line & ~LINE_IS_STMT : LINE_END);
		assert_true(!at || rows[at - 1].addr != rows[at].addr);
		at += block.n;
	}
	assert_int_equal(at, ROWS);
}

static const struct ix_line *plain_at(uint32_t addr)
{
	const struct ix_line *found = NULL;

	for (size_t i = 0; i < ROWS && rows[i].addr <= addr; i++)
		found = &rows[i];
	return found && !(found->line & LINE_END) ? found : NULL;
}

static void test_at(void **state)
{
	for (size_t i = 0; i < ROWS; i++)
		for (uint32_t off = 0; off < 3; off++) {
			const uint32_t addr = rows[i].addr - 1 + off;
			const struct ix_line *is = plain_at(addr);
			struct ix_line row;

			assert_int_equal(dbindex_line_at(ix, addr, &row), is != NULL);
			if (is)
				assert_row(&row, is);
		}
}

static bool is_line(size_t i, uint32_t file, uint32_t line)
{
	return rows[i].file == file && (rows[i].line & LINE_MASK) == line && !(rows[i].line & LINE_END);
}

/* The rule of dbindex_line_addrs(), on rows that are not packed. */
static bool begins(size_t i, uint32_t file, uint32_t line, bool empty)
{
	const bool is_empty = i + 1 < ROWS && rows[i + 1].addr == rows[i].addr;

	if (!is_line(i, file, line) || !(rows[i].line & LINE_IS_STMT) || is_empty != empty)
		return false;
	while (i > 0 && rows[i - 1].addr == rows[i].addr && !(rows[i - 1].line & LINE_END))
		i--;
	return !i || !is_line(i - 1, file, line);
}

static size_t plain_addrs(uint32_t file, uint32_t line, bool empty, uint32_t *out)
{
	size_t n = 0;

	for (size_t i = 0; i < ROWS; i++)
		if (begins(i, file, line, empty) && (!n || out[n - 1] != rows[i].addr))
			out[n++] = rows[i].addr;
	return n;
}

static void test_addrs(void **state)
{
	static uint32_t is[ROWS];
	uint32_t *addrs;

	for (uint32_t file = 0; file <= FILES; file++)
		for (uint32_t line = 0; line < 91; line++) {
			size_t n = plain_addrs(file, line, false, is);

			n = n ? n : plain_addrs(file, line, true, is);
			assert_int_equal(dbindex_line_addrs(ix, file, line, &addrs), n);
			if (n)
				assert_memory_equal(addrs, is, n * sizeof(*is));
			free(addrs);
		}
}

/* Damaged streams give wrong answers, but no faults. */
static void test_damaged(void **state)
{
	uint32_t *addrs, before, after;
	struct ix_line row;

	for (unsigned int round = 0; round < 300; round++) {
		struct bytes *stream = round & 1 ? &pack.lines : &pack.file_blocks;
		const size_t at = draw(stream->n);
		const uint8_t was = stream->v[at];
		struct dbindex *damaged;

		stream->v[at] = draw(256);
		pack.blocks[draw(pack.nr_blocks)].at ^= round % 3 ? 0 : 1U << draw(32);
		damaged = index_of_lines(&pack);
		stream->v[at] = was;
		for (uint32_t file = 0; file < FILES; file++) {
			dbindex_line_addrs(damaged, file, draw(90), &addrs);
			free(addrs);
			dbindex_lines_around(damaged, file, draw(90), &before, &after);
		}
		for (size_t i = 0; i < ROWS; i += 50)
			dbindex_line_at(damaged, rows[i].addr, &row);
		dbindex_close(damaged);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows), cmocka_unit_test(test_blocks), cmocka_unit_test(test_at),
		cmocka_unit_test(test_addrs), cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, open_index, close_index);
}
