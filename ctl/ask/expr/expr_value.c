// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * expr_value.c - express variables and members by operations of the capture machine: registers, numbers, loads,
 * operators.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/expr/expr_int.h"
#include "ctl/base/device/show.h"
#include "ctl/base/memory.h"
#include "ctl/base/suggestion.h"
#include "examples.h"
#include "symbols/query/program.h"

/* ------------------------------------------------------------------ values */

static const struct arch_reg *full_register(const struct arch_ops *arch, uint16_t dwarf)
{
	for (const struct arch_reg *reg = arch->regs; reg->name; reg++)
		if (reg->dwarf == dwarf && reg->bytes == 8 && !reg->shift)
			return reg;
	return NULL;
}

static struct expr *unary(enum expr_op op, struct expr *a)
{
	struct expr *e = mem_zalloc(1, sizeof(*e));

	*e = (struct expr){ .kind = EXPR_UNARY, .op = op, .type = EXPR_ULONG, .at = a->at, .a = a };
	return e;
}

static struct expr *step(struct expr *e, const struct loc_step *s)
{
	static const enum expr_op ops[] = {
		[LOC_ADD] = OP_ADD, [LOC_AND] = OP_AND, [LOC_OR] = OP_OR, [LOC_XOR] = OP_XOR,
		[LOC_SHL] = OP_SHL, [LOC_SHR] = OP_SHR, [LOC_SHRA] = OP_SHR, [LOC_MUL] = OP_MUL,
		[LOC_NEG] = OP_MINUS, [LOC_NOT] = OP_INVERT,
	};

	switch (s->op) {
	case LOC_LOAD:
		return expr_converted(expr_at(e, (struct expr_type){ .bytes = s->n }), EXPR_ULONG);
	case LOC_NEG:
	case LOC_NOT:
		return unary(ops[s->op], e);
	case LOC_SHRA:
		return expr_converted(expr_binary(OP_SHR, expr_converted(e, EXPR_LONG), s->n, EXPR_LONG), EXPR_ULONG);
	default:
		return expr_binary(ops[s->op], e, s->n, EXPR_ULONG);
	}
}

struct expr *value_of_address(struct resolver *r, uint64_t addr, size_t at)
{
	const struct program *program = r->vars ? r->vars->target->program : NULL;
	struct expr *e = expr_number(addr, EXPR_ULONG, at);

	if (!program || program_is_fixed(program))
		return e;
	e->kind = EXPR_REG;
	e->reg = full_register(r->arch, r->arch->dwarf_pc);
	return expr_binary(OP_ADD, e, addr - r->vars->point->addr, EXPR_ULONG);
}

struct expr *expr_base(const struct expr_names *names)
{
	struct resolver r = { .arch = names->arch, .vars = names->vars };

	return value_of_address(&r, 0, 0);
}

/* The 64-bit address or value that a location computes. */
static struct expr *value_tree(struct resolver *r, const struct loc_value *value, size_t at)
{
	const bool is_linked = value->nr && value->is_linked;
	struct expr *e = is_linked ? value_of_address(r, value->steps[0].n, at) : expr_number(0, EXPR_ULONG, at);

	if (value->has_reg) {
		e->kind = EXPR_REG;
		e->reg = full_register(r->arch, value->reg);
		if (!e->reg) {
			FAIL(r, e, "it is in register %u, which is not recorded", value->reg);
			expr_free(e);
			return NULL;
		}
	}
	for (size_t i = is_linked; i < value->nr; i++)
		e = step(e, &value->steps[i]);
	return e;
}

/* Extract bits of a value as a number of the type. */
static struct expr *bits_of(struct expr *e, uint64_t from, uint64_t bits, struct expr_type type)
{
	const struct expr_type wide = expr_is_signed(type) ? EXPR_LONG : EXPR_ULONG;

	if (bits < 64) {
		if (from || bits != 8U * expr_bytes(type)) {
			e = expr_binary(OP_SHL, e, 64 - from - bits, EXPR_ULONG);
			e = expr_binary(OP_SHR, expr_converted(e, wide), 64 - bits, wide);
		}
	}
	return expr_converted(e, type);
}

/* Extract bits in memory; load the smallest word that holds all of them. */
static struct expr *bits_at(struct resolver *r, struct expr *address, uint64_t from, uint64_t bits,
			    struct expr_type type)
{
	uint64_t bytes = 1;

	address = expr_binary(OP_ADD, expr_converted(address, EXPR_ULONG), from / 8, EXPR_ULONG);
	from %= 8;
	while (bytes < 8 && from + bits > 8 * bytes)
		bytes *= 2;
	if (from + bits > 64) {
		FAIL(r, address, "this bit-field spans more than 8 bytes");
		expr_free(address);
		return NULL;
	}
	return bits_of(expr_converted(expr_at(address, (struct expr_type){ .bytes = bytes }), EXPR_ULONG), from, bits,
		       type);
}

/* ------------------------------------------------------------------ pieces */

static struct expr *known_bytes(const struct loc_piece *piece, uint64_t from, uint64_t bits, struct expr_type type,
				size_t at)
{
	uint64_t value = 0, first = from / 8;

	for (uint64_t i = 0; i < 8 && first + i < piece->len; i++)
		value |= (uint64_t)piece->bytes[first + i] << 8 * i;
	return bits_of(expr_number(value, EXPR_ULONG, at), from % 8, bits, type);
}

/* Bits [from, from + bits) of a piece. */
static struct expr *piece_bits(struct resolver *r, const struct loc_piece *piece, uint64_t from, uint64_t bits,
			       struct expr_type type, const struct expr *e)
{
	struct expr *value;

	from += piece->from;
	if (piece->kind == LOC_NOWHERE) {
		FAIL(r, e, "this part of the variable was optimised out");
		return NULL;
	}
	if (piece->kind == LOC_BYTES)
		return known_bytes(piece, from, bits, type, e->at);
	value = value_tree(r, &piece->value, e->at);
	if (!value)
		return NULL;
	if (piece->kind == LOC_MEMORY)
		return bits_at(r, value, from, bits, type);
	if (from + bits <= 64)
		return bits_of(value, from, bits, type);
	expr_free(value);
	FAIL(r, e, "this part of it is not in one register");
	return NULL;
}

static struct expr *value_of_bits(struct resolver *r, const struct location *where, uint64_t from, uint64_t bits,
				  struct expr_type type, const struct expr *e)
{
	uint64_t start = 0;

	for (size_t i = 0; i < where->nr; i++) {
		const struct loc_piece *piece = &where->pieces[i];

		if (from >= start && (!piece->bits || from + bits <= start + piece->bits))
			return piece_bits(r, piece, from - start, bits, type, e);
		start += piece->bits;
	}
	FAIL(r, e, "this is spread over several places");
	return NULL;
}

static struct expr *kept(const struct location *where, struct expr_type type, size_t at)
{
	struct expr *e = mem_zalloc(1, sizeof(*e));

	*e = (struct expr){ .kind = EXPR_LOCATION, .type = type, .at = at, .where = mem_zalloc(1, sizeof(*where)) };
	*e->where = *where;
	return e;
}

struct expr *value_of_variable(struct resolver *r, size_t at, const struct location *where, struct expr_type type)
{
	const struct expr here = { .at = at };
	struct expr *address;

	if (where->nr == 1 && where->pieces[0].kind == LOC_MEMORY && !where->pieces[0].from) {
		address = value_tree(r, &where->pieces[0].value, at);
		return address ? expr_at(address, type) : NULL;
	}
	if (!type.stars && type.shape != SHAPE_NUMBER)
		return kept(where, type, at);
	if (!expr_bytes(type)) {
		if (type.ix && type_is_unknown(type.ix, type.number))
			FAIL(r, &here, "its type is not known: %s", expr_why_unknown(r));
		else
			FAIL(r, &here, "its type is not known");
		return NULL;
	}
	return value_of_bits(r, where, 0, 8 * expr_bytes(type), type, &here);
}

/* ----------------------------------------------------------------- members */

/* A composite inside one that is in registers is in the same registers, at a bit offset. */
static struct expr *part_of_value(struct resolver *r, const struct expr *composite, uint64_t from, uint64_t bits,
				  struct expr_type type)
{
	struct expr *part;

	from += composite->value;
	if (type.stars || type.shape == SHAPE_NUMBER)
		return value_of_bits(r, composite->where, from, bits, type, composite);
	part = kept(composite->where, type, composite->at);
	part->value = from;
	return part;
}

static struct expr *part_of_variant(struct resolver *r, const struct expr *composite, const struct type_member *member,
				    const struct dbindex *ix)
{
	AUTO_EXPR struct expr *object = variant_object(r, composite, member, ix);
	struct type_member plain = *member;

	plain.role = MEMBER_PLAIN;
	return object ? value_of_part(r, object, &plain, ix) : NULL;
}

struct expr *value_of_part(struct resolver *r, const struct expr *composite, const struct type_member *member,
			   const struct dbindex *ix)
{
	struct expr_type type = expr_type_of(ix, member->type);
	const uint64_t bits = member->bits ? member->bits : 8 * expr_size(type);
	struct expr *address;

	if (member->role == MEMBER_OF_VARIANT || member->role == MEMBER_OF_OTHERS)
		return part_of_variant(r, composite, member, ix);
	type.bits = member->bits;
	if (composite->kind == EXPR_LOCATION)
		return part_of_value(r, composite, member->bit_offset, bits, type);
	address = expr_copy(composite->a);
	if (member->bits)
		return bits_at(r, address, member->bit_offset, bits, type);
	return expr_at(expr_binary(OP_ADD, expr_converted(address, EXPR_ULONG), member->bit_offset / 8, EXPR_ULONG),
		       type);
}

static void offer_members(struct suggestions *similar, const struct dbindex *ix, uint32_t number, unsigned int depth)
{
	struct type_member member;
	struct type type;

	if (depth > 4 || !type_resolve(ix, number, &type) ||
	    (type.kind != TYPE_STRUCT && type.kind != TYPE_UNION))
		return;
	while (type_next_member(ix, &type, &member)) {
		if (*member.name)
			suggestion_offer(similar, member.name);
		else
			offer_members(similar, ix, member.type, depth + 1);
	}
}

static bool no_member(struct resolver *r, const struct expr *e, struct expr_type type)
{
	struct suggestions similar = { .word = e->name };
	char spelt[128], buf[256];

	offer_members(&similar, type.ix, type.number, 0);
	return FAIL(r, e, "%s has no member '%s': %s", expr_spell(type, spelt, sizeof(spelt)), e->name,
		    suggestion_say(similar.names, similar.n, "'explain' shows the types of variables", buf, sizeof(buf)));
}

const char *expr_why_unknown(const struct resolver *r)
{
	const char *lacks = r->vars && r->vars->info.unit ? debug_unit_lacks(r->vars->info.unit) : NULL;

	return lacks ? lacks : "a file with a part of the debug information is missing";
}

static bool wrong_operator(struct resolver *r, const struct expr *e, struct expr_type type)
{
	char spelt[128];

	expr_spell(type, spelt, sizeof(spelt));
	if (e->kind == EXPR_MEMBER && type.stars == 1 && type.shape == SHAPE_COMPOSITE)
		return FAIL(r, e, "this is a pointer (%s): write ->%s", spelt, e->name);
	if (e->kind == EXPR_ARROW && !type.stars && type.shape == SHAPE_COMPOSITE)
		return FAIL(r, e, "this is no pointer but a %s: write .%s", spelt, e->name);
	if (!type.ix)
		return FAIL(r, e, "the left side has no members: cast it, as in ((struct file *)$" EX_ARG1 ")->f_flags");
	if (type_is_unknown(type.ix, type.number))
		return FAIL(r, e, "the members of this type are not known: %s", expr_why_unknown(r));
	return FAIL(r, e, "a %s has no members", spelt);
}

/* The composite on the left of a->name. */
static struct expr *pointed_at(struct expr *pointer)
{
	return expr_at(pointer, expr_target(pointer->type));
}

bool value_of_member(struct resolver *r, struct expr *e)
{
	struct expr_type type = e->a->type;
	struct type_member member;
	struct expr *found;

	if (type.shape != SHAPE_COMPOSITE || type.stars != (e->kind == EXPR_ARROW))
		return wrong_operator(r, e, type);
	if (!vars_complete(r->vars, &type.ix, &type.number)) {
		char spelt[128];

		type.stars = 0;
		return FAIL(r, e, "the members of a %s are unknown", expr_spell(type, spelt, sizeof(spelt)));
	}
	type.stars = 0;
	if (!type_member(type.ix, type.number, e->name, &member))
		return no_member(r, e, type);
	if (e->kind == EXPR_ARROW)
		e->a = pointed_at(e->a);
	found = value_of_part(r, e->a, &member, type.ix);
	if (found)
		expr_become(e, found);
	return found;
}

static bool slice_ends(struct resolver *r, struct expr *e, uint64_t *first, uint64_t *count)
{
	struct expr *from = e->b->a, *to = e->b->b;

	if (!expr_resolve_value(r, from) || !expr_resolve_value(r, to))
		return false;
	if (from->kind != EXPR_NUMBER || to->kind != EXPR_NUMBER || from->value > INT32_MAX || to->value < from->value)
		return FAIL(r, e->b, "the ends of a slice are constant numbers, the smaller one first: a[0..7]");
	*first = from->value;
	*count = to->value - from->value + 1;
	return *count <= EXPR_MAX_SLICE || FAIL(r, e->b, "a slice has at most %d elements", EXPR_MAX_SLICE);
}

/* e is then at the address of its first element, whose number is e->value. */
bool value_of_slice(struct resolver *r, struct expr *e)
{
	uint64_t first = 0, count = 0, all, bytes;
	struct expr_type type;
	struct expr *slice;

	if (!slice_ends(r, e, &first, &count) || !expr_resolve_part(r, e->a))
		return false;
	all = e->a->type.stars ? 0 : expr_count(e->a->type);
	if (all && !e->a->type.slice && first + count > all)
		return FAIL(r, e->b, "the array has only %llu elements", (unsigned long long)all);
	if (!expr_take_value(r, e->a))
		return false;
	if (!e->a->type.stars)
		return FAIL(r, e, "this is neither an array nor a pointer");
	type = expr_target(e->a->type);
	if (!type.stars && type.shape == SHAPE_COMPOSITE)
		vars_complete(r->vars, &type.ix, &type.number);
	bytes = expr_size(type);
	if (!bytes)
		return FAIL(r, e, "the size of the elements is unknown: cast it, as in ((u32 *)p)[0..7]");
	slice = expr_at(expr_binary(OP_ADD, expr_converted(expr_copy(e->a), EXPR_ULONG), first * bytes, EXPR_ULONG), type);
	slice->type.slice = count;
	slice->value = first;
	slice->at = e->at;
	expr_become(e, slice);
	return true;
}

static bool nth_member(struct expr_type type, size_t n, struct type_member *out)
{
	struct type composite;

	if (!type_resolve(type.ix, type.number, &composite))
		return false;
	for (size_t i = 0; type_next_member(type.ix, &composite, out); i++)
		if (i == n)
			return true;
	return false;
}

static struct expr *element(struct resolver *r, const struct expr *e, size_t n)
{
	const struct expr_type type = expr_element(e->type);
	const uint64_t bytes = expr_size(type);

	if (e->kind == EXPR_LOCATION)
		return part_of_value(r, e, 8 * n * bytes, 8 * bytes, type);
	return expr_at(expr_binary(OP_ADD, expr_converted(expr_copy(e->a), EXPR_ULONG), n * bytes, EXPR_ULONG),
		       type);
}

static const enum expr_part part_of_role[] = {
	[MEMBER_PLAIN] = PART_OK, [MEMBER_DISCRIMINANT] = PART_VARIANT,
	[MEMBER_OF_VARIANT] = PART_OF_VARIANT, [MEMBER_OF_OTHERS] = PART_OF_VARIANT,
};

enum expr_part expr_part(const struct expr *e, size_t n, const struct expr_names *names, char *suffix,
			 size_t size, struct expr **out)
{
	struct expr_type type = e->type;
	struct error unused;
	struct resolver r = { .what = "", .text = "", .arch = names->arch, .vars = names->vars, .err = &unused };
	struct type_member member;

	*out = NULL;
	if (type.shape == SHAPE_ARRAY || type.slice) {
		/* The elements of a slice have the numbers that they have in the array. */
		snprintf(suffix, size, "[%zu]", type.slice ? e->value + n : n);
		if (n < expr_count(type))
			*out = element(&r, e, n);
		return n >= expr_count(type) ? PART_END : *out ? PART_OK : PART_NONE;
	}
	if (!vars_complete(names->vars, &type.ix, &type.number) || !nth_member(type, n, &member))
		return PART_END;
	snprintf(suffix, size, "%s%s", *member.name ? "." : "", member.name);
	*out = member.role == MEMBER_DISCRIMINANT ? variant_number(&r, e, type.ix) : value_of_part(&r, e, &member, type.ix);
	return !*out ? PART_NONE : part_of_role[member.role];
}

/* ----------------------------------------------------------------- results */

static struct expr *no_result(struct resolver *r, size_t at, const char *why)
{
	const struct expr here = { .at = at };

	FAIL(r, &here, "%s", why);
	return NULL;
}

static struct expr *no_result_yet(struct resolver *r, size_t at)
{
	const struct expr here = { .at = at };

	if (r->vars->insn && r->vars->insn->is_jump)
		return no_result(r, at, "the function ends with a tail call here: the value does not exist yet");
	if (r->vars->scope)
		FAIL(r, &here, "the value is there where the function returns: trace %s%%return", r->vars->scope->name);
	else
		FAIL(r, &here, "the value is there where the function returns: trace FUNCTION%%return");
	return NULL;
}

/* The register is known. */
static struct expr *no_type_of_result(struct resolver *r, size_t at)
{
	const struct expr here = { .at = at };
	const char *reg = arch_reg_name(r->arch, r->arch->dwarf_result);

	FAIL(r, &here, "the type of what the function returns is not known (%s): write %s$%s instead, which holds the value here",
	     r->vars->why.text, strcmp(r->what, "RETVAL") ? "" : "VAR ", reg);
	return NULL;
}

/* Go returns each member in a register of its own. */
static bool is_in_parts(const struct scope *scope, struct expr_type type)
{
	return scope->flags & SCOPE_RESULTS && !type.stars && type.shape != SHAPE_NUMBER;
}

#define DEEPEST	8	/* composites within each other in 8 bytes */

/* Is it a floating-point or a complex number, or a composite of nothing else?  Such are returned in other registers. */
static bool is_of_floats(struct expr_type type, unsigned int depth)
{
	struct type_member member;

	if (type.stars || type.shape == SHAPE_NUMBER)
		return expr_is_float(type) || !expr_bytes(type);
	if (depth == DEEPEST)
		return true;
	if (type.shape == SHAPE_ARRAY)
		return is_of_floats(expr_element(type), depth + 1);
	for (size_t i = 0; nth_member(type, i, &member); i++)
		if (!is_of_floats(expr_type_of(type.ix, member.type), depth + 1))
			return false;
	return true;
}

/* The kernel returns an error as a negative number, or as a pointer to one of the last 4095 bytes (ERR_PTR()). */
static bool may_be_error(struct expr_type type)
{
	if (type.stars)
		return true;
	return type.shape == SHAPE_NUMBER && type.is_signed && type.bytes >= 4 && !type.show;
}

struct expr *expr_result(struct resolver *r, size_t at)
{
	const struct expr here = { .at = at };
	struct location where = { .nr = 1 };
	struct expr_type type;

	if (!r->vars)
		return no_result(r, at, "what a function returns is not known");
	if ((!vars_open(r->vars) || !r->vars->scope) && r->vars->insn && r->vars->insn->is_return)
		return no_type_of_result(r, at);
	if (!r->vars->insn || !r->vars->insn->is_return)
		return no_result_yet(r, at);
	if (r->vars->scope->type == NO_TYPE)
		return no_result(r, at, "the function returns nothing");
	type = expr_type_of(r->vars->info.ix, r->vars->scope->type);
	if (!r->vars->target->program && may_be_error(type))
		type.show = SHOW_RESULT;
	if (type.ix && type_is_unknown(type.ix, type.number)) {
		FAIL(r, &here, "the type of what it returns is not known: %s", expr_why_unknown(r));
		return NULL;
	}
	if (!expr_size(type) || expr_size(type) > 8 || is_in_parts(r->vars->scope, type))
		return no_result(r, at, "the return value does not fit in a register");
	if (is_of_floats(type, 0))
		return no_result(r, at, "the return value is in a register of the floating-point unit, which is not recorded");
	where.pieces[0] = (struct loc_piece){ .kind = LOC_REGISTER,
					      .value = { .has_reg = true, .reg = r->arch->dwarf_result } };
	return value_of_variable(r, at, &where, type);
}
