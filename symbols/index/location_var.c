// SPDX-License-Identifier: GPL-2.0-or-later
/* location_var.c - choose the expression of a variable that is valid at an address.  See location.h. */
#include "symbols/index/location_entry.h"

#include <stdio.h>

#include "symbols/index/location_frame.h"
#include "symbols/index/type.h"

static const struct var_part *part_at(const struct var *var, uint32_t addr)
{
	for (size_t i = 0; i < var->nr_parts; i++)
		if (addr >= var->parts[i].low && addr < var->parts[i].high)
			return &var->parts[i];
	return NULL;
}

static struct location known_bytes(const uint8_t *bytes, uint64_t len)
{
	return (struct location){ .nr = 1, .pieces = { { .kind = LOC_BYTES, .bytes = bytes, .len = len } } };
}

/*
 * A slot of the frame, or a register that is the variable's in its whole scope, at an address inside the function.  False: it
 * has no value of the variable there.
 */
static bool is_written(const struct dbindex *ix, const struct scope *scope, const struct var *var,
		       const struct loc_frame *frame, uint32_t addr, struct loc_refusal *refusal)
{
	const struct scope *function = scope_outermost(scope);
	const uint32_t high = function->nr_ranges ? function->ranges[0].high : 0;
	uint32_t line;

	if (var->form != VAR_EXPR)
		return true;
	if (addr >= function->entry && addr < frame->ready && addr < high) {
		snprintf(refusal->why, sizeof(refusal->why), "the function has not set up its frame yet");
		return false;
	}
	line = location_undeclared(ix, scope, var, addr);
	if (line)
		snprintf(refusal->why, sizeof(refusal->why), "line %u, which declares it, has not run yet", line);
	return !line;
}

/* Before the frame is set up and after it is left, the register that is the frame base has another value. */
static void correct_frame(struct loc_context *context, const struct loc_frame *frame)
{
	if (!frame->is_by_register || !frame->is_known || !context->cfa || context->cfa->reg == CFA_UNKNOWN ||
	    (context->cfa->reg == frame->reg && context->cfa->offset == -frame->from_cfa))
		return;
	context->frame = frame->by_cfa;
	context->frame_len = sizeof(frame->by_cfa);
}

enum loc_status location_of(const struct dbindex *ix, const struct scope *scope, const struct var *var,
			    const struct loc_at *at, struct location *out, struct loc_refusal *refusal)
{
	const struct scope *function = scope_outermost(scope);
	const bool is_called = function->flags & SCOPE_CALLED;
	const struct var_part *part = part_at(var, at->addr);
	struct loc_context context = {
		.frame = function->frame, .frame_len = function->frame_len, .cfa = dbindex_cfa_at(ix, at->addr),
		.is_entry = at->addr == function->entry || at->is_entry, .size = type_size(ix, var->type),
		.name = at->name,
	};
	struct loc_frame frame;
	enum loc_slot slot;

	*out = (struct location){ 0 };
	refusal->why[0] = '\0';
	if (is_called && context.is_entry && scope == function && var->flags & VAR_PARAMETER && var->form != VAR_BLOCK &&
	    var->form != VAR_UNREADABLE)
		return location_at_entry(ix, function, var, at, out, refusal);
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
	if (is_called && location_is_home(part->expr, part->len)) {
		frame = location_frame(ix, function);
		slot = location_slot(&frame, part->expr, part->len);
		if (slot != SLOT_CALLERS && !is_written(ix, scope, var, &frame, at->addr, refusal))
			return LOC_REFUSED;
		correct_frame(&context, &frame);
	}
	return location_evaluate(&context, part->expr, part->len, out, refusal);
}
