// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * build_home.c - in which namespaces, types and functions a type is declared, as a hash.
 *
 * The members value_type of vector<int> and vector<double> have the same name, file and line, and types of Go and Rust
 * often have no line at all: only the home tells them apart.  C has nothing of this kind, so its units are not
 * walked.  A unit is walked when its first type is met.
 */
#include <stdlib.h>

#include "symbols/build/build.h"
#include "symbols/join/die.h"

#define DEEPEST		256	/* nesting of entries; what is deeper is in one home with what is around it */
#define MOST_KEPT	(1U << 20)

struct level {
	uint64_t home;
	uint32_t inner;		/* scopes without a name met there */
};

struct walk {
	struct worker *w;
	struct die_bytes info;
	const struct dwarf_unit *unit;
	struct cursor c;
	struct level levels[DEEPEST];
	unsigned int depth;
};

/* One entry, as far as it matters here. */
struct met {
	uint16_t tag;
	uint64_t offset;
	const char *name, *linkage_name;
	uint64_t before;	/* what it completes: the declaration, or the abstract instance */
	uint64_t language;
};

static uint64_t target_of(const struct walk *walk, const struct die_value *value)
{
	return value->form == DW_FORM_ref_addr ? value->number : walk->unit->head.offset + value->number;
}

static bool read_entry(struct walk *walk, const struct abbrev *abbrev, struct met *out)
{
	const struct abbrev_attr *attr = walk->unit->abbrevs.attrs + abbrev->first;
	struct die_value value;

	for (uint32_t i = 0; i < abbrev->nr_attrs; i++, attr++) {
		if (!die_value(&walk->c, &walk->unit->head, attr, &value))
			return false;
		if (attr->at == DW_AT_name)
			out->name = die_text(&walk->unit->texts, &walk->unit->head, &value);
		else if (attr->at == DW_AT_linkage_name || attr->at == DW_AT_MIPS_linkage_name)
			out->linkage_name = die_text(&walk->unit->texts, &walk->unit->head, &value);
		else if (attr->at == DW_AT_specification || attr->at == DW_AT_abstract_origin)
			out->before = target_of(walk, &value);
		else if (attr->at == DW_AT_language)
			out->language = value.number;
	}
	return true;
}

static bool is_type(uint16_t tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_enumeration_type || tag == DW_TAG_typedef;
}

static bool is_scope(uint16_t tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_union_type || tag == DW_TAG_subprogram ||
	       tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
}

/* The home inside a scope.  One without a name is told by its number among those around it. */
static uint64_t home_inside(struct walk *walk, const struct met *met)
{
	struct level *around = &walk->levels[walk->depth];
	const char *name = met->linkage_name ? met->linkage_name : met->name;
	uint64_t *known;

	if (!is_scope(met->tag))
		return around->home;
	if (name)
		return hash_text(hash_number(around->home, met->tag == DW_TAG_subprogram), name);
	if (met->before) {
		known = map_at(&walk->w->home_in, met->before + 1);
		if (*known)
			return *known;
	}
	return hash_number(hash_number(around->home, met->tag), ++around->inner);
}

static void remember(struct walk *walk, const struct met *met, uint64_t inside)
{
	if (is_type(met->tag))
		*map_at(&walk->w->home_of, met->offset + 1) = walk->levels[walk->depth].home;
	if (is_scope(met->tag))
		*map_at(&walk->w->home_in, met->offset + 1) = inside;
}

static bool is_c(uint64_t language)
{
	return language == DW_LANG_C || language == DW_LANG_C89 || language == DW_LANG_C99 ||
	       language == DW_LANG_C11 || language == LANG_C17 ||
	       language == DW_LANG_Mips_Assembler;
}

/* Returns false at the end of the unit, and where it is damaged. */
static bool step(struct walk *walk)
{
	struct met met = { .offset = walk->c.at - walk->info.data };
	const uint64_t code = cursor_uleb(&walk->c);
	const struct abbrev *abbrev;
	uint64_t inside;

	if (!code)
		return walk->depth-- > 1;
	abbrev = abbrevs_find(&walk->unit->abbrevs, code);
	if (!abbrev || !read_entry(walk, abbrev, &met))
		return false;
	met.tag = abbrev->tag;
	if (!walk->depth && is_c(met.language))
		return false;
	inside = home_inside(walk, &met);
	remember(walk, &met, inside);
	if (!abbrev->has_children)
		return walk->depth;
	if (walk->depth + 1 == DEEPEST)
		return false;
	walk->levels[++walk->depth] = (struct level){ .home = inside };
	return true;
}

static void walk_unit(struct worker *w, const struct dwarf_unit *unit)
{
	struct walk walk = { .w = w, .info = w->b->dwarf.info, .unit = unit };

	if (w->home_of.nr > MOST_KEPT) {
		map_clear(&w->home_of);
		map_clear(&w->home_in);
		map_clear(&w->known_homes);
	}
	*map_at(&w->known_homes, unit->head.offset + 1) = 1;
	walk.levels[0].home = HASH_START;
	walk.c = cursor_of(walk.info.data + unit->head.first, unit->head.end - unit->head.first);
	while (cursor_left(&walk.c) && step(&walk))
		;
}

uint64_t build_home(struct worker *w, const struct entry *e)
{
	const uint64_t unit = e->unit->head.offset;

	if (unit == w->unit->offset && is_c(w->unit_entry.language))
		return 0;
	if (!*map_at(&w->known_homes, unit + 1))
		walk_unit(w, e->unit);
	return *map_at(&w->home_of, e->offset + 1);
}
