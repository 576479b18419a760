// SPDX-License-Identifier: GPL-2.0-or-later
/* scope.c - read a function's scopes and variables from its stream.  See scope.h. */
#include "symbols/index/scope.h"

#include <stdlib.h>

#include "symbols/index/type.h"

#define DEEPEST		128
#define MOST		(1U << 16)	/* most elements of a kind in one scope */

struct reader {
	const struct dbindex *ix;
	struct cursor c;
	uint32_t low;		/* of the function */
	bool bad;
};

static void *get_array(struct reader *r, uint64_t n, size_t size)
{
	void *v;

	/* Each element takes at least one byte. */
	if (n > MOST || n > cursor_left(&r->c)) {
		r->bad = true;
		return NULL;
	}
	v = calloc(n ? n : 1, size);
	r->bad |= !v;
	return v;
}

static uint32_t get_type(struct reader *r)
{
	uint64_t v = cursor_uleb(&r->c);

	return v ? v - 1 : NO_TYPE;
}

static uint32_t get_addr(struct reader *r)
{
	return r->low + (uint64_t)cursor_sleb(&r->c);
}

static const uint8_t *get_block(struct reader *r, uint32_t *len)
{
	*len = cursor_uleb(&r->c);
	return cursor_take(&r->c, *len);
}

/* --------------------------------------------------------------- variables */

static void get_parts(struct reader *r, struct var *var, uint64_t n)
{
	var->parts = get_array(r, n, sizeof(*var->parts));
	for (uint64_t i = 0; var->parts && i < n; i++) {
		struct var_part *part = &var->parts[var->nr_parts++];

		part->low = get_addr(r);
		part->high = part->low + cursor_uleb(&r->c);
		part->expr = get_block(r, &part->len);
	}
}

static void get_whole(struct reader *r, struct var *var)
{
	var->parts = get_array(r, 1, sizeof(*var->parts));
	if (!var->parts)
		return;
	var->nr_parts = 1;
	var->parts[0].high = UINT32_MAX;
	var->parts[0].expr = get_block(r, &var->parts[0].len);
}

static void get_var(struct reader *r, struct var *var)
{
	var->flags = cursor_uleb(&r->c);
	var->name = dbindex_string(r->ix, cursor_uleb(&r->c));
	var->type = get_type(r);
	var->line = cursor_uleb(&r->c);
	var->form = cursor_uleb(&r->c);
	if (var->form == VAR_LIST)
		get_parts(r, var, cursor_uleb(&r->c));
	else if (var->form == VAR_EXPR || var->form == VAR_BLOCK)
		get_whole(r, var);
	else if (var->form == VAR_CONSTANT)
		var->constant = cursor_sleb(&r->c);
	r->bad |= var->form > VAR_UNREADABLE || r->c.bad;
}

/* ------------------------------------------------------------------ scopes */

static void get_ranges(struct reader *r, struct scope *scope)
{
	uint64_t n = cursor_uleb(&r->c);

	scope->ranges = get_array(r, n, sizeof(*scope->ranges));
	for (uint64_t i = 0; scope->ranges && i < n; i++) {
		scope->ranges[i].low = get_addr(r);
		scope->ranges[i].high = scope->ranges[i].low + cursor_uleb(&r->c);
		scope->nr_ranges++;
	}
	scope->entry = scope->nr_ranges ? scope->ranges[0].low : 0;
}

static void get_head(struct reader *r, struct scope *scope)
{
	uint64_t kind = cursor_uleb(&r->c);

	r->bad |= kind > SCOPE_BLOCK;
	scope->kind = kind;
	scope->flags = cursor_uleb(&r->c);
	scope->name = dbindex_string(r->ix, cursor_uleb(&r->c));
	scope->file = cursor_uleb(&r->c);
	scope->line = cursor_uleb(&r->c);
	scope->type = get_type(r);
	get_ranges(r, scope);
	if (kind == SCOPE_INLINED) {
		scope->entry = get_addr(r);
		scope->call_file = cursor_uleb(&r->c);
		scope->call_line = cursor_uleb(&r->c);
	} else if (kind == SCOPE_FUNCTION) {
		scope->frame = get_block(r, &scope->frame_len);
	}
}

static void get_scope(struct reader *r, struct scope *scope, struct scope *outer, unsigned int depth)
{
	uint64_t nr_vars, nr_inner;

	get_head(r, scope);
	scope->outer = outer;
	nr_vars = cursor_uleb(&r->c);
	nr_inner = cursor_uleb(&r->c);
	scope->vars = get_array(r, nr_vars, sizeof(*scope->vars));
	while (scope->vars && scope->nr_vars < nr_vars && !r->bad)
		get_var(r, &scope->vars[scope->nr_vars++]);
	if (r->bad || depth > DEEPEST) {
		r->bad = true;
		return;
	}
	scope->inner = get_array(r, nr_inner, sizeof(*scope->inner));
	while (scope->inner && scope->nr_inner < nr_inner && !r->bad)
		get_scope(r, &scope->inner[scope->nr_inner++], scope, depth + 1);
}

struct scope *scope_read(const struct dbindex *ix, const struct ix_func *func)
{
	struct reader r = { .ix = ix, .low = func->low };
	struct scope *scope = calloc(1, sizeof(*scope));
	const uint8_t *data;
	size_t len;

	if (!scope)
		return NULL;
	data = dbindex_rows(ix, PART_SCOPES, uint8_t, &len);
	if (func->scope <= len && func->scope_len <= len - func->scope)
		r.c = cursor_of(data + func->scope, func->scope_len);
	else
		r.bad = true;
	if (!r.bad)
		get_scope(&r, scope, NULL, 0);
	if (!r.bad && !r.c.bad)
		return scope;
	scope_free(scope);
	return NULL;
}

static void empty(struct scope *scope)
{
	for (size_t i = 0; i < scope->nr_vars; i++)
		free(scope->vars[i].parts);
	for (size_t i = 0; i < scope->nr_inner; i++)
		empty(&scope->inner[i]);
	free(scope->vars);
	free(scope->inner);
	free(scope->ranges);
}

void scope_free(struct scope *scope)
{
	if (!scope)
		return;
	empty(scope);
	free(scope);
}

bool scope_covers(const struct scope *scope, uint32_t addr)
{
	for (size_t i = 0; i < scope->nr_ranges; i++)
		if (addr >= scope->ranges[i].low && addr < scope->ranges[i].high)
			return true;
	return false;
}

const struct scope *scope_at(const struct scope *scope, uint32_t addr)
{
	for (size_t i = 0; i < scope->nr_inner; i++)
		if (scope_covers(&scope->inner[i], addr))
			return scope_at(&scope->inner[i], addr);
	return scope;
}

const struct scope *scope_outermost(const struct scope *scope)
{
	while (scope->outer)
		scope = scope->outer;
	return scope;
}

const struct scope *scope_function(const struct scope *scope)
{
	while (scope->kind == SCOPE_BLOCK && scope->outer)
		scope = scope->outer;
	return scope;
}
