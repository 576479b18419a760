/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dbindex.h - an index of debug information by name, by address and by source line.  The debug image is not
 * needed beside it.
 *
 * The file is a header, a table of parts, and the parts: arrays of fixed-size rows, and streams of LEB128
 * numbers for objects without a fixed size (a function with its scopes and variables, a type with its members).
 * It is written under another name and renamed when it is complete.  It belongs to one build id.  A change of a
 * row or a stream raises DBINDEX_VERSION; an index of another version is built again.
 *
 * Code addresses are 32-bit offsets from the image's base, so the index is valid wherever the kernel or module
 * is loaded.
 */
#ifndef KTRACE_DBINDEX_H
#define KTRACE_DBINDEX_H

#include "symbols/base/bytes.h"
#include "symbols/image/image.h"

#define DBINDEX_VERSION	11

enum dbindex_part {
	PART_STRINGS,		/* NUL-terminated; the first is "" */
	PART_SECTIONS,		/* struct ix_section: addresses of the image's sections */
	PART_FILES,		/* u32: their names */
	PART_FUNCS,		/* struct ix_func */
	PART_FUNC_NAMES,	/* u32: functions by name */
	PART_SPANS,		/* struct ix_span, by address */
	PART_SCOPES,		/* streams of functions, see scope.h */
	PART_INLINES,		/* struct ix_inline, by name, then address */
	PART_GLOBALS,		/* struct ix_global, by name */
	PART_TYPES,		/* u64: where each type's stream begins */
	PART_TYPE_DATA,		/* streams of types, see type.h */
	PART_TYPE_NAMES,	/* u32: types by name */
	PART_LINES,		/* streams of rows, by address, see line.h */
	PART_LINE_BLOCKS,	/* struct ix_line_block: where each stream begins */
	PART_FILE_LINES,	/* u32: for each file where its blocks begin in PART_FILE_BLOCKS, and one more */
	PART_FILE_BLOCKS,	/* streams of numbers of blocks, see line.h */
	PART_CFA,		/* struct ix_cfa, by address */
	NR_PARTS,
};

struct ix_section {
	uint32_t name;
	uint32_t is_text;
	uint64_t addr, size;
};

struct ix_func {
	uint32_t name;
	uint32_t low, size;	/* of its first piece, which has the entry */
	uint32_t file, line;
	uint32_t scope_len;
	uint64_t scope;		/* in PART_SCOPES */
};

struct ix_span {
	uint32_t low, high;
	uint32_t func;
};

struct ix_inline {
	uint32_t name;
	uint32_t addr;
	uint32_t func;		/* the function that it is inlined into */
};

struct ix_global {
	uint32_t name;
	uint32_t type;		/* type + 1; 0: void */
	uint64_t addr;		/* linked address, not an offset; GLOBAL_DECLARED: unknown; GLOBAL_THREAD: each thread has one */
};

#define GLOBAL_DECLARED	UINT64_MAX
#define GLOBAL_THREAD	(UINT64_MAX - 1)

#define CFA_UNKNOWN	0xffff

struct ix_cfa {
	uint32_t addr;
	uint16_t reg;		/* DWARF number; CFA_UNKNOWN: no rule of this form */
	int16_t offset;		/* the CFA is reg + offset */
};

struct dbindex_header {
	char magic[8];
	uint32_t version;
	uint32_t header_size;
	uint64_t size;		/* of the file */
	uint64_t base;		/* of the image */
	uint32_t machine;
	uint32_t flags;		/* DBINDEX_* */
	struct build_id id;
	uint8_t pad[7];
	struct {
		uint64_t offset, size;
	} parts[NR_PARTS];
	uint64_t sum;		/* dbindex_sum() */
};

#define DBINDEX_MAGIC	"KTINDEX\n"
#define DBINDEX_PARTIAL	(1U << 0)	/* of some units only */
#define DBINDEX_MODULE	(1U << 1)

struct dbindex;

/* Take an index that is mapped: it is unmapped by dbindex_close(), or here on failure (NULL: err is set). */
struct dbindex *dbindex_take(void *map, size_t size, const char *what, struct debug_error *err);
/* Map an index from an open file (fd stays the caller's) or a path.  NULL: err is set. */
struct dbindex *dbindex_map(int fd, const char *what, struct debug_error *err);
struct dbindex *dbindex_open(const char *path, struct debug_error *err);
void dbindex_close(struct dbindex *ix);
/* Does the file begin as an index does? */
bool dbindex_is(const char *path);

const struct dbindex_header *dbindex_header(const struct dbindex *ix);
/* A part, and the number of its rows.  A part that exists is always in range. */
const void *dbindex_part(const struct dbindex *ix, enum dbindex_part part, size_t row, size_t *nr);
/* "": out of range. */
const char *dbindex_string(const struct dbindex *ix, uint32_t string);
const char *dbindex_file_name(const struct dbindex *ix, uint32_t file);

#define dbindex_rows(ix, part, type, nr) ((const type *)dbindex_part(ix, part, sizeof(type), nr))

/* Functions of a name: *first points to the numbers of nr functions, and nr is returned. */
size_t dbindex_funcs(const struct dbindex *ix, const char *name, const uint32_t **first);
const struct ix_func *dbindex_func(const struct dbindex *ix, uint32_t func);
/* The function that covers an offset.  NULL: there is none. */
const struct ix_func *dbindex_func_at(const struct dbindex *ix, uint32_t addr);
size_t dbindex_inlines(const struct dbindex *ix, const char *name, const struct ix_inline **first);
size_t dbindex_globals(const struct dbindex *ix, const char *name, const struct ix_global **first);
size_t dbindex_types(const struct dbindex *ix, const char *name, const uint32_t **first);
/* The CFA rule at an offset.  NULL: none is known. */
const struct ix_cfa *dbindex_cfa_at(const struct dbindex *ix, uint32_t addr);
/* Up to max files whose path ends with those parts (read_write.c, fs/read_write.c). */
size_t dbindex_files(const struct dbindex *ix, const char *end, uint32_t *out, size_t max);
/* Does the path end with those parts? */
bool dbindex_path_ends(const char *path, const char *end);
/* The checksum of a header: of all its bytes before `sum`. */
uint64_t dbindex_sum(const struct dbindex_header *header);

#endif
