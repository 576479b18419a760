// SPDX-License-Identifier: GPL-2.0-or-later
/* debug_index.c - the indexes of a unit of debug information.  See debug.h. */
#include "symbols/query/debug_int.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/image/btf.h"
#include "symbols/index/line.h"
#include "symbols/query/index_job.h"

/* Use the complete index if it has been made meanwhile. */
static struct dbindex *take_made(struct debug_unit *unit)
{
	const char *cache = unit->debug->options.cache;
	char path[PATH_SIZE];
	bool is_running;

	if (unit->whole || !unit->is_awaited || !debug_cache_path(cache, &unit->key, path, sizeof(path)))
		return unit->whole;
	/* In this order: it is there before the process ends. */
	is_running = index_job_is_running(path);
	unit->whole = debug_cache_open(cache, &unit->key);
	unit->is_awaited = is_running && !unit->whole;
	return unit->whole;
}

struct dbindex *debug_index_ready(struct debug_unit *unit)
{
	return take_made(unit);
}

/* --------------------------------------------------------------------- build */

static bool build(const struct debug_unit *unit, const struct dbindex_choice *choice, int fd, struct debug_error *err)
{
	const struct debug_options *options = &unit->debug->options;
	const struct btf_job job = {
		.root = options->root, .module = unit->module, .symbols = options->symbols, .base = unit->base,
		.args = options->args, .nr_args = options->nr_args, .args_by_reference = options->args_by_reference,
	};

	if (unit->is_btf)
		return btf_build(&job, fd, err);
	return dbindex_build(unit->image, choice, choice ? 1 : options->threads, fd, &options->watch, err);
}

static struct dbindex *build_unkept(struct debug_unit *unit, const struct dbindex_choice *choice,
				    struct debug_error *err)
{
	int fd = memfd_create("ktrace-index", MFD_CLOEXEC);
	struct dbindex *ix = NULL;

	if (fd < 0) {
		debug_fail(err, "no memory for an index: free some");
		return NULL;
	}
	if (build(unit, choice, fd, err))
		ix = dbindex_map(fd, unit->path, err);
	close(fd);
	return ix;
}

/* BTF is indexed once after each boot. */
static struct dbindex *index_of_btf(struct debug_unit *unit, struct debug_error *err)
{
	const struct debug_options *options = &unit->debug->options;
	char name[NAME_MAX], key[KEPT_KEY];
	const bool is_kept = options->kept && options->kept_key(unit->module, key) &&
			     snprintf(name, sizeof(name), "types-%s", unit->module) < (int)sizeof(name);
	struct dbindex *ix = is_kept ? debug_cache_kept(options->kept, name, key) : NULL;

	if (ix)
		return ix;
	ix = build_unkept(unit, NULL, err);
	if (ix && is_kept)
		kept_write(options->kept, name, key, dbindex_header(ix), dbindex_header(ix)->size);
	return ix;
}

/* --------------------------------------------------------- the complete one */

/* path: where it is kept.  False: it is not kept. */
static bool job_of(const struct debug_unit *unit, char path[PATH_SIZE], struct index_job *out)
{
	const struct debug_options *options = &unit->debug->options;

	*out = (struct index_job){
		.image = unit->image, .path = path, .threads = options->threads,
		.watch = options->watch, .stops = options->stops, .began = options->began,
	};
	return debug_cache_path(options->cache, &unit->key, path, PATH_SIZE);
}

/* It is made for the questions to come, which this one does not wait for. */
static void make_ahead(struct debug_unit *unit)
{
	char path[PATH_SIZE];
	struct index_job job;

	if (!unit->debug->options.is_ahead || unit->was_begun || !job_of(unit, path, &job))
		return;
	debug_cache_make_dirs(path);
	job.is_ahead = unit->was_begun = true;
	unit->is_awaited = index_job_begin(&job);
}

static void note_making(const struct debug_unit *unit, const char *path)
{
	char text[PATH_SIZE + 100];

	snprintf(text, sizeof(text), index_job_is_running(path) ? "waiting for the index of %s, which is being made"
								: "indexing %s: this is done once and takes some seconds", unit->path);
	debug_note(unit, text);
}

/* An index that cannot be kept still serves this time. */
static struct dbindex *make(struct debug_unit *unit, struct debug_error *err)
{
	char path[PATH_SIZE] = "";
	struct index_job job;
	const bool is_kept = job_of(unit, path, &job);
	enum index_job_end end = JOB_IMPOSSIBLE;

	note_making(unit, path);
	if (is_kept) {
		debug_cache_make_dirs(path);
		end = index_job_run(&job, err);
	}
	unit->is_awaited = end == JOB_MADE || end == JOB_LEFT;
	if (end == JOB_MADE && take_made(unit))
		return unit->whole;
	return end == JOB_MADE || end == JOB_IMPOSSIBLE ? build_unkept(unit, NULL, err) : NULL;
}

struct dbindex *debug_index(struct debug_unit *unit, struct debug_error *err)
{
	if (take_made(unit))
		return unit->whole;
	if (unit->is_btf)
		return unit->whole = index_of_btf(unit, err);
	if (unit->debug->hurries) {
		debug_fail(err, "it is not indexed yet");
		return NULL;
	}
	return unit->whole = make(unit, err);
}

/* ---------------------------------------------------------------------- parts */

struct dbindex *debug_index_of_code(struct debug_unit *unit, struct debug_error *err)
{
	if (!unit->is_btf)
		return debug_index(unit, err);
	debug_fail(err, "%s", unit->why.text);
	return NULL;
}

static struct dbindex *add_part(struct debug_unit *unit, const struct dbindex_choice *choice,
				struct debug_error *err)
{
	struct dbindex *ix = build_unkept(unit, choice, err);

	make_ahead(unit);
	if (ix)
		*ARRAY_ADD(unit->parts, unit->nr_parts, unit->parts_room) = ix;
	return ix;
}

/* Without a table of addresses the whole image must be indexed.  That of a program may lack some units. */
static struct dbindex *add_part_at(struct debug_unit *unit, uint64_t linked, struct debug_error *err)
{
	struct dbindex_choice choice = { .by_offset = true };

	/* A function may be in any of the joined units. */
	if (unit->image->beside)
		return debug_index(unit, err);
	if (image_unit_at(unit->image, linked, &choice.offset))
		return add_part(unit, &choice, err);
	return image_section(unit->image, ".debug_aranges") && !unit->is_program ? NULL : debug_index(unit, err);
}

struct dbindex *debug_index_of_file(struct debug_unit *unit, const char *file, struct debug_error *err)
{
	struct dbindex_choice choice = { .files = &file, .nr_files = 1 };
	size_t n = strlen(file);
	struct dbindex *part;

	/* Code of an included file may be in any unit, and that of every file where a program is optimised as a whole. */
	if (unit->is_btf || take_made(unit) || n < 2 || strcmp(file + n - 2, ".c") || unit->image->beside || unit->is_program)
		return debug_index_of_code(unit, err);
	for (size_t i = 0; i < unit->nr_parts; i++)
		if (dbindex_has_code_of(unit->parts[i], file))
			return unit->parts[i];
	part = unit->debug->hurries ? NULL : add_part(unit, &choice, err);
	return part && dbindex_has_code_of(part, file) ? part : debug_index(unit, err);
}

struct dbindex *debug_index_at(struct debug_unit *unit, uint64_t addr, struct debug_error *err)
{
	uint32_t offset;

	if (take_made(unit) || unit->is_btf)
		return debug_index(unit, err);
	if (!debug_to_offset(unit, addr, &offset)) {
		debug_fail(err, "0x%llx: no code that %s knows", (unsigned long long)addr, unit->path);
		return NULL;
	}
	for (size_t i = 0; i < unit->nr_parts; i++)
		if (dbindex_func_at(unit->parts[i], offset))
			return unit->parts[i];
	if (debug_unit_lacks(unit))
		debug_fail(err, "0x%llx: nothing is known about it: %s", (unsigned long long)addr, debug_unit_lacks(unit));
	else
		debug_fail(err, "0x%llx: %s has nothing about it: is it assembler code?", (unsigned long long)addr, unit->path);
	return add_part_at(unit, unit->base + offset, err);
}
