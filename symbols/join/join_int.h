/* SPDX-License-Identifier: GPL-2.0-or-later */
/* join_int.h - internals of join.h. */
#ifndef KTRACE_JOIN_INT_H
#define KTRACE_JOIN_INT_H

#include "symbols/base/map.h"
#include "symbols/join/die.h"
#include "symbols/join/join.h"

enum file_kind {
	FILE_MAIN,	/* its sections come first in the joined ones, so offsets into them stay */
	FILE_ALT,
	FILE_SPLIT,
};

/* What the units of a file, or one unit of a package, refer to. */
struct unit_sections {
	struct die_bytes abbrev, str, line_str, str_offsets, addr, loc, loclists, ranges, rnglists, line;
	uint64_t line_at, loclists_at, rnglists_at;	/* where it is in the joined section; NOT_YET: not taken */
};

#define NOT_YET		UINT64_MAX

struct moved {
	uint32_t from, to;
};

/* One section with units. */
struct source {
	enum file_kind kind;
	bool in_types;
	uint32_t home;			/* the source that DW_FORM_ref_addr means */
	struct die_bytes info;
	struct moved *moved;		/* entries, by `from` */
	size_t nr_moved, moved_room;
};

struct unit {
	struct unit_head head;
	uint32_t source;
	enum file_kind kind;
	struct unit_sections *sections;
	struct abbrevs *abbrevs;
	/* From its own entry, or that of its skeleton. */
	uint64_t str_offsets_base, addr_base, ranges_base;
	struct die_bytes addr;
	const char *split_name, *split_dir;	/* of a skeleton; NULL: none */
	uint64_t id;
};

struct fix {
	uint64_t at;			/* in the joined .debug_info */
	uint32_t source;		/* BY_TYPE: target is the id of a type unit */
	uint64_t target;
};

#define BY_TYPE		UINT32_MAX

struct joiner {
	const struct image *image;
	struct bytes info, abbrev, loc, loclists, ranges, rnglists, line;
	struct source *sources;
	size_t nr_sources, sources_room;
	uint32_t alt;			/* source + 1; 0: missing */
	struct die_bytes alt_str;
	struct fix *fixes;
	size_t nr_fixes, fixes_room;
	struct map codes;		/* hash of an abbreviation -> its code */
	uint64_t nr_codes;
	struct map types;		/* id of a type unit + 1 -> source << 32 | offset of its type */
	uint64_t unknown;		/* where the type "?" is */
	uint64_t limit;			/* of the joined .debug_info */
	size_t first_loc;		/* where lists that are written anew begin */

	/* The present entry. */
	struct bytes specs, values;
	size_t first_fix;
};

/* join_unit.c: read the unit's own entry for what is needed to read the others.  False: it is damaged. */
bool unit_open(const struct image *image, struct die_bytes info, uint64_t offset, bool in_types, enum file_kind kind,
	       struct unit_sections *sections, struct abbrevs *abbrevs, struct unit *out);
const char *unit_text(const struct unit *unit, const struct die_value *value);
bool unit_address(const struct unit *unit, uint64_t index, uint64_t *out);
/* Write a unit; skeleton is that of a split unit, or NULL. */
void unit_write(struct joiner *j, const struct unit *unit, const struct unit *skeleton);
/* Make the type for references that lead nowhere. */
void unit_write_unknown(struct joiner *j);

/* join_list.c: where a list of a split unit is in the joined section.  False: it is not there. */
bool list_location(struct joiner *j, const struct unit *unit, const struct die_value *value, uint64_t *out);
bool list_ranges(struct joiner *j, const struct unit *unit, const struct die_value *value, uint64_t *out);
/* Take a section as a whole. */
uint64_t take_section(struct bytes *to, struct die_bytes section, uint64_t *at);

/* join_package.c: the units of a .dwp file. */
struct package_unit {
	struct die_bytes info;
	bool in_types;
	struct unit_sections sections;
};
bool package_split(const struct image *package, uint64_t id, struct package_unit *out);
/* Call `each` for all its type units. */
void package_types(const struct image *package, void (*each)(const struct package_unit *unit, void *arg), void *arg);

#endif
