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

static uint32_t file_of(struct worker *w, const char *dir, const char *name)
{
	char path[PATH_SIZE];

	if (*name == '/' || !dir || !*dir)
		snprintf(path, sizeof(path), "%s", name);
	else
		snprintf(path, sizeof(path), "%s/%s", dir, name);
	tidy(path);
	return pool_file(w->b, from_top(path, w->unit_entry.dir));
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

static void add_file(struct worker *w, Dwarf_Line_Context context, Dwarf_Signed index, unsigned int version)
{
	Dwarf_Unsigned dir, time, length;
	Dwarf_Form_Data16 *md5;
	Dwarf_Error error;
	const char *name;
	uint32_t file = 0;

	if (dwarf_srclines_files_data_b(context, index, &name, &dir, &time, &length, &md5, &error) == DW_DLV_OK && name)
		file = file_of(w, dir_of(context, dir, version), name) + 1;
	while (w->nr_unit_files <= (size_t)index)
		*ARRAY_ADD(w->unit_files, w->nr_unit_files, w->unit_files_room) = 0;
	w->unit_files[index] = file;
}

/* The file with this number in the unit.  UINT32_MAX: there is none. */
uint32_t build_file(struct worker *w, uint64_t number)
{
	return (number < w->nr_unit_files ? w->unit_files[number] : 0) - 1;
}

/* ------------------------------------------------------------------- lines */

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
	out->line = (number & LINE_MASK) | (is_stmt ? LINE_IS_STMT : 0) | (is_end ? LINE_END : 0);
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
	size_t first = w->nr_lines;
	bool keep = true;

	for (Dwarf_Signed i = 0; i < n; i++) {
		struct ix_line row;
		uint64_t addr;

		if (!read_line(lines[i], &addr, &row))
			continue;
		keep &= is_inside(w, addr);
		row.addr = addr - w->b->image->base;
		row.file = build_file(w, row.file);
		if (keep)
			*ARRAY_ADD(w->lines, w->nr_lines, w->lines_room) = row;
		if (!(row.line & LINE_END))
			continue;
		if (!keep)
			w->nr_lines = first;
		end_sequence(w, first);
		first = w->nr_lines;
		keep = true;
	}
	/* A sequence without an end has no size: drop it. */
	w->nr_lines = first;
}

void build_files(struct worker *w)
{
	Dwarf_Signed base, count, end, n;
	Dwarf_Unsigned version;
	Dwarf_Small tables;
	Dwarf_Line_Context context;
	Dwarf_Error error;
	Dwarf_Line *lines;

	w->nr_unit_files = 0;
	if (!(w->unit_entry.has & HAS_STMT_LIST) ||
	    dwarf_srclines_b(w->unit.die, &version, &tables, &context, &error) != DW_DLV_OK)
		return;
	if (dwarf_srclines_files_indexes(context, &base, &count, &end, &error) == DW_DLV_OK)
		for (Dwarf_Signed i = base; i < end; i++)
			add_file(w, context, i, version);
	if (tables == 1 && dwarf_srclines_from_linecontext(context, &lines, &n, &error) == DW_DLV_OK)
		add_lines(w, lines, n);
	dwarf_srclines_dealloc_b(context);
}
