/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_file.h - use libdwarf on an image.  libdwarf gets the sections from the image, and neither copies nor
 * relocates them: it would relocate a kernel that was linked with --emit-relocs a second time.
 *
 * Only one thread may use a Dwarf_Debug.  dwarf_finish() does not free libdwarf's results, because keeping
 * account of them would take longer than reading them.
 */
#ifndef KTRACE_DWARF_FILE_H
#define KTRACE_DWARF_FILE_H

#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>

#include "symbols/image/image.h"

struct dwarf_file {
	const struct image *image;
	Dwarf_Obj_Access_Interface access;
	Dwarf_Debug dbg;
	uint64_t left;		/* entries that may still be visited: see entry_children() */
};

bool dwarf_file_open(struct dwarf_file *file, const struct image *image, struct debug_error *err);
void dwarf_file_close(struct dwarf_file *file);

/* Data of a unit from its header and its own entry. */
struct dwarf_unit {
	uint64_t offset, end;	/* of its header in .debug_info, and behind its last entry */
	uint16_t version;
	uint8_t offset_size;
	Dwarf_Die die;		/* the caller frees it with dwarf_dealloc() */
};

/* The next unit.  False: there are no more. */
bool dwarf_file_next(struct dwarf_file *file, struct dwarf_unit *out);

/* One entry with its attributes.  Offsets are into .debug_info; 0: none. */
struct entry {
	uint16_t tag;
	uint64_t offset;
	uint32_t has;		/* HAS_* */
	const char *name;
	const char *dir;
	uint64_t low, high, entry, ranges, stmt_list;
	uint64_t rnglists_base, loclists_base, addr_base;
	uint64_t type, origin, specification, signature;
	uint64_t decl_file, decl_line, decl_column, call_file, call_line;
	uint64_t byte_size, bit_size, bit_offset, data_bit_offset, member, count, upper, encoding;
	uint64_t language, convention;
	int64_t constant;
	uint64_t discr_value;
	const uint8_t *block;		/* of DW_AT_const_value */
	uint64_t block_len;
	const uint8_t *expr;		/* of DW_AT_location; NULL: see loclist */
	uint64_t expr_len, loclist;
	const uint8_t *frame;		/* of DW_AT_frame_base */
	uint64_t frame_len;
	bool declaration, external, artificial, prototyped, is_inline;
	bool is_result;			/* of a parameter: what a function of Go returns */
};

enum {
	HAS_LOW = 1 << 0, HAS_HIGH = 1 << 1, HIGH_IS_SIZE = 1 << 2, HAS_RANGES = 1 << 3, RANGES_IS_INDEX = 1 << 4,
	HAS_ENTRY = 1 << 5, ENTRY_IS_OFFSET = 1 << 6, HAS_CONSTANT = 1 << 7, HAS_LOCLIST = 1 << 8,
	LOCLIST_IS_INDEX = 1 << 9, HAS_COUNT = 1 << 10, HAS_UPPER = 1 << 11, HAS_DATA_BIT = 1 << 12,
	HAS_BIT_OFFSET = 1 << 13, HAS_STMT_LIST = 1 << 14, HAS_SIZE = 1 << 15, HAS_UNREADABLE = 1 << 16, HAS_DISCR_VALUE = 1 << 17,
	HAS_DECL_FILE = 1 << 18,
};

void entry_read(struct dwarf_file *file, Dwarf_Die die, struct entry *out);

/*
 * Call `each` for every child of a die.  In a damaged file a die may be its own sibling, or a sibling of its
 * children: so children must have rising offsets, and the number of visits is limited.
 */
void entry_children(struct dwarf_file *file, Dwarf_Die die,
		    void (*each)(Dwarf_Die child, void *arg), void *arg);

#endif
