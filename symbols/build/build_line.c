// SPDX-License-Identifier: GPL-2.0-or-later
/* build_line.c - the files of a unit, and its line table. */
#include <stdio.h>
#include <stdlib.h>

#include "symbols/build/build.h"
#include "symbols/build/line_table.h"

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

struct reading {
	struct worker *w;
	const char *build_dir;
	bool has_shared_texts;
	struct unit_files *out;
};

/* The units of version 5 share the texts of names, so a name that was read before has the same address. */
static uint32_t known_file(const struct reading *reading, const char *dir, const char *name)
{
	uint64_t key = hash_number(hash_number(HASH_START, (uintptr_t)name), (uintptr_t)dir), *known;

	if (!reading->has_shared_texts)
		return file_of(reading->w, reading->build_dir, dir, name) + 1;
	key = hash_number(key, (uintptr_t)reading->build_dir);
	known = map_at(&reading->w->known_files, key ? key : 1);
	if (!*known)
		*known = file_of(reading->w, reading->build_dir, dir, name) + 1;
	return *known;
}

/* A relative directory is relative to the build directory, roughly the top of the sources. */
static void add_file(void *arg, uint64_t number, const char *dir, const char *name)
{
	struct reading *reading = arg;
	struct unit_files *out = reading->out;

	while (out->n <= number)
		*ARRAY_ADD(out->v, out->n, out->room) = 0;
	if (name)
		out->v[number] = known_file(reading, dir, name);
}

static void read_files(struct worker *w, const char *build_dir, struct line_table *table, struct unit_files *out)
{
	struct reading reading = { w, build_dir, table->head.version >= 5, out };

	out->n = 0;
	line_table_files(table, add_file, &reading);
}

/* The files of the unit with its own entry at an offset. */
static void read_other_files(struct worker *w, uint64_t offset, struct unit_files *out)
{
	struct line_table table;
	struct entry e;

	if (!entry_at(&w->reader, offset, &e) || !(e.has & HAS_STMT_LIST) ||
	    !line_table_open(&table, &w->b->dwarf, e.unit, e.stmt_list))
		return;
	read_files(w, e.dir, &table, out);
	line_table_close(&table);
}

/* NULL: it is in no unit. */
static const struct unit_files *files_around(struct worker *w, uint64_t entry)
{
	const struct unit_head *unit = entry_unit(&w->reader, entry);
	struct unit_files files = { 0 };
	uint64_t *known;

	if (!unit)
		return NULL;
	known = map_at(&w->other_units, unit->first);
	if (!*known) {
		read_other_files(w, unit->first, &files);
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
	if (e->offset >= w->unit->offset && e->offset < w->unit->end)
		return file_number(&w->files, e->decl_file);
	return file_number(files_around(w, e->offset), e->decl_file);
}

/* ------------------------------------------------------------------- lines */

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

static void add_lines(struct worker *w, struct line_table *table)
{
	struct line_row row = line_table_start(table);
	size_t first = w->nr_lines;
	bool keep = true;

	while (line_table_next(table, &row)) {
		keep &= is_inside(w, row.addr);
		if (keep)
			*ARRAY_ADD(w->lines, w->nr_lines, w->lines_room) = (struct ix_line){
				row.addr - w->b->image->base, build_file(w, row.file),
				(row.line & LINE_MASK) | (row.is_stmt ? LINE_IS_STMT : 0) | (row.is_end ? LINE_END : 0),
			};
		if (!row.is_end)
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
	struct line_table table;

	w->files.n = 0;
	if (!(w->unit_entry.has & HAS_STMT_LIST) ||
	    !line_table_open(&table, &w->b->dwarf, w->unit_entry.unit, w->unit_entry.stmt_list))
		return;
	read_files(w, w->unit_entry.dir, &table, &w->files);
	/* A partial unit has the lines of another one. */
	if (w->unit_entry.tag != DW_TAG_partial_unit)
		add_lines(w, &table);
	line_table_close(&table);
}
