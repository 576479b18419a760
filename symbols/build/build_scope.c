// SPDX-License-Identifier: GPL-2.0-or-later
/* build_scope.c - functions with their scopes, and global variables. */
#include <stdlib.h>

#include "symbols/build/build.h"
#include "symbols/index/scope.h"

/* ------------------------------------------------------------------ origin */

#define MOST_ORIGINS	8	/* a longer chain of references is damaged */

static void follow(struct worker *w, uint64_t offset, struct origin *out, unsigned int depth);

static void take_origin(struct worker *w, const struct entry *e, struct origin *out, unsigned int depth)
{
	uint64_t before = e->origin ? e->origin : e->specification;
	uint32_t file;
	bool is_placed;

	if (before && depth < MOST_ORIGINS)
		follow(w, before, out, depth + 1);
	if (e->name)
		out->name = pool_string(w->b, e->name);
	if (e->type) {
		out->type = build_type(w, e->type);
		out->type_die = e->type;
	}
	file = build_declaring_file(w, e);
	is_placed = e->decl_file || file;
	if (is_placed)
		out->file = file;
	if (e->decl_line)
		out->line = is_placed && !file ? 0 : e->decl_line;
	if (e->convention)
		out->convention = e->convention;
	out->external |= e->external;
	out->artificial |= e->artificial;
	out->prototyped |= e->prototyped;
}

static void follow(struct worker *w, uint64_t offset, struct origin *out, unsigned int depth)
{
	uint64_t known = *map_at(&w->origins, offset);
	struct entry e;

	if (known) {
		*out = w->origin[known - 1];
		return;
	}
	if (!entry_at(&w->reader, offset, &e))
		return;
	take_origin(w, &e, out, depth);
	*ARRAY_ADD(w->origin, w->nr_origins, w->origins_room) = *out;
	*map_at(&w->origins, offset) = w->nr_origins;
}

/* Name, type and declaration of an entry; an abstract instance may have some of them. */
static struct origin origin_of(struct worker *w, const struct entry *e)
{
	struct origin out = { 0 };

	take_origin(w, e, &out, 0);
	return out;
}

/* --------------------------------------------------------------- variables */

static void put_block(struct bytes *out, const uint8_t *data, uint64_t len)
{
	bytes_uleb(out, len);
	bytes_put(out, data, len);
}

/* The address that an expression begins with; *rest is what follows.  False: it begins in another way. */
static bool first_address(const struct worker *w, const uint8_t *expr, uint64_t len, uint64_t *addr,
			  struct cursor *rest)
{
	uint8_t op;

	*rest = cursor_of(expr, len);
	op = cursor_uint(rest, 1);
	if (op == DW_OP_addr)
		*addr = cursor_uint(rest, 8);
	else if (op == DW_OP_addrx || op == DW_OP_GNU_addr_index)
		*addr = build_indexed(w, cursor_uleb(rest));
	else
		return false;
	return !rest->bad;
}

/* The table of addresses is not in the index: put the address itself. */
static void put_expr(const struct worker *w, struct bytes *out, const uint8_t *expr, uint64_t len)
{
	const uint8_t op = DW_OP_addr;
	struct cursor rest;
	uint64_t addr;

	if (!len || *expr == DW_OP_addr || !first_address(w, expr, len, &addr, &rest)) {
		put_block(out, expr, len);
		return;
	}
	bytes_uleb(out, 1 + sizeof(addr) + cursor_left(&rest));
	bytes_put(out, &op, 1);
	bytes_put(out, &addr, sizeof(addr));
	bytes_put(out, rest.at, cursor_left(&rest));
}

static void put_list(struct worker *w, struct bytes *out, const struct entry *e)
{
	struct location_parts parts = { 0 };

	if (!build_locations(w, e, &parts)) {
		bytes_uleb(out, VAR_UNREADABLE);
	} else {
		bytes_uleb(out, parts.n ? VAR_LIST : VAR_NOWHERE);
		if (parts.n)
			bytes_uleb(out, parts.n);
		for (size_t i = 0; i < parts.n; i++) {
			bytes_sleb(out, parts.v[i].low - w->func_low);
			bytes_uleb(out, parts.v[i].high - parts.v[i].low);
			put_expr(w, out, parts.v[i].expr, parts.v[i].len);
		}
	}
	free(parts.v);
}

static void put_location(struct worker *w, struct bytes *out, const struct entry *e)
{
	if (e->has & HAS_UNREADABLE) {
		bytes_uleb(out, VAR_UNREADABLE);
	} else if (e->has & HAS_LOCLIST) {
		put_list(w, out, e);
	} else if (e->expr && e->expr_len) {
		bytes_uleb(out, VAR_EXPR);
		put_expr(w, out, e->expr, e->expr_len);
	} else if (e->has & HAS_CONSTANT) {
		bytes_uleb(out, VAR_CONSTANT);
		bytes_sleb(out, e->constant);
	} else if (e->block) {
		bytes_uleb(out, VAR_BLOCK);
		put_block(out, e->block, e->block_len);
	} else {
		bytes_uleb(out, VAR_NOWHERE);
	}
}

static bool is_optimised_out(const struct entry *e)
{
	return !(e->has & (HAS_UNREADABLE | HAS_LOCLIST | HAS_CONSTANT)) && !e->expr_len && !e->block;
}

static void put_variable(struct worker *w, struct bytes *out, const struct entry *e, bool is_missing)
{
	struct origin origin = origin_of(w, e);
	const bool is_parameter = e->tag == DW_TAG_formal_parameter && !e->is_result;
	uint32_t flags = (origin.artificial ? VAR_ARTIFICIAL : 0) |
			 (origin.external && is_optimised_out(e) ? VAR_EXTERNAL : 0);

	if (is_parameter)
		flags |= VAR_PARAMETER | (is_missing ? VAR_MISSING : 0) | build_passing(w, origin.type_die);

	bytes_uleb(out, flags);
	bytes_uleb(out, origin.name);
	bytes_uleb(out, origin.type);
	bytes_uleb(out, origin.line);
	put_location(w, out, e);
}

/* ------------------------------------------------------------------ scopes */

struct inside {
	struct worker *w;
	struct bytes parameters, vars, scopes;
	struct slice {
		uint64_t declared;	/* line of declaration: copies do not keep the order */
		size_t from, len;
	} *slices;			/* of the parameters */
	size_t nr_slices, slices_room;
	uint32_t nr_vars, nr_scopes;
	uint64_t *origins;		/* origins of the entries met */
	size_t nr_origins, origins_room;
	bool is_abstract;		/* the entries are those of the abstract instance */
};

static void put_scope(struct worker *w, struct bytes *out, const struct entry *e,
		      enum scope_kind kind, const struct ranges *ranges);

static uint64_t entry_of(const struct worker *w, const struct entry *e, const struct ranges *ranges)
{
	if (!(e->has & HAS_ENTRY))
		return e->has & HAS_LOW ? e->low : ranges->v[0].low;
	if (!(e->has & ENTRY_IS_OFFSET))
		return e->entry;
	return (e->has & HAS_LOW ? e->low : w->base) + e->entry;
}

static void add_inline(struct worker *w, const struct entry *e, const struct ranges *ranges)
{
	*ARRAY_ADD(w->inlines, w->nr_inlines, w->inlines_room) = (struct ix_inline){
		.name = origin_of(w, e).name,
		.addr = entry_of(w, e, ranges) - w->b->image->base,
		.func = w->nr_funcs,
	};
}

static void inner_scope(struct inside *inside, const struct entry *e, enum scope_kind kind)
{
	struct worker *w = inside->w;
	struct ranges ranges = { 0 };

	build_ranges(w, e, &ranges);
	if (ranges.n) {
		if (kind == SCOPE_INLINED)
			add_inline(w, e, &ranges);
		put_scope(w, &inside->scopes, e, kind, &ranges);
		inside->nr_scopes++;
	}
	free(ranges.v);
}

static void add_parameter(struct inside *inside, const struct entry *e)
{
	struct slice slice = { e->origin ? e->origin : e->offset, inside->parameters.n, 0 };

	put_variable(inside->w, &inside->parameters, e, inside->is_abstract);
	slice.len = inside->parameters.n - slice.from;
	*ARRAY_ADD(inside->slices, inside->nr_slices, inside->slices_room) = slice;
}

static int by_declaration(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;

	return (x->declared > y->declared) - (x->declared < y->declared);
}

static void put_parameters(struct bytes *out, struct inside *inside)
{
	if (inside->nr_slices)
		qsort(inside->slices, inside->nr_slices, sizeof(*inside->slices), by_declaration);
	for (size_t i = 0; i < inside->nr_slices; i++)
		bytes_put(out, inside->parameters.v + inside->slices[i].from, inside->slices[i].len);
	bytes_free(&inside->parameters);
	free(inside->slices);
}

static void add_inside(const struct entry *e, void *arg)
{
	struct inside *inside = arg;

	if (e->origin)
		*ARRAY_ADD(inside->origins, inside->nr_origins, inside->origins_room) = e->origin;
	/* A result of a function of Go is one of its variables. */
	if (e->tag == DW_TAG_formal_parameter && !e->is_result) {
		add_parameter(inside, e);
		inside->nr_vars++;
	} else if (e->tag == DW_TAG_formal_parameter || e->tag == DW_TAG_variable) {
		put_variable(inside->w, &inside->vars, e, inside->is_abstract);
		inside->nr_vars++;
	} else if (e->tag == DW_TAG_lexical_block && !(e->has & (HAS_LOW | HAS_RANGES))) {
		/* A block without code of its own: its contents belong to the block around it. */
		entry_children(&inside->w->reader, e, add_inside, inside);
	} else if (e->tag == DW_TAG_lexical_block) {
		inner_scope(inside, e, SCOPE_BLOCK);
	} else if (e->tag == DW_TAG_inlined_subroutine) {
		inner_scope(inside, e, SCOPE_INLINED);
	} else if (e->tag == DW_TAG_structure_type || e->tag == DW_TAG_union_type || e->tag == DW_TAG_enumeration_type) {
		build_type_entry(inside->w, e);
	}
}

static bool was_met(const struct inside *inside, uint64_t origin)
{
	for (size_t i = 0; i < inside->nr_origins; i++)
		if (inside->origins[i] == origin)
			return true;
	return false;
}

static void add_missing(const struct entry *e, void *arg)
{
	struct inside *inside = arg;

	if (!was_met(inside, e->offset))
		add_inside(e, inside);
}

/* Entries of the abstract instance that this copy does not have were optimised out here. */
static void inherit(struct inside *inside, uint64_t origin)
{
	struct entry e;

	if (!origin || !entry_at(&inside->w->reader, origin, &e))
		return;
	inside->is_abstract = true;
	entry_children(&inside->w->reader, &e, add_missing, inside);
}

static void put_ranges(const struct worker *w, struct bytes *out, const struct ranges *ranges)
{
	bytes_uleb(out, ranges->n);
	for (size_t i = 0; i < ranges->n; i++) {
		bytes_sleb(out, ranges->v[i].low - w->func_low);
		bytes_uleb(out, ranges->v[i].high - ranges->v[i].low);
	}
}

struct results {
	struct worker *w;
	uint64_t first;		/* its type */
	size_t n;
};

static void count_result(const struct entry *e, void *arg)
{
	struct results *results = arg;

	if (e->tag != DW_TAG_formal_parameter || !e->is_result)
		return;
	/* The copy of an inlined function has the type in its origin. */
	if (!results->n++)
		results->first = origin_of(results->w, e).type;
}

static void put_head(struct worker *w, struct bytes *out, const struct entry *e, enum scope_kind kind,
		     const struct ranges *ranges)
{
	struct origin origin = kind == SCOPE_BLOCK ? (struct origin){ 0 } : origin_of(w, e);
	struct results results = { .w = w };

	if (kind == SCOPE_FUNCTION && !origin.type)
		entry_children(&w->reader, e, count_result, &results);
	bytes_uleb(out, kind);
	bytes_uleb(out, (origin.external ? SCOPE_EXTERNAL : 0) | (results.n ? SCOPE_RESULTS : 0) |
		   (kind == SCOPE_FUNCTION ? build_calling(w, &origin) : 0));
	bytes_uleb(out, origin.name);
	bytes_uleb(out, origin.file);
	bytes_uleb(out, origin.line);
	bytes_uleb(out, results.n ? results.first : origin.type);
	put_ranges(w, out, ranges);
	if (kind == SCOPE_INLINED) {
		bytes_sleb(out, entry_of(w, e, ranges) - w->func_low);
		bytes_uleb(out, e->call_file ? build_file(w, e->call_file) + 1 : 0);
		bytes_uleb(out, e->call_line);
	}
	if (kind == SCOPE_FUNCTION)
		put_block(out, e->frame, e->frame_len);
}

static void put_scope(struct worker *w, struct bytes *out, const struct entry *e,
		      enum scope_kind kind, const struct ranges *ranges)
{
	struct inside inside = { .w = w };

	put_head(w, out, e, kind, ranges);
	entry_children(&w->reader, e, add_inside, &inside);
	inherit(&inside, e->origin);
	free(inside.origins);
	bytes_uleb(out, inside.nr_vars);
	bytes_uleb(out, inside.nr_scopes);
	put_parameters(out, &inside);
	bytes_put(out, inside.vars.v, inside.vars.n);
	bytes_put(out, inside.scopes.v, inside.scopes.n);
	bytes_free(&inside.vars);
	bytes_free(&inside.scopes);
}

static void add_spans(struct worker *w, const struct ranges *ranges)
{
	uint64_t base = w->b->image->base;

	for (size_t i = 0; i < ranges->n; i++)
		*ARRAY_ADD(w->spans, w->nr_spans, w->spans_room) = (struct ix_span){
			ranges->v[i].low - base, ranges->v[i].high - base, w->nr_funcs,
		};
}

/* False: the linker discarded it (address 0), or it is outside the image's address space. */
static bool is_there(const struct worker *w, const struct ranges *ranges)
{
	uint64_t base = w->b->image->base;

	for (size_t i = 0; i < ranges->n; i++)
		if (ranges->v[i].low < base || ranges->v[i].high - base > UINT32_MAX)
			return false;
	return ranges->n;
}

static void add_function(struct worker *w, const struct entry *e, const struct ranges *ranges)
{
	struct origin origin = origin_of(w, e);
	struct ix_func func = {
		.name = origin.name, .file = origin.file, .line = origin.line,
		.low = ranges->v[0].low - w->b->image->base,
		.size = ranges->v[0].high - ranges->v[0].low,
		.scope = w->scopes.n,
	};

	w->func_low = ranges->v[0].low;
	add_spans(w, ranges);
	put_scope(w, &w->scopes, e, SCOPE_FUNCTION, ranges);
	func.scope_len = w->scopes.n - func.scope;
	*ARRAY_ADD(w->funcs, w->nr_funcs, w->funcs_room) = func;
}

void build_function(struct worker *w, const struct entry *e)
{
	struct ranges ranges = { 0 };

	if (build_ranges(w, e, &ranges) && is_there(w, &ranges))
		add_function(w, e, &ranges);
	free(ranges.v);
}

/* ----------------------------------------------------------------- globals */

/* Is the location an offset into the memory that each thread has for itself? */
static bool is_of_thread(const struct entry *e)
{
	struct cursor c = cursor_of(e->expr, e->expr_len);
	const uint8_t op = cursor_uint(&c, 1);

	if (op == DW_OP_const4u || op == DW_OP_const8u)
		cursor_take(&c, op == DW_OP_const4u ? 4 : 8);
	else
		cursor_uleb(&c);
	switch (cursor_uint(&c, 1)) {
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return !c.bad && !cursor_left(&c);
	default:
		return false;
	}
}

void build_global(struct worker *w, const struct entry *e)
{
	struct origin origin;
	struct cursor rest;
	uint64_t addr;

	if (is_of_thread(e))
		addr = GLOBAL_THREAD;
	else if (!first_address(w, e->expr, e->expr_len, &addr, &rest))
		return;
	origin = origin_of(w, e);
	if (!origin.name)
		return;
	*ARRAY_ADD(w->globals, w->nr_globals, w->globals_room) =
		(struct ix_global){ origin.name, origin.type, addr };
}

void build_declared(struct worker *w, const struct entry *e)
{
	const uint32_t name = pool_string(w->b, e->name);
	uint64_t *known = map_at(&w->declared, name + 1);

	if (*known)
		return;
	*known = 1;
	*ARRAY_ADD(w->globals, w->nr_globals, w->globals_room) =
		(struct ix_global){ name, build_type(w, e->type), GLOBAL_DECLARED };
}
