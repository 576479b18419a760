// SPDX-License-Identifier: GPL-2.0-or-later
/* join.c - go over the units of all files, and put the joined sections into an image.  See join.h. */
#include "symbols/join/join_int.h"

#include <elf.h>
#include <stdlib.h>

#define GROWS		32		/* the joined section may be that much larger than the others: more is a trap */
#define GROWS_ALWAYS	(64ULL << 20)
#define MOST		(UINT32_MAX - GROWS_ALWAYS)

/* --------------------------------------------------------------- skeletons */

static struct unit_sections sections_of(const struct image *image, enum file_kind kind)
{
	const bool is_split = kind == FILE_SPLIT;
	struct unit_sections s = {
		.abbrev = die_section(image, is_split ? ".debug_abbrev.dwo" : ".debug_abbrev"),
		.str = die_section(image, is_split ? ".debug_str.dwo" : ".debug_str"),
		.line_str = die_section(image, ".debug_line_str"),
		.str_offsets = die_section(image, is_split ? ".debug_str_offsets.dwo" : ".debug_str_offsets"),
		.loc = die_section(image, is_split ? ".debug_loc.dwo" : ".debug_loc"),
		.loclists = die_section(image, is_split ? ".debug_loclists.dwo" : ".debug_loclists"),
		.rnglists = die_section(image, is_split ? ".debug_rnglists.dwo" : ".debug_rnglists"),
		.line = die_section(image, is_split ? ".debug_line.dwo" : ".debug_line"),
		.line_at = NOT_YET, .loclists_at = NOT_YET, .rnglists_at = NOT_YET,
	};

	return s;
}

/* Call `each` for the units of a section that can be read, until it returns false. */
typedef bool unit_fn(struct unit *unit, void *arg);

static void walk_units(const struct image *main, struct die_bytes info, bool in_types, enum file_kind kind,
		       struct unit_sections *sections, unit_fn *each, void *arg)
{
	struct abbrevs abbrevs = { 0 };
	struct unit_head head;
	struct unit unit;
	bool more = true;

	for (uint64_t at = 0; more && unit_head_read(info, at, in_types, &head); at = head.end)
		if (unit_open(main, info, at, in_types, kind, sections, &abbrevs, &unit))
			more = each(&unit, arg);
	abbrevs_free(&abbrevs);
}

struct skeleton_walk {
	bool (*each)(const struct skeleton *skeleton, void *arg);
	void *arg;
};

static bool look_for_skeleton(struct unit *unit, void *arg)
{
	const struct skeleton_walk *walk = arg;
	const struct skeleton skeleton = { unit->head.offset, unit->id, unit->split_name, unit->split_dir };

	return !unit->split_name || walk->each(&skeleton, walk->arg);
}

void join_skeletons(const struct image *image, bool (*each)(const struct skeleton *skeleton, void *arg), void *arg)
{
	struct unit_sections sections = sections_of(image, FILE_MAIN);
	struct skeleton_walk walk = { each, arg };

	walk_units(image, die_section(image, ".debug_info"), false, FILE_MAIN, &sections, look_for_skeleton, &walk);
}

static bool found(const struct skeleton *skeleton, void *arg)
{
	*(bool *)arg = true;
	return false;
}

static bool has_type_units(const struct image *image)
{
	const struct die_bytes info = die_section(image, ".debug_info");
	struct unit_head head;

	for (uint64_t at = 0; unit_head_read(info, at, false, &head); at = head.end)
		if (unit_is_type(&head))
			return true;
	return false;
}

bool join_is_needed(const struct image *image)
{
	bool is_split = false;

	if (image_section(image, ".debug_types") || image_section(image, ".gnu_debugaltlink") ||
	    image_section(image, ".debug_sup") || has_type_units(image))
		return true;
	/* Split units use a table of addresses. */
	if (image_section(image, ".debug_addr"))
		join_skeletons(image, found, &is_split);
	return is_split;
}

/* ----------------------------------------------------------------- sources */

static uint32_t add_source(struct joiner *j, enum file_kind kind, bool in_types, struct die_bytes info)
{
	const uint32_t number = j->nr_sources;
	const uint64_t limit = j->limit + GROWS * (uint64_t)info.len;

	j->limit = limit < MOST ? limit : MOST;
	*ARRAY_ADD(j->sources, j->nr_sources, j->sources_room) =
		(struct source){ .kind = kind, .in_types = in_types, .home = number, .info = info };
	return number;
}

struct writing {
	struct joiner *j;
	uint32_t source;
	const struct unit *skeleton;
	size_t nr_skeletons;
};

/* ------------------------------------------------------------- split units */

static bool write_split_unit(struct unit *unit, void *arg)
{
	struct writing *writing = arg;
	const struct unit *skeleton = writing->skeleton;

	unit->source = writing->source;
	unit->addr_base = skeleton->addr_base;
	unit->ranges_base = skeleton->ranges_base;
	/* A file may have units of other skeletons, too. */
	if (unit_is_type(&unit->head) || unit->id == skeleton->id)
		unit_write(writing->j, unit, unit_is_type(&unit->head) ? NULL : skeleton);
	return true;
}

static void write_split_section(struct joiner *j, const struct unit *skeleton, struct die_bytes info, bool in_types,
				struct unit_sections *sections)
{
	struct writing writing = { j, add_source(j, FILE_SPLIT, in_types, info), skeleton, 0 };

	walk_units(j->image, info, in_types, FILE_SPLIT, sections, write_split_unit, &writing);
}

static struct die_bytes bytes_of(const struct image_section *section)
{
	return (struct die_bytes){ section->data, section->data_size };
}

/* A file may have several sections of one name. */
static void write_split_file(struct joiner *j, const struct unit *skeleton, const struct image *file)
{
	struct unit_sections sections = sections_of(file, FILE_SPLIT);

	for (size_t i = 0; i < file->nr_sections; i++) {
		const struct image_section *section = &file->sections[i];
		const bool in_types = !strcmp(section->name, ".debug_types.dwo");

		if (section->data && (in_types || !strcmp(section->name, ".debug_info.dwo")))
			write_split_section(j, skeleton, bytes_of(section), in_types, &sections);
	}
}

struct id_search {
	uint64_t id;
	bool found;
};

static bool compare_id(struct unit *unit, void *arg)
{
	struct id_search *search = arg;

	search->found = !unit_is_type(&unit->head) && unit->id == search->id;
	return !search->found;
}

bool join_has_split(const struct image *file, uint64_t id)
{
	struct unit_sections sections = sections_of(file, FILE_SPLIT);
	struct id_search search = { .id = id };
	struct package_unit unit;

	if (package_split(file, id, &unit))
		return true;
	for (size_t i = 0; i < file->nr_sections && !search.found; i++)
		if (file->sections[i].data && !strcmp(file->sections[i].name, ".debug_info.dwo"))
			walk_units(file, bytes_of(&file->sections[i]), false, FILE_SPLIT, &sections, compare_id,
				   &search);
	return search.found;
}

static bool write_split(struct joiner *j, const struct unit *skeleton, size_t number)
{
	const struct image_beside *beside = j->image->beside;
	const char *path = beside && number < beside->nr_splits ? beside->splits[number] : NULL;
	struct package_unit packed;
	struct image *file = NULL;
	int fd;

	if (beside && beside->package && package_split(beside->package, skeleton->id, &packed)) {
		write_split_section(j, skeleton, packed.info, packed.in_types, &packed.sections);
		return true;
	}
	fd = path ? beside->open(beside->root, path) : -1;
	if (fd >= 0)
		file = image_open_fd(fd, path, NULL);
	if (!file || !join_has_split(file, skeleton->id)) {
		image_close(file);
		return false;
	}
	write_split_file(j, skeleton, file);
	image_close(file);
	return true;
}

static void write_packed_type(const struct package_unit *packed, void *arg)
{
	const struct unit none = { .sections = NULL };
	struct package_unit unit = *packed;

	write_split_section(arg, &none, unit.info, unit.in_types, &unit.sections);
}

/* ------------------------------------------------------------------- units */

static bool write_unit(struct unit *unit, void *arg)
{
	struct writing *writing = arg;

	unit->source = writing->source;
	if (unit->split_name && write_split(writing->j, unit, writing->nr_skeletons++))
		return true;
	unit_write(writing->j, unit, NULL);
	return true;
}

static void write_section(struct joiner *j, enum file_kind kind, const char *name, struct unit_sections *sections,
			  uint32_t source)
{
	struct writing writing = { .j = j, .source = source };

	walk_units(j->image, j->sources[source].info, !strcmp(name, ".debug_types"), kind, sections, write_unit,
		   &writing);
}

static void write_file(struct joiner *j, const struct image *file, enum file_kind kind)
{
	struct unit_sections sections = sections_of(file, kind);
	const uint32_t info = add_source(j, kind, false, die_section(file, ".debug_info"));
	const uint32_t types = add_source(j, kind, true, die_section(file, ".debug_types"));

	j->sources[types].home = info;
	if (kind == FILE_ALT)
		j->alt = info + 1;
	write_section(j, kind, ".debug_types", &sections, types);
	write_section(j, kind, ".debug_info", &sections, info);
}

/* --------------------------------------------------------------- references */

static int by_from(const void *key, const void *row)
{
	const uint64_t from = *(const uint64_t *)key;
	const struct moved *moved = row;

	return (from > moved->from) - (from < moved->from);
}

static uint64_t target_of(struct joiner *j, const struct fix *fix)
{
	uint64_t target = fix->target, type;
	uint32_t number = fix->source;
	const struct moved *moved;

	if (number == BY_TYPE) {
		type = *map_at(&j->types, target + 1 ? target + 1 : 1);
		if (!type)
			return j->unknown;
		number = (type >> 32) - 1;
		target = (uint32_t)type;
	}
	moved = number < j->nr_sources && j->sources[number].nr_moved ?
		bsearch(&target, j->sources[number].moved, j->sources[number].nr_moved, sizeof(*moved), by_from) : NULL;
	return moved ? moved->to : j->unknown;
}

static void resolve(struct joiner *j)
{
	for (size_t i = 0; i < j->nr_fixes; i++) {
		const uint32_t to = target_of(j, &j->fixes[i]);

		memcpy(j->info.v + j->fixes[i].at, &to, sizeof(to));
	}
}

/* ------------------------------------------------------------------- image */

static void give(struct image *out, const char *name, struct bytes *bytes)
{
	struct image_section *section = &out->sections[out->nr_sections++];

	*section = (struct image_section){
		.name = name, .type = SHT_PROGBITS, .size = bytes->n, .data = bytes->v, .data_size = bytes->n,
		.own = bytes->v,
	};
	*bytes = (struct bytes){ 0 };
}

/* Their units are where they were no longer. */
static bool is_replaced(const char *name)
{
	static const char *const names[] = {
		".debug_info", ".debug_types", ".debug_abbrev", ".debug_loc", ".debug_loclists",
		".debug_ranges", ".debug_rnglists", ".debug_line", ".debug_aranges", ".debug_names",
		".debug_pubnames", ".debug_pubtypes", ".gdb_index",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

#define NEW_SECTIONS	7

static struct image *make_image(struct joiner *j)
{
	struct image *out = must_alloc(1, sizeof(*out));

	*out = *j->image;
	out->beside = NULL;
	out->sections = must_alloc(j->image->nr_sections + NEW_SECTIONS, sizeof(*out->sections));
	out->nr_sections = 0;
	for (size_t i = 0; i < j->image->nr_sections; i++) {
		struct image_section *section = &out->sections[out->nr_sections];

		if (is_replaced(j->image->sections[i].name))
			continue;
		*section = j->image->sections[i];
		section->own = section->own_name = NULL;
		out->nr_sections++;
	}
	give(out, ".debug_info", &j->info);
	give(out, ".debug_abbrev", &j->abbrev);
	give(out, ".debug_loc", &j->loc);
	give(out, ".debug_loclists", &j->loclists);
	give(out, ".debug_ranges", &j->ranges);
	give(out, ".debug_rnglists", &j->rnglists);
	give(out, ".debug_line", &j->line);
	return out;
}

void join_free(struct image *joined)
{
	if (!joined)
		return;
	for (size_t i = 0; i < joined->nr_sections; i++)
		free(joined->sections[i].own);
	free(joined->sections);
	free(joined);
}

static void joiner_free(struct joiner *j)
{
	for (size_t i = 0; i < j->nr_sources; i++)
		free(j->sources[i].moved);
	free(j->sources);
	free(j->fixes);
	map_free(&j->codes);
	map_free(&j->types);
	bytes_free(&j->specs);
	bytes_free(&j->values);
	bytes_free(&j->info);
	bytes_free(&j->abbrev);
	bytes_free(&j->loc);
	bytes_free(&j->loclists);
	bytes_free(&j->ranges);
	bytes_free(&j->rnglists);
	bytes_free(&j->line);
}

static void take_first(struct joiner *j, struct bytes *to, const char *name)
{
	uint64_t at = NOT_YET;

	take_section(to, die_section(j->image, name), &at);
}

/* Sections of the image come first, so offsets into them stay. */
static void take_main(struct joiner *j)
{
	take_first(j, &j->loc, ".debug_loc");
	take_first(j, &j->loclists, ".debug_loclists");
	take_first(j, &j->ranges, ".debug_ranges");
	take_first(j, &j->rnglists, ".debug_rnglists");
	take_first(j, &j->line, ".debug_line");
	j->first_loc = j->loc.n;
}

static bool is_too_large(const struct joiner *j)
{
	return j->info.n >= j->limit || j->loc.n > UINT32_MAX || j->loclists.n > UINT32_MAX || j->line.n > UINT32_MAX;
}

struct image *join_images(const struct image *image, struct debug_error *err)
{
	const struct image_beside *beside = image->beside;
	struct joiner j = { .image = image, .limit = GROWS_ALWAYS };
	struct image *out = NULL;

	take_main(&j);
	unit_write_unknown(&j);
	if (beside && beside->alt) {
		j.alt_str = die_section(beside->alt, ".debug_str");
		write_file(&j, beside->alt, FILE_ALT);
	}
	write_file(&j, image, FILE_MAIN);
	if (beside && beside->package)
		package_types(beside->package, write_packed_type, &j);
	if (is_too_large(&j)) {
		debug_fail(err, "%s: its debug information, with that of other files, is larger than 4 GiB or damaged", image->path);
	} else {
		const uint8_t end = 0;

		bytes_put(&j.abbrev, &end, 1);
		resolve(&j);
		out = make_image(&j);
	}
	joiner_free(&j);
	return out;
}
