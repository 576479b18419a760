// SPDX-License-Identifier: GPL-2.0-or-later
/* debug.c - units of debug information, their indexes and load addresses.  See debug.h. */
#include "symbols/query/debug_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/image/btf.h"
#include "symbols/query/beside.h"

struct debug *debug_open(const struct debug_options *options)
{
	struct debug *debug = calloc(1, sizeof(*debug));

	if (debug)
		debug->options = *options;
	return debug;
}

static void unit_free(struct debug_unit *unit)
{
	for (size_t i = 0; i < unit->nr_parts; i++)
		dbindex_close(unit->parts[i]);
	dbindex_close(unit->whole);
	image_close(unit->image);
	free(unit->parts);
	free(unit->loads);
	free(unit->module);
	free(unit->path);
	free(unit);
}

void debug_close(struct debug *debug)
{
	struct debug_unit *unit, *next;

	if (!debug)
		return;
	for (unit = debug->units; unit; unit = next) {
		next = unit->next;
		unit_free(unit);
	}
	free(debug);
}

void debug_hurry(struct debug *debug, bool hurries)
{
	debug->hurries = hurries;
}

const struct debug_options *debug_options(const struct debug *debug)
{
	return &debug->options;
}

/* ------------------------------------------------------------------- loads */

static void add_load(struct debug_unit *unit, uint64_t linked, uint64_t size, uint64_t live)
{
	*ARRAY_ADD(unit->loads, unit->nr_loads, unit->loads_room) = (struct load){ linked, size, live };
}

static bool read_address(const char *path, uint64_t *out)
{
	FILE *file = fopen(path, "re");
	unsigned long long v;
	bool ok = file && fscanf(file, "%llx", &v) == 1 && v;

	if (ok)
		*out = v;
	if (file)
		fclose(file);
	return ok;
}

static void load_module_section(struct debug_unit *unit, const char *name, uint64_t linked, uint64_t size)
{
	const char *root = unit->debug->options.root;
	char path[PATH_SIZE];
	uint64_t live;

	snprintf(path, sizeof(path), "%s/sys/module/%s/sections/%s", root ? root : "", unit->module, name);
	if (!unit->debug->options.is_live)
		add_load(unit, linked, size, linked);
	else if (read_address(path, &live))
		add_load(unit, linked, size, live);
}

/* The index addresses of BTF are made from live addresses. */
static bool take_btf(struct debug_unit *unit)
{
	const struct debug_options *options = &unit->debug->options;
	char path[PATH_SIZE];

	if (!options->is_live || !options->symbols || !btf_path(options->root, unit->module, path, sizeof(path)))
		return false;
	unit->base = btf_base(options->symbols, unit->module);
	unit->path = strdup(path);
	if (!unit->base || !unit->path)
		return false;
	add_load(unit, unit->base, UINT32_MAX, unit->base);
	unit->is_btf = true;
	return true;
}

/* A kernel moves as a whole; the address of its text gives the distance. */
static void load_kernel(struct debug_unit *unit, uint64_t text)
{
	const struct debug_options *options = &unit->debug->options;
	uint64_t move = options->is_live && options->live_text && text ? options->live_text - text : 0;

	add_load(unit, unit->base, UINT32_MAX, unit->base + move);
}

static void load_section(struct debug_unit *unit, const char *name, uint64_t addr, uint64_t size, uint64_t *text)
{
	if (!strcmp(name, ".text"))
		*text = addr;
	if (*unit->module)
		load_module_section(unit, name, addr, size);
}

static void find_loads(struct debug_unit *unit)
{
	uint64_t text = 0;
	size_t nr = 0;

	if (unit->image) {
		for (size_t i = 0; i < unit->image->nr_sections; i++)
			if (unit->image->sections[i].is_loaded && unit->image->sections[i].size)
				load_section(unit, unit->image->sections[i].name, unit->image->sections[i].addr,
					     unit->image->sections[i].size, &text);
	} else {
		const struct ix_section *rows = dbindex_rows(unit->whole, PART_SECTIONS, struct ix_section, &nr);

		for (size_t i = 0; i < nr; i++)
			load_section(unit, dbindex_string(unit->whole, rows[i].name), rows[i].addr, rows[i].size,
				     &text);
	}
	if (!*unit->module)
		load_kernel(unit, text);
}

bool debug_to_offset(const struct debug_unit *unit, uint64_t addr, uint32_t *offset)
{
	for (size_t i = 0; i < unit->nr_loads; i++) {
		const struct load *load = &unit->loads[i];

		if (addr < load->live || addr - load->live >= load->size)
			continue;
		*offset = load->linked + (addr - load->live) - unit->base;
		return true;
	}
	return false;
}

bool debug_live_address(const struct debug_unit *unit, uint64_t linked, uint64_t *addr)
{
	for (size_t i = 0; i < unit->nr_loads; i++) {
		const struct load *load = &unit->loads[i];

		if (linked < load->linked || linked - load->linked >= load->size)
			continue;
		*addr = load->live + (linked - load->linked);
		return true;
	}
	return false;
}

bool debug_to_live(const struct debug_unit *unit, uint32_t offset, uint64_t *addr)
{
	return debug_live_address(unit, unit->base + offset, addr);
}

/* -------------------------------------------------------------------- open */

static void use(struct debug_unit *unit, const char *path)
{
	unit->path = strdup(path);
	unit->base = unit->image ? unit->image->base : dbindex_header(unit->whole)->base;
	find_loads(unit);
}

static bool take_index(struct debug_unit *unit, const char *path, struct debug_error *err)
{
	unit->whole = dbindex_open(path, err);
	if (!unit->whole)
		return false;
	if (unit->key.id.len && !build_id_equal(&dbindex_header(unit->whole)->id, &unit->key.id)) {
		dbindex_close(unit->whole);
		unit->whole = NULL;
		return debug_fail(err, "%s belongs to another build and is not used: make the index from the vmlinux of this kernel",
				  path);
	}
	unit->is_index = true;
	use(unit, path);
	return true;
}

static bool take_image(struct debug_unit *unit, const char *file, bool is_casual, struct debug_error *err)
{
	const struct debug_options *options = &unit->debug->options;
	struct debug_wish wish = {
		.root = options->root, .release = options->release, .file = file, .id = unit->key.id,
		.is_casual = is_casual, .note = options->note, .arg = options->arg, .fetch = options->fetch,
		.module = *unit->module ? unit->module : NULL,
		.modules = options->modules, .nr_modules = options->nr_modules,
	};

	unit->image = debug_find(&wish, err);
	if (unit->image && !beside_find(unit->image, options->root ? options->root : "", unit->image->path,
					is_casual ? NULL : &options->fetch, err)) {
		image_close(unit->image);
		unit->image = NULL;
	}
	if (!unit->image)
		return false;
	unit->key = debug_key_of_kernel(unit->image);
	unit->whole = debug_cache_open(unit->debug->options.cache, &unit->key);
	use(unit, unit->image->path);
	return true;
}

static bool take_cached(struct debug_unit *unit)
{
	char path[PATH_SIZE];

	unit->whole = debug_cache_open(unit->debug->options.cache, &unit->key);
	if (unit->whole && debug_cache_path(unit->debug->options.cache, &unit->key, path, sizeof(path)))
		use(unit, path);
	return unit->whole;
}

static bool unit_open(struct debug_unit *unit, bool is_casual, struct debug_error *err)
{
	const struct debug_options *options = &unit->debug->options;
	const char *file = *unit->module ? NULL : options->file;

	if (options->is_live && !debug_live_id(options->root, *unit->module ? unit->module : NULL, &unit->key.id))
		return debug_fail(err, "the build id of %s cannot be read below /sys, so no debug information can be checked against it: is /sys mounted, and the module loaded?",
				  *unit->module ? unit->module : "the kernel");
	if (file && dbindex_is(file))
		return take_index(unit, file, err);
	/* With a cached index the image is not needed. */
	if (!file && take_cached(unit))
		return true;
	if (unit->debug->hurries)
		return debug_fail(err, "it is not indexed yet");
	return take_image(unit, file, is_casual, err);
}

static struct debug_unit *new_unit(struct debug *debug, const char *module)
{
	struct debug_unit *unit = calloc(1, sizeof(*unit));

	if (!unit)
		return NULL;
	*unit = (struct debug_unit){ .debug = debug, .module = strdup(module), .next = debug->units };
	debug->units = unit;
	return unit;
}

struct debug *debug_open_program(const struct debug_options *options, struct image *image, bool is_foreign)
{
	struct debug *debug = debug_open(options);
	struct debug_unit *unit = debug ? new_unit(debug, "") : NULL;

	if (!unit || !unit->module) {
		debug_close(debug);
		image_close(image);
		return NULL;
	}
	debug->options.is_live = false;
	unit->is_program = true;
	unit->image = image;
	unit->key = debug_key_of_program(image, is_foreign);
	unit->whole = debug_cache_open(unit->debug->options.cache, &unit->key);
	use(unit, image->path);
	return debug;
}

/* A unit that was opened casually does not serve a caller who would wait for a better one. */
static struct debug_unit *find_opened(struct debug *debug, const char *module, bool is_casual)
{
	struct debug_unit *unit = debug->units;

	while (unit && (strcmp(unit->module, module) || (unit->is_casual && !is_casual)))
		unit = unit->next;
	return unit;
}

void debug_note(const struct debug_unit *unit, const char *text)
{
	const struct debug_options *options = &unit->debug->options;

	if (options->note)
		options->note(options->arg, text);
}

/* Report debug information that exists but cannot be used, even if BTF replaces it. */
static bool fall_back(struct debug_unit *unit, bool is_casual)
{
	char text[PATH_SIZE + sizeof(unit->why.text)];

	if ((!*unit->module && unit->debug->options.file) || !take_btf(unit))
		return false;
	unit->is_casual = is_casual;
	if (!unit->why.is_absence && !is_casual) {
		snprintf(text, sizeof(text), "%s; types are taken from %s", unit->why.text, unit->path);
		debug_note(unit, text);
	}
	return true;
}

static struct debug_unit *add_unit(struct debug *debug, const char *module, bool is_casual, struct debug_error *err)
{
	struct debug_unit *unit = new_unit(debug, module);

	debug_fail(err, "no memory for debug information: free some");
	if (!unit)
		return NULL;
	unit->has_failed = !unit->module ||
			   (!unit_open(unit, is_casual, &unit->why) && !fall_back(unit, is_casual));
	if (unit->has_failed && err)
		*err = unit->why;
	if (unit->has_failed && is_casual) {
		debug->units = unit->next;
		unit_free(unit);
		return NULL;
	}
	return unit;
}

static struct debug_unit *get_unit(struct debug *debug, const char *module, bool is_casual, struct debug_error *err)
{
	struct debug_unit *unit = find_opened(debug, module, is_casual);

	if (unit && unit->has_failed && err)
		*err = unit->why;
	if (!unit)
		unit = add_unit(debug, module, is_casual, err);
	return unit && !unit->has_failed ? unit : NULL;
}

struct debug_unit *debug_unit(struct debug *debug, const char *module, struct debug_error *err)
{
	return get_unit(debug, module, debug->hurries, err);
}

struct debug_unit *debug_unit_casual(struct debug *debug, const char *module, struct debug_error *err)
{
	return get_unit(debug, module, true, err);
}

bool debug_unit_is_btf(const struct debug_unit *unit)
{
	return unit->is_btf;
}

const char *debug_unit_hint(const struct debug_unit *unit, char *buf, size_t size)
{
	const struct debug_options *options = &unit->debug->options;

	return debug_install_hint(options->root, options->release, *unit->module ? unit->module : NULL, buf, size);
}

const char *debug_unit_path(const struct debug_unit *unit)
{
	return unit->path ? unit->path : "";
}

const char *debug_unit_lacks(const struct debug_unit *unit)
{
	return unit->image && unit->image->beside ? unit->image->beside->lacks : NULL;
}

/* With a cached index the image was not searched yet. */
const struct image *debug_unit_image(struct debug_unit *unit)
{
	const struct debug_options *options = &unit->debug->options;
	struct debug_wish wish = {
		.root = options->root, .release = options->release, .id = unit->key.id,
		.module = *unit->module ? unit->module : NULL,
	};

	if (!unit->image && !unit->is_index && !unit->is_btf)
		unit->image = debug_find(&wish, NULL);
	return unit->image;
}
