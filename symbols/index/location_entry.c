// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * location_entry.c - a parameter at the function's entry: what the caller passed.
 *
 * The debug information tells it by the first location that begins there, even if its range is empty: the compiler may
 * have changed the value already by the first instruction.  If that is no place that a caller can write, the calling
 * convention tells it, unless the compiler may have changed the function's parameters.
 */
#include "symbols/index/location_entry.h"

#include <stdio.h>
#include <stdlib.h>

#include "symbols/index/calling.h"
#include "symbols/index/location_frame.h"
#include "symbols/index/type.h"

/* The part that begins first up to the first own instruction, else that covers it. */
static const struct var_part *part_of_entry(const struct var *var, uint32_t entry, uint32_t addr)
{
	const struct var_part *first = NULL, *covering = NULL;

	for (size_t i = 0; i < var->nr_parts; i++) {
		const struct var_part *part = &var->parts[i];

		if (var->form == VAR_LIST && part->low >= entry && part->low <= addr && (!first || part->low < first->low))
			first = part;
		if (!covering && addr >= part->low && addr < part->high)
			covering = part;
	}
	return first ? first : covering;
}

static struct loc_piece register_piece(uint16_t reg, uint64_t bits)
{
	return (struct loc_piece){ .kind = LOC_REGISTER, .value = { .has_reg = true, .reg = reg }, .bits = bits };
}

static struct loc_piece memory_piece(uint16_t reg, int64_t offset, bool is_cfa)
{
	return (struct loc_piece){ .kind = LOC_MEMORY, .value = {
		.has_reg = true, .reg = reg, .is_cfa = is_cfa, .steps = { { LOC_ADD, offset } }, .nr = offset ? 1 : 0 } };
}

/* False: it is nowhere that is known. */
static bool passed_in(const struct argument *argument, const struct ix_cfa *cfa, struct location *out)
{
	switch (argument->kind) {
	case ARGUMENT_IN_REGISTERS:
		out->nr = argument->nr;
		for (size_t i = 0; i < argument->nr; i++)
			out->pieces[i] = register_piece(argument->regs[i], argument->nr > 1 ? 8 * argument->each : 0);
		return argument->nr;
	case ARGUMENT_BY_REFERENCE:
		out->nr = 1;
		out->pieces[0] = memory_piece(argument->regs[0], 0, false);
		return true;
	case ARGUMENT_ON_STACK:
		if (!cfa || cfa->reg == CFA_UNKNOWN || argument->offset > INT32_MAX)
			return false;
		out->nr = 1;
		out->pieces[0] = memory_piece(cfa->reg, cfa->offset + (int64_t)argument->offset, true);
		return true;
	default:
		return false;
	}
}

/* ------------------------------------------------------------------- trust */

struct entry {
	const struct dbindex *ix;
	const struct scope *function;
	const struct loc_at *at;
	const struct ix_cfa *cfa;
	struct loc_frame frame;
};

/* Memory below the caller's frame. */
static bool is_own_memory(const struct entry *e, const struct location *location)
{
	const struct loc_value *value = &location->pieces[0].value;

	return e->cfa && location->nr && location->pieces[0].kind == LOC_MEMORY && value->has_reg && value->reg == e->cfa->reg &&
	       (value->nr && value->steps[0].op == LOC_ADD ? value->steps[0].n : 0) < e->cfa->offset;
}

static bool is_argument_register(const struct calling *calling, uint16_t reg)
{
	for (size_t i = 0; i < calling->nr_args; i++)
		if (calling->args[i] == reg)
			return true;
	return reg >= calling->first_vector && reg - calling->first_vector < (int)calling->nr_vectors;
}

/* One register, and no other value than it has. */
static bool is_register(const struct location *location, uint16_t *reg)
{
	*reg = location->pieces[0].value.reg;
	return location->nr == 1 && location->pieces[0].kind == LOC_REGISTER;
}

/*
 * Is that a place of the function's own, which no caller has written?  A register that a parameter has in the whole function
 * is one, unless arguments are passed in it.
 */
static bool is_unwritten(const struct entry *e, const struct var *var, const struct location *location, enum loc_slot slot)
{
	uint16_t reg;

	if (slot == SLOT_OWN || is_own_memory(e, location))
		return true;
	return var->form == VAR_EXPR && e->at->calling && is_register(location, &reg) &&
	       !is_argument_register(e->at->calling, reg);
}

/*
 * What the debug information says.  *own: it names a place of the function's own, which the function writes later.  At the
 * entry that place does not have the argument yet.
 */
static enum loc_status told(const struct entry *e, const struct var *var, struct location *out, bool *own,
			    struct loc_refusal *refusal)
{
	const struct var_part *part = part_of_entry(var, e->function->entry, e->at->addr);
	struct loc_context context = {
		.frame = e->function->frame, .frame_len = e->function->frame_len, .cfa = e->cfa, .is_entry = true,
		.size = type_size(e->ix, var->type), .name = e->at->name,
	};
	enum loc_status status;
	enum loc_slot slot;

	*out = (struct location){ 0 };
	*own = false;
	/* The compiler knows what callers pass, or the function begins with an assignment. */
	if (var->form == VAR_CONSTANT) {
		*out = (struct location){ .nr = 1, .pieces = { { .kind = LOC_COMPUTED, .value = loc_constant(var->constant) } } };
		return LOC_OK;
	}
	if (!part)
		return LOC_NONE;
	slot = location_slot(&e->frame, part->expr, part->len);
	if (slot == SLOT_CALLERS) {
		context.frame = e->frame.by_cfa;
		context.frame_len = sizeof(e->frame.by_cfa);
	}
	status = location_evaluate(&context, part->expr, part->len, out, refusal);
	*own = is_unwritten(e, var, out, slot);
	return status;
}

/* Does the debug information place each parameter in its register by the convention, as far as it names one? */
static bool agrees(const struct entry *e, const struct argument *arguments, size_t i)
{
	struct loc_refusal unused;
	struct location location;
	uint16_t reg;
	bool own;

	if (told(e, &e->function->vars[i], &location, &own, &unused) != LOC_OK || own || !is_register(&location, &reg) ||
	    arguments[i].kind == ARGUMENT_UNKNOWN)
		return true;
	return arguments[i].kind == ARGUMENT_IN_REGISTERS && arguments[i].regs[0] == reg;
}

/*
 * Is the function called by the convention?  A compiler changes only functions whose callers it knows; then a parameter is
 * missing, or others are elsewhere.
 */
static bool is_conventional(const struct entry *e, const struct argument *arguments)
{
	const struct scope *function = e->function;

	if (e->at->is_clone)
		return false;
	for (size_t i = 0; i < function->nr_vars; i++) {
		const struct var *var = &function->vars[i];

		if (!(var->flags & VAR_PARAMETER))
			continue;
		if (var->form == VAR_NOWHERE || var->flags & VAR_MISSING ||
		    (!(function->flags & SCOPE_EXTERNAL) && !agrees(e, arguments, i)))
			return false;
	}
	return true;
}

/* ------------------------------------------------------------------ choice */

/* Can a caller have put the argument there? */
static bool is_plain(const struct location *location)
{
	for (size_t i = 0; i < location->nr; i++) {
		const struct loc_piece *piece = &location->pieces[i];

		if (piece->kind == LOC_NOWHERE || piece->kind == LOC_BYTES ||
		    (piece->kind == LOC_COMPUTED && (!piece->value.has_reg || piece->value.nr)))
			return false;
	}
	return location->nr;
}

/* A register whose value the function's source has changed already. */
static bool is_changed(const struct location *location)
{
	const struct loc_piece *piece = &location->pieces[0];

	return location->nr == 1 && piece->kind == LOC_COMPUTED && piece->value.has_reg && piece->value.nr;
}

static enum loc_status not_passed(struct loc_refusal *refusal, const char *why)
{
	snprintf(refusal->why, sizeof(refusal->why), "%s, and where the caller put it is not certain", why);
	return LOC_REFUSED;
}

static enum loc_status choose(const struct entry *e, const struct var *var, const struct argument *arguments,
			      struct location *out, struct loc_refusal *refusal)
{
	struct location passed = { 0 };
	bool own;
	enum loc_status status = told(e, var, out, &own, refusal);

	if (status == LOC_OK && !own && is_plain(out) && !(e->function->flags & SCOPE_EXTERNAL))
		return LOC_OK;
	if (arguments && (status == LOC_OK || own) && is_conventional(e, arguments) &&
	    passed_in(&arguments[var - e->function->vars], e->cfa, &passed)) {
		*out = passed;
		return LOC_OK;
	}
	if (own)
		return not_passed(refusal, "the function has not stored it yet");
	if (status == LOC_OK && is_changed(out))
		return not_passed(refusal, "the debug information has only a changed value");
	return status;
}

enum loc_status location_at_entry(const struct dbindex *ix, const struct scope *function, const struct var *var,
				  const struct loc_at *at, struct location *out, struct loc_refusal *refusal)
{
	struct entry e = {
		.ix = ix, .function = function, .at = at, .cfa = dbindex_cfa_at(ix, function->entry),
		.frame = location_frame(ix, function),
	};
	struct argument *arguments = at->calling ? calling_arguments(ix, function, at->calling) : NULL;
	enum loc_status status = choose(&e, var, arguments, out, refusal);

	free(arguments);
	return status;
}
