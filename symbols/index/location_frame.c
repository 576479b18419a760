// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * location_frame.c - places that a function itself writes.  See location_frame.h.
 *
 * Without optimisation, debug information gives a variable one place for the whole function, although the function
 * stores a parameter there only in its first instructions.  These end where the line table has its second
 * statement, as in gdb.
 */
#include "symbols/index/location_frame.h"

#include <libdwarf/dwarf.h>

#include "symbols/index/line.h"

/* ---------------------------------------------------------------- statements */

/* The address of the second statement of the first piece of code; its end: there is none. */
static uint32_t second_statement(const struct dbindex *ix, const struct scope *function)
{
	const uint32_t end = function->nr_ranges ? function->ranges[0].high : function->entry;
	struct line_walk walk;

	line_walk_at(&walk, ix, function->entry);
	for (; walk.row && walk.row->addr < end && !(walk.row->line & LINE_END); line_walk_next(&walk))
		if (walk.row->addr > function->entry && walk.row->line & LINE_IS_STMT && walk.row->line & LINE_MASK)
			return walk.row->addr;
	return end;
}

/* --------------------------------------------------------------------- CFA */

#define MOST_RULES	8	/* of the CFA in one function; more rules than these hold for few instructions each */

struct rule {
	struct ix_cfa first;	/* the row with which it begins */
	uint32_t bytes;		/* of code in which it holds */
};

static void count_rule(struct rule *rules, const struct ix_cfa *row, uint32_t bytes)
{
	for (size_t i = 0; i < MOST_RULES; i++) {
		if (!rules[i].bytes)
			rules[i].first = *row;
		if (rules[i].first.reg != row->reg || rules[i].first.offset != row->offset)
			continue;
		rules[i].bytes += bytes;
		return;
	}
}

/* The rule of the CFA that holds in most of the code from the entry on, with the address where it begins. */
static struct ix_cfa usual_cfa(const struct dbindex *ix, const struct scope *function)
{
	const uint32_t end = function->nr_ranges ? function->ranges[0].high : function->entry;
	size_t nr;
	const struct ix_cfa *all = dbindex_rows(ix, PART_CFA, struct ix_cfa, &nr);
	const struct ix_cfa *row = dbindex_cfa_at(ix, function->entry);
	struct rule rules[MOST_RULES] = { { .bytes = 0 } }, best = { .first = { function->entry, CFA_UNKNOWN, 0 } };

	for (; row && row < all + nr && row->addr < end; row++) {
		const uint32_t low = row->addr > function->entry ? row->addr : function->entry;
		const uint32_t high = row + 1 < all + nr && row[1].addr < end ? row[1].addr : end;

		if (row->reg != CFA_UNKNOWN && high > low)
			count_rule(rules, row, high - low);
	}
	for (size_t i = 0; i < MOST_RULES; i++)
		if (rules[i].bytes > best.bytes)
			best = rules[i];
	return best.first;
}

/* A frame base that is a register.  False: it is something else. */
static bool base_register(const struct scope *function, uint16_t *reg)
{
	struct cursor c = cursor_of(function->frame, function->frame_len);
	uint8_t op;

	if (!function->frame_len)
		return false;
	op = cursor_uint(&c, 1);
	if (op >= DW_OP_reg0 && op <= DW_OP_reg31)
		*reg = op - DW_OP_reg0;
	else if (op == DW_OP_regx)
		*reg = cursor_uleb(&c);
	else
		return false;
	return !cursor_left(&c);
}

struct loc_frame location_frame(const struct dbindex *ix, const struct scope *function)
{
	struct loc_frame out = { .ready = second_statement(ix, function) };
	const struct ix_cfa usual = usual_cfa(ix, function);

	if (function->frame_len == 1 && *function->frame == DW_OP_call_frame_cfa) {
		out.is_known = true;
	} else if (base_register(function, &out.reg)) {
		out.is_by_register = true;
		out.is_known = usual.reg == out.reg;
		out.from_cfa = out.is_known ? -usual.offset : 0;
	}
	out.by_cfa[0] = DW_OP_call_frame_cfa;
	out.by_cfa[1] = DW_OP_const4s;
	memcpy(out.by_cfa + 2, &out.from_cfa, sizeof(out.from_cfa));
	out.by_cfa[6] = DW_OP_plus;
	out.by_cfa[7] = DW_OP_nop;
	if (usual.addr > out.ready)
		out.ready = usual.addr;
	return out;
}

bool location_is_home(const uint8_t *expr, uint32_t len)
{
	return (len && *expr == DW_OP_fbreg) || (len == 1 && *expr >= DW_OP_reg0 && *expr <= DW_OP_reg31);
}

enum loc_slot location_slot(const struct loc_frame *frame, const uint8_t *expr, uint32_t len)
{
	struct cursor c = cursor_of(expr, len);
	int64_t offset;

	if (!len || cursor_uint(&c, 1) != DW_OP_fbreg)
		return SLOT_NONE;
	offset = cursor_sleb(&c);
	return frame->is_known && offset + frame->from_cfa >= 0 ? SLOT_CALLERS : SLOT_OWN;
}

/* ------------------------------------------------------------- declarations */

/* The function's file + 1; if no declaration says it, the file of its first instruction. */
static uint32_t file_of(const struct dbindex *ix, const struct scope *function)
{
	struct ix_line row;

	return !function->file && dbindex_line_at(ix, function->entry, &row) ? row.file + 1 : function->file;
}

/* The first statement of a line of the function; *behind: that of the next row.  UINT32_MAX: there is none. */
static uint32_t first_of_line(const struct dbindex *ix, const struct scope *function, uint32_t line, uint32_t *behind)
{
	const uint32_t end = function->nr_ranges ? function->ranges[0].high : 0;
	const uint32_t file = file_of(ix, function);
	uint32_t found = UINT32_MAX;
	struct line_walk walk;

	*behind = UINT32_MAX;
	line_walk_at(&walk, ix, function->nr_ranges ? function->ranges[0].low : 0);
	for (; walk.row && walk.row->addr < end && !(walk.row->line & LINE_END); line_walk_next(&walk)) {
		const struct ix_line *row = walk.row;

		if (found == UINT32_MAX && row->line & LINE_IS_STMT && row->file + 1 == file && (row->line & LINE_MASK) == line)
			found = row->addr;
		if (found != UINT32_MAX && row->addr > found) {
			*behind = row->addr;
			break;
		}
	}
	return found;
}

/* The line of the function that is executed at an address: in an inlined copy, the line that calls it.  0: unknown. */
static uint32_t line_in(const struct dbindex *ix, const struct scope *function, uint32_t addr)
{
	const struct scope *at = scope_at(scope_outermost(function), addr), *copy = NULL;
	struct ix_line row;

	for (at = scope_function(at); at != function; at = scope_function(at->outer)) {
		if (!at->outer)
			return 0;
		copy = at;
	}
	if (copy)
		return copy->call_file == file_of(ix, function) ? copy->call_line : 0;
	return dbindex_line_at(ix, addr, &row) && row.file + 1 == file_of(ix, function) ? row.line & LINE_MASK : 0;
}

static bool has_declaration(const struct var *var)
{
	return !(var->flags & VAR_PARAMETER) && var->form == VAR_EXPR && var->line;
}

uint32_t location_undeclared(const struct dbindex *ix, const struct scope *scope, const struct var *var, uint32_t addr)
{
	const struct scope *function = scope_function(scope);
	uint32_t line, behind;

	if (!has_declaration(var))
		return 0;
	line = line_in(ix, function, addr);
	if (!line || line > var->line)
		return 0;
	return addr <= first_of_line(ix, function, var->line, &behind) ? var->line : 0;
}

uint32_t location_declared(const struct dbindex *ix, const struct scope *scope, const struct var *var)
{
	const struct scope *function = scope_function(scope);
	uint32_t behind;

	if (!has_declaration(var) || first_of_line(ix, function, var->line, &behind) == UINT32_MAX)
		return 0;
	return behind;
}
