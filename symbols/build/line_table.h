/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line_table.h - read a line table of DWARF 2 to 5 (DWARF 5, section 6.2): its files, and its rows one after the other.
 * libdwarf would allocate memory for each row.  The bytes may be damaged.
 */
#ifndef KTRACE_LINE_TABLE_H
#define KTRACE_LINE_TABLE_H

#include "symbols/build/entry.h"

struct line_table {
	struct unit_head head;		/* version and sizes, for the forms of version 5 */
	const struct die_texts *texts;
	uint8_t min_length, ops;	/* of an instruction, and of operations in one */
	bool is_stmt;			/* with which a sequence begins */
	int8_t line_base;
	uint8_t line_range, opcode_base;
	const uint8_t *operands;	/* of the standard opcodes, from 1 on */
	struct cursor names;		/* directories and files */
	struct cursor program;
	const char **dirs;		/* by number; NULL: the build directory */
	size_t nr_dirs, dirs_room;
};

/* The table of a unit, at an offset into .debug_line.  False: it is damaged, or of another version. */
bool line_table_open(struct line_table *table, const struct dwarf *dwarf, const struct dwarf_unit *unit, uint64_t offset);
void line_table_close(struct line_table *table);
/* Call `each` for the files, in order.  dir: NULL: the build directory. */
void line_table_files(struct line_table *table, void (*each)(void *arg, uint64_t number, const char *dir, const char *name),
		      void *arg);

/* The registers of the line number program. */
struct line_row {
	uint64_t addr, op;
	uint64_t file;
	uint32_t line;
	bool is_stmt, is_end;
};

/* Registers before the first row. */
struct line_row line_table_start(const struct line_table *table);
/* Run the program until it writes a row.  False: it has ended, or is damaged. */
bool line_table_next(struct line_table *table, struct line_row *row);

#endif
