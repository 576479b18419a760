// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * build_line_start.c - how many rows of each sequence of a line table have the file with which every sequence begins.
 *
 * That is file 1 (DWARF 5, 6.2.2).  libdwarf of 2021 says file 0 in tables of version 5.  Often both are the same, but not
 * where the first function of a unit is from an included file, and not in programs that were optimised as a whole, whose
 * file 0 is called <artificial>.  Compilers also choose file 0 explicitly, so the number alone does not tell.
 */
#include "symbols/build/build.h"

struct table {
	struct cursor c;
	uint8_t opcode_base;
	const uint8_t *operands;	/* of the standard opcodes, from 1 on */
};

/* False: it is damaged, or not of version 5. */
static bool read_head(struct die_bytes line, uint64_t offset, struct table *out)
{
	struct cursor c = cursor_at(line.data, line.len, offset);
	uint64_t len = cursor_uint(&c, 4);
	const bool is_wide = len == UINT32_MAX;
	const uint8_t *program;

	if (is_wide)
		len = cursor_uint(&c, 8);
	if (len > cursor_left(&c))
		return false;
	c.end = c.at + len;
	if (cursor_uint(&c, 2) != 5)
		return false;
	cursor_take(&c, 2);	/* sizes of addresses and of segment selectors */
	len = cursor_uint(&c, is_wide ? 8 : 4);
	program = len <= cursor_left(&c) ? c.at + len : NULL;
	cursor_take(&c, 5);	/* how special opcodes advance */
	out->opcode_base = cursor_uint(&c, 1);
	out->operands = out->opcode_base ? cursor_take(&c, out->opcode_base - 1) : NULL;
	if (!program || !out->operands || c.at > program)
		return false;
	out->c = cursor_of(program, c.end - program);
	return true;
}

static void skip_operands(struct table *table, uint8_t opcode)
{
	if (opcode == DW_LNS_fixed_advance_pc) {
		cursor_take(&table->c, 2);
		return;
	}
	for (uint8_t i = 0; i < table->operands[opcode - 1]; i++)
		cursor_uleb(&table->c);
}

/* Returns the extended opcode. */
static uint8_t skip_extended(struct table *table)
{
	const uint64_t len = cursor_uleb(&table->c);
	const uint8_t *at = cursor_take(&table->c, len);

	return at && len ? *at : 0;
}

void line_starts_read(struct die_bytes line, uint64_t offset, struct line_starts *out)
{
	uint32_t rows = 0;
	bool is_default = true;
	struct table table;

	out->n = 0;
	if (!read_head(line, offset, &table))
		return;
	while (cursor_left(&table.c)) {
		const uint8_t opcode = cursor_uint(&table.c, 1);

		if (opcode >= table.opcode_base || opcode == DW_LNS_copy) {
			rows += is_default;
		} else if (opcode) {
			is_default &= opcode != DW_LNS_set_file;
			skip_operands(&table, opcode);
		} else if (skip_extended(&table) == DW_LNE_end_sequence) {
			*ARRAY_ADD(out->v, out->n, out->room) = rows + is_default;
			rows = 0;
			is_default = true;
		}
	}
}
