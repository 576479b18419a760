// SPDX-License-Identifier: GPL-2.0-or-later
/* location_var.c - choose the expression of a variable that is valid at an address.  See location.h. */
#include "symbols/index/location.h"

#include <stdio.h>

#include "symbols/index/type.h"

static const struct var_part *part_at(const struct var *var, uint32_t addr)
{
	for (size_t i = 0; i < var->nr_parts; i++)
		if (addr >= var->parts[i].low && addr < var->parts[i].high)
			return &var->parts[i];
	return NULL;
}

static const struct scope *outermost(const struct scope *scope)
{
	while (scope->outer)
		scope = scope->outer;
	return scope;
}

static struct location known_bytes(const uint8_t *bytes, uint64_t len)
{
	return (struct location){ .nr = 1, .pieces = { { .kind = LOC_BYTES, .bytes = bytes, .len = len } } };
}

enum loc_status location_of(const struct dbindex *ix, const struct scope *scope, const struct var *var,
			    uint32_t addr, loc_reg_name name, struct location *out, struct loc_refusal *refusal)
{
	const struct scope *function = outermost(scope);
	const struct var_part *part = part_at(var, addr);
	struct loc_context context = {
		.frame = function->frame, .frame_len = function->frame_len, .cfa = dbindex_cfa_at(ix, addr),
		.is_entry = addr == function->entry, .size = type_size(ix, var->type), .name = name,
	};

	*out = (struct location){ 0 };
	refusal->why[0] = '\0';
	if (var->form == VAR_CONSTANT) {
		*out = (struct location){ .nr = 1, .pieces = {
			{ .kind = LOC_COMPUTED, .value = loc_constant(var->constant) } } };
		return LOC_OK;
	}
	if (var->form == VAR_UNREADABLE) {
		snprintf(refusal->why, sizeof(refusal->why), "its location is in a form that is not known");
		return LOC_REFUSED;
	}
	if (!part)
		return LOC_NONE;
	if (var->form == VAR_BLOCK) {
		*out = known_bytes(part->expr, part->len);
		return LOC_OK;
	}
	return location_evaluate(&context, part->expr, part->len, out, refusal);
}
