// SPDX-License-Identifier: GPL-2.0-or-later
/* build_line.c - the files of a unit, and its line table. */
#include <stdio.h>
#include <stdlib.h>

#include "symbols/build/build.h"

#define PATH_SIZE	2048

/* ------------------------------------------------------------------- paths */

/* The start of the path part before `out`. */
static char *parent_of(char *start, char *out)
{
	for (out--; out > start && out[-1] != '/'; out--)
		;
	return out;
}

/* Convert a/./b, a//b and a/x/../b to a/b, in place. */
static void tidy(char *path)
{
	char *start = path + (*path == '/'), *out = start, *at = start;
	bool more = *at;

	while (more) {
		size_t len = strcspn(at, "/");
		bool up = len == 2 && !memcmp(at, "..", 2), here = !len || (len == 1 && *at == '.');

		more = at[len];
		if (up && out > start) {
			out = parent_of(start, out);
		} else if (!here) {
			memmove(out, at, len);
			out += len;
			if (more)
				*out++ = '/';
		}
		at += len + more;
	}
	if (out > start && out[-1] == '/')
		out--;
	*out = '\0';
}

/* Length of the common beginning of two paths, in whole parts. */
static size_t common(const char *a, const char *b)
{
	size_t same = 0;

	for (size_t i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == '/')
			same = i + 1;
	return same;
}

static unsigned int depth(const char *path, size_t len)
{
	unsigned int n = 0;

	for (size_t i = 0; i < len; i++)
		n += path[i] == '/';
	return n;
}

/*
 * The path relative to the top of the sources: remove the part in common with the build directory, unless that
 * part is short.
 */
static const char *from_top(const char *path, const char *build_dir)
{
	char dir[PATH_SIZE];
	size_t same;

	if (*path != '/' || !build_dir || *build_dir != '/')
		return path;
	snprintf(dir, sizeof(dir), "%s/", build_dir);
	same = common(path, dir);
	return depth(path, same) > 2 ? path + same : path;
}

static uint32_t file_of(struct worker *w, const char *build_dir, const char *dir, const char *name)
{
	char path[PATH_SIZE];

	if (*name == '/' || !dir || !*dir)
		snprintf(path, sizeof(path), "%s", name);
	else
		snprintf(path, sizeof(path), "%s/%s", dir, name);
	tidy(path);
	return pool_file(w->b, from_top(path, build_dir));
}

/* ------------------------------------------------------------------- files */

/* A relative directory is relative to the build directory, roughly the top of the sources. */
static const char *dir_of(Dwarf_Line_Context context, uint64_t index, unsigned int version)
{
	const char *dir = NULL;
	Dwarf_Error error;

	/* Number 0 is the build directory itself. */
	if (!index && version < 5)
		return NULL;
	if (dwarf_srclines_include_dir_data(context, index, &dir, &error) != DW_DLV_OK)
		return NULL;
	return dir;
}

static uint32_t read_file(struct worker *w, const char *build_dir, Dwarf_Line_Context context, Dwarf_Signed index,
			  unsigned int version)
{
	Dwarf_Unsigned dir, time, length;
	Dwarf_Form_Data16 *md5;
	Dwarf_Error error;
	const char *name;

	if (dwarf_srclines_files_data_b(context, index, &name, &dir, &time, &length, &md5, &error) != DW_DLV_OK || !name)
		return 0;
	return file_of(w, build_dir, dir_of(context, dir, version), name) + 1;
}

static void read_files(struct worker *w, const char *build_dir, Dwarf_Line_Context context, unsigned int version,
		       struct unit_files *out)
{
	Dwarf_Signed base, count, end;
	Dwarf_Error error;

	out->n = 0;
	if (dwarf_srclines_files_indexes(context, &base, &count, &end, &error) != DW_DLV_OK)
		return;
	for (Dwarf_Signed i = base; i < end; i++) {
		while (out->n <= (size_t)i)
			*ARRAY_ADD(out->v, out->n, out->room) = 0;
		out->v[i] = read_file(w, build_dir, context, i, version);
	}
}

/* The files of the unit with its own entry at an offset. */
static void read_other_files(struct worker *w, uint64_t offset, struct unit_files *out)
{
	Dwarf_Line_Context context;
	Dwarf_Unsigned version;
	Dwarf_Small tables;
	Dwarf_Error error;
	struct entry e;
	Dwarf_Die die;

	if (dwarf_offdie_b(w->file.dbg, offset, 1, &die, &error) != DW_DLV_OK)
		return;
	entry_read(&w->file, die, &e);
	if (e.has & HAS_STMT_LIST && dwarf_srclines_b(die, &version, &tables, &context, &error) == DW_DLV_OK) {
		read_files(w, e.dir, context, version, out);
		dwarf_srclines_dealloc_b(context);
	}
	dwarf_dealloc(w->file.dbg, die, DW_DLA_DIE);
}

/* NULL: it is in no unit. */
static const struct unit_files *files_around(struct worker *w, uint64_t entry)
{
	struct unit_files files = { 0 };
	Dwarf_Off unit;
	Dwarf_Error error;
	Dwarf_Die die;
	uint64_t *known;
	bool found;

	if (dwarf_offdie_b(w->file.dbg, entry, 1, &die, &error) != DW_DLV_OK)
		return NULL;
	found = dwarf_CU_dieoffset_given_die(die, &unit, &error) == DW_DLV_OK;
	dwarf_dealloc(w->file.dbg, die, DW_DLA_DIE);
	if (!found)
		return NULL;
	known = map_at(&w->other_units, unit);
	if (!*known) {
		read_other_files(w, unit, &files);
		*ARRAY_ADD(w->other_files, w->nr_other_files, w->other_files_room) = files;
		*known = w->nr_other_files;
	}
	return &w->other_files[*known - 1];
}

static uint32_t file_number(const struct unit_files *files, uint64_t number)
{
	return files && number < files->n ? files->v[number] : 0;
}

/* The file with this number in the unit.  UINT32_MAX: there is none. */
uint32_t build_file(struct worker *w, uint64_t number)
{
	return file_number(&w->files, number) - 1;
}

/* Other units come by optimisation of the whole program, and by dwz.  In DWARF 5 file 0 is one, too. */
uint32_t build_declaring_file(struct worker *w, const struct entry *e)
{
	if (!(e->has & HAS_DECL_FILE))
		return 0;
	if (e->offset >= w->unit.offset && e->offset < w->unit.end)
		return file_number(&w->files, e->decl_file);
	return file_number(files_around(w, e->offset), e->decl_file);
}

/* ------------------------------------------------------------------- lines */

/* libdwarf of 2021 also says it of rows that begin an epilogue. */
static bool is_really_end(Dwarf_Line line)
{
	Dwarf_Bool prologue, epilogue = false;
	Dwarf_Unsigned isa, discriminator;
	Dwarf_Error error;

	return dwarf_prologue_end_etc(line, &prologue, &epilogue, &isa, &discriminator, &error) != DW_DLV_OK || !epilogue;
}

static bool read_line(Dwarf_Line line, uint64_t *addr, struct ix_line *out)
{
	Dwarf_Unsigned number, file;
	Dwarf_Bool is_stmt, is_end;
	Dwarf_Error error;
	Dwarf_Addr at;

	if (dwarf_lineaddr(line, &at, &error) != DW_DLV_OK || dwarf_lineno(line, &number, &error) != DW_DLV_OK ||
	    dwarf_line_srcfileno(line, &file, &error) != DW_DLV_OK ||
	    dwarf_linebeginstatement(line, &is_stmt, &error) != DW_DLV_OK ||
	    dwarf_lineendsequence(line, &is_end, &error) != DW_DLV_OK)
		return false;
	*addr = at;
	out->file = file;
	out->line = (number & LINE_MASK) | (is_stmt ? LINE_IS_STMT : 0) | (is_end && is_really_end(line) ? LINE_END : 0);
	return true;
}

static bool is_inside(const struct worker *w, uint64_t addr)
{
	uint64_t base = w->b->image->base;

	return base && addr >= base && addr - base < UINT32_MAX;
}

/* The rows up to an end of sequence belong together; a sequence that the linker discarded begins at 0. */
static void end_sequence(struct worker *w, size_t first)
{
	if (w->nr_lines - first < 2) {
		w->nr_lines = first;
		return;
	}
	*ARRAY_ADD(w->sequences, w->nr_sequences, w->sequences_room) = (struct sequence){
		w->lines[first].addr, w->number, first, w->nr_lines - first,
	};
}

static void add_lines(struct worker *w, Dwarf_Line *lines, Dwarf_Signed n)
{
	size_t first = w->nr_lines, sequence = 0, in_sequence = 0;
	bool keep = true;

	line_starts_read(die_section(w->b->image, ".debug_line"), w->unit_entry.stmt_list, &w->starts);
	for (Dwarf_Signed i = 0; i < n; i++) {
		const bool is_default = sequence < w->starts.n && in_sequence++ < w->starts.v[sequence];
		struct ix_line row;
		uint64_t addr;

		if (!read_line(lines[i], &addr, &row))
			continue;
		keep &= is_inside(w, addr);
		row.addr = addr - w->b->image->base;
		row.file = build_file(w, is_default ? 1 : row.file);
		if (keep)
			*ARRAY_ADD(w->lines, w->nr_lines, w->lines_room) = row;
		if (!(row.line & LINE_END))
			continue;
		if (!keep)
			w->nr_lines = first;
		end_sequence(w, first);
		first = w->nr_lines;
		keep = true;
		in_sequence = 0;
		sequence++;
	}
	/* A sequence without an end has no size: drop it. */
	w->nr_lines = first;
}

void build_files(struct worker *w)
{
	Dwarf_Unsigned version;
	Dwarf_Small tables;
	Dwarf_Line_Context context;
	Dwarf_Error error;
	Dwarf_Line *lines;
	Dwarf_Signed n;

	w->files.n = 0;
	if (!(w->unit_entry.has & HAS_STMT_LIST) ||
	    dwarf_srclines_b(w->unit.die, &version, &tables, &context, &error) != DW_DLV_OK)
		return;
	read_files(w, w->unit_entry.dir, context, version, &w->files);
	/* A partial unit has the lines of another one. */
	if (tables == 1 && w->unit_entry.tag != DW_TAG_partial_unit && dwarf_srclines_from_linecontext(context, &lines, &n, &error) == DW_DLV_OK)
		add_lines(w, lines, n);
	dwarf_srclines_dealloc_b(context);
}
