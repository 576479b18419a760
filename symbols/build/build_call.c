// SPDX-License-Identifier: GPL-2.0-or-later
/* build_call.c - what debug information says of how a function is called, for symbols/index/calling.h. */
#include "symbols/build/build.h"
#include "symbols/index/scope.h"

#define DEEPEST	16	/* nesting of the parts of a type */

static const struct language {
	uint16_t language;
	uint16_t flag;
} languages[] = {
	{ DW_LANG_C89, SCOPE_C }, { DW_LANG_C, SCOPE_C }, { DW_LANG_C99, SCOPE_C }, { DW_LANG_C11, SCOPE_C },
	{ LANG_C17, SCOPE_C }, { LANG_C23, SCOPE_C }, { DW_LANG_ObjC, SCOPE_C }, { DW_LANG_C_plus_plus, SCOPE_CPP },
	{ DW_LANG_C_plus_plus_03, SCOPE_CPP }, { DW_LANG_C_plus_plus_11, SCOPE_CPP }, { DW_LANG_C_plus_plus_14, SCOPE_CPP },
	{ LANG_CPP_17, SCOPE_CPP }, { LANG_CPP_20, SCOPE_CPP }, { LANG_CPP_23, SCOPE_CPP },
	{ DW_LANG_ObjC_plus_plus, SCOPE_CPP }, { DW_LANG_Rust, SCOPE_RUST },
};

/* SCOPE_C and so on; 0: functions of this unit have a convention that is not known. */
static uint32_t language_of(const struct worker *w)
{
	for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++)
		if (languages[i].language == w->unit_entry.language)
			return languages[i].flag;
	return 0;
}

/* ------------------------------------------------------------------- types */

static uint32_t look(struct worker *w, uint64_t offset, unsigned int depth);

struct composite {
	struct worker *w;
	unsigned int depth;
	const char *name;
	uint32_t found;
	bool is_special;	/* it may have a copy constructor or a destructor that does something */
};

static bool is_reference(struct worker *w, uint64_t offset)
{
	struct entry e;

	return offset && entry_at(&w->reader, offset, &e) &&
	       (e.tag == DW_TAG_reference_type || e.tag == DW_TAG_rvalue_reference_type);
}

static void look_at_parameter(const struct entry *e, void *arg)
{
	struct composite *c = arg;

	c->is_special |= e->tag == DW_TAG_formal_parameter && !e->artificial && is_reference(c->w, e->type);
}

static void look_at_method(struct composite *c, const struct entry *e)
{
	c->is_special |= e->is_virtual || !e->name || *e->name == '~';
	if (e->name && c->name && !strcmp(e->name, c->name))
		entry_children(&c->w->reader, e, look_at_parameter, c);
}

static void look_at_part(struct composite *c, const struct entry *e)
{
	const uint32_t part = look(c->w, e->type, c->depth + 1);

	c->found |= part & VAR_ODD;
	c->is_special |= e->is_virtual || !(part & (VAR_BY_VALUE | VAR_ODD));
}

static void look_inside(const struct entry *e, void *arg)
{
	struct composite *c = arg;

	if (e->tag == DW_TAG_variant_part)
		c->found |= VAR_ODD;
	else if (e->tag == DW_TAG_member || e->tag == DW_TAG_inheritance)
		look_at_part(c, e);
	else if (e->tag == DW_TAG_subprogram)
		look_at_method(c, e);
}

/* Of a composite; some compilers say how it is passed. */
static uint32_t look_at_composite(struct worker *w, const struct entry *e, unsigned int depth)
{
	struct composite c = { .w = w, .depth = depth, .name = e->name };

	if (!e->declaration)
		entry_children(&w->reader, e, look_inside, &c);
	if (e->convention == DW_CC_pass_by_reference)
		return c.found | VAR_BY_REFERENCE;
	if (e->convention == DW_CC_pass_by_value || (!c.is_special && !e->declaration))
		return c.found | VAR_BY_VALUE;
	return c.found;
}

/* Numbers and pointers are passed by value. */
static uint32_t look_at(struct worker *w, const struct entry *e, unsigned int depth)
{
	switch (e->tag) {
	case DW_TAG_typedef:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		return look(w, e->type, depth + 1);
	case DW_TAG_array_type:
		return e->is_vector ? VAR_ODD : look(w, e->type, depth + 1);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return look_at_composite(w, e, depth);
	case DW_TAG_ptr_to_member_type:
		return VAR_ODD;
	}
	return VAR_BY_VALUE;
}

#define KNOWN	(1U << 31)	/* in w->passing, because 0 means a new key */

static uint32_t look(struct worker *w, uint64_t offset, unsigned int depth)
{
	struct entry e;
	uint64_t known;

	if (!offset)
		return 0;
	if (depth > DEEPEST)
		return VAR_ODD;
	known = *map_at(&w->passing, offset);
	if (known)
		return known & ~KNOWN;
	if (!entry_at(&w->reader, offset, &e))
		return VAR_ODD;
	known = look_at(w, &e, depth);
	*map_at(&w->passing, offset) = known | KNOWN;
	return known;
}

uint32_t build_passing(struct worker *w, uint64_t type)
{
	return look(w, type, 0);
}

/* --------------------------------------------------------------- functions */

static uint32_t result_flags(uint32_t passing)
{
	if (passing & VAR_BY_REFERENCE)
		return SCOPE_BY_REFERENCE;
	return (passing & VAR_BY_VALUE ? SCOPE_BY_VALUE : 0) | (passing & VAR_ODD ? SCOPE_ODD : 0);
}

uint32_t build_calling(struct worker *w, const struct origin *origin)
{
	const uint32_t language = language_of(w);
	const bool is_normal = !origin->convention || origin->convention == DW_CC_normal || origin->convention == DW_CC_program;

	/* Without a prototype, callers of C promote what they pass. */
	if (!language)
		return 0;
	return language | (is_normal && (language != SCOPE_C || origin->prototyped) ? 0 : SCOPE_OTHER_CALL) |
	       result_flags(build_passing(w, origin->type_die));
}
