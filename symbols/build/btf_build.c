// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * btf_build.c - build an index from BTF and the symbols: types, variables, and functions with their parameters, whose
 * registers follow from the calling convention and are known only at the entry.
 *
 * BTF has one function for each name.  If several symbols have the name, it is unknown which one is meant, and
 * none is used.
 */
#include <libdwarf/dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "symbols/build/build.h"
#include "symbols/image/btf.h"
#include "symbols/index/scope.h"
#include "symbols/index/type.h"

struct making {
	const struct btf_job *job;
	const struct btf *btf;
	struct builder b;
	struct worker w;
	struct map names;		/* of functions: number of functions of that name */
	bool bad;
};

/* ------------------------------------------------------------------- types */

/* The strings of an index begin with an empty one. */
static uint32_t name_of(const struct making *m, uint32_t string)
{
	return *btf_string(m->btf, string) ? string + 1 : 0;
}

/* Types have the numbers of BTF, without void: a number of BTF is one of the index + 1. */
static uint32_t refer(struct making *m, uint32_t number)
{
	number = btf_untagged(m->btf, number);
	m->bad |= number >= m->btf->nr;
	return number;
}

static void put_int(struct making *m, struct bytes *out, struct btf_type *type)
{
	uint32_t word = cursor_uint(&type->rest, 4), encoding = word >> 24 & 15;
	const bool is_char = type->value == 1 && strstr(btf_string(m->btf, type->name), "char");

	if (encoding & 4)
		bytes_uleb(out, DW_ATE_boolean);
	else if (encoding & 1)
		bytes_uleb(out, is_char ? DW_ATE_signed_char : DW_ATE_signed);
	else
		bytes_uleb(out, is_char ? DW_ATE_unsigned_char : DW_ATE_unsigned);
}

/* Bits of a bit-field: the member has them, or in older BTF an int with fewer bits than its bytes. */
static uint32_t bits_of(const struct making *m, uint32_t number, uint64_t *offset)
{
	struct btf_type type;
	uint32_t word, bits;

	if (!btf_resolve(m->btf, number, &type) || type.kind != BTF_INT)
		return 0;
	word = cursor_uint(&type.rest, 4);
	bits = word & 0xff;
	if (bits == 8 * type.value)
		return 0;
	*offset += word >> 16 & 0xff;
	return bits;
}

static void put_members(struct making *m, struct bytes *out, struct btf_type *type)
{
	bytes_uleb(out, 1);
	bytes_uleb(out, type->n);
	for (uint32_t i = 0; i < type->n; i++) {
		uint32_t name = cursor_uint(&type->rest, 4), number = cursor_uint(&type->rest, 4);
		uint64_t offset = cursor_uint(&type->rest, 4);
		uint32_t bits = type->flag ? offset >> 24 : bits_of(m, number, &offset);

		bytes_uleb(out, name_of(m, name));
		bytes_uleb(out, refer(m, number));
		bytes_uleb(out, type->flag ? offset & 0xffffff : offset);
		bytes_uleb(out, bits);
		bytes_uleb(out, MEMBER_PLAIN);
	}
}

static void put_values(struct making *m, struct bytes *out, struct btf_type *type)
{
	/* Before pahole 1.24 the flag was not set. */
	bytes_uleb(out, type->flag ? DW_ATE_signed : type->kind == BTF_ENUM64 ? DW_ATE_unsigned : 0);
	bytes_uleb(out, type->n);
	for (uint32_t i = 0; i < type->n; i++) {
		uint32_t name = cursor_uint(&type->rest, 4);
		const size_t size = type->kind == BTF_ENUM64 ? 8 : 4;

		bytes_uleb(out, name_of(m, name));
		bytes_sleb(out, type->flag ? cursor_sint(&type->rest, size) : (int64_t)cursor_uint(&type->rest, size));
	}
}

/* Arrays of arrays become one array of several dimensions; a count of 0 becomes an unknown count. */
static void put_dimensions(struct making *m, struct bytes *out, struct btf_type *type)
{
	uint32_t counts[TYPE_DIMENSIONS], n = 0;
	struct btf_type array = *type;

	do {
		struct cursor rest = array.rest;
		uint32_t element = cursor_uint(&rest, 4);

		cursor_uint(&rest, 4);
		counts[n++] = cursor_uint(&rest, 4);
		if (!btf_type(m->btf, element, &array))
			break;
	} while (n < TYPE_DIMENSIONS && array.kind == BTF_ARRAY);
	bytes_uleb(out, n);
	for (uint32_t i = 0; i < n; i++)
		bytes_uleb(out, counts[i] ? counts[i] + 1ULL : 0);
}

static uint32_t innermost(struct making *m, struct btf_type array)
{
	uint32_t element = cursor_uint(&array.rest, 4);

	for (unsigned int n = 1; n < TYPE_DIMENSIONS; n++) {
		if (!btf_type(m->btf, element, &array) || array.kind != BTF_ARRAY)
			break;
		element = cursor_uint(&array.rest, 4);
	}
	return refer(m, element);
}

/* The last parameter "..." has neither name nor type. */
static bool is_variadic(const struct btf_type *type)
{
	struct cursor c = type->rest;

	if (!type->n)
		return false;
	cursor_take(&c, 8 * (type->n - 1));
	return !cursor_uint(&c, 8) && !c.bad;
}

static void put_parameters(struct making *m, struct bytes *out, struct btf_type *type)
{
	const bool variadic = is_variadic(type);
	const uint32_t n = type->n - variadic;

	bytes_uleb(out, variadic);
	bytes_uleb(out, n);
	for (uint32_t i = 0; i < n; i++) {
		cursor_uint(&type->rest, 4);
		bytes_uleb(out, refer(m, cursor_uint(&type->rest, 4)));
	}
}

static void put_float(struct making *m, struct bytes *out, struct btf_type *type)
{
	bytes_uleb(out, DW_ATE_float);
}

static void put_nothing(struct making *m, struct bytes *out, struct btf_type *type)
{
	bytes_uleb(out, 0);
}

static void put_forward(struct making *m, struct bytes *out, struct btf_type *type)
{
	put_nothing(m, out, type);
	put_nothing(m, out, type);
}

/* The index kind of each BTF kind; kinds that are not types are left out. */
static const struct {
	enum type_kind kind;
	bool has_size, has_target, is_named;
	void (*rest)(struct making *m, struct bytes *out, struct btf_type *type);
} becomes[NR_BTF_KINDS] = {
	[BTF_INT] = { TYPE_BASE, true, false, true, put_int },
	[BTF_POINTER] = { TYPE_POINTER, false, true, false, put_nothing },
	[BTF_ARRAY] = { TYPE_ARRAY, false, false, false, put_dimensions },
	[BTF_STRUCT] = { TYPE_STRUCT, true, false, true, put_members },
	[BTF_UNION] = { TYPE_UNION, true, false, true, put_members },
	[BTF_ENUM] = { TYPE_ENUM, true, false, true, put_values },
	[BTF_ENUM64] = { TYPE_ENUM, true, false, true, put_values },
	[BTF_FORWARD] = { TYPE_STRUCT, false, false, true, put_forward },
	[BTF_TYPEDEF] = { TYPE_TYPEDEF, false, true, true, put_nothing },
	[BTF_VOLATILE] = { TYPE_VOLATILE, false, true, false, put_nothing },
	[BTF_CONST] = { TYPE_CONST, false, true, false, put_nothing },
	[BTF_RESTRICT] = { TYPE_RESTRICT, false, true, false, put_nothing },
	[BTF_PROTO] = { TYPE_FUNCTION, false, true, false, put_parameters },
	[BTF_FLOAT] = { TYPE_BASE, true, false, true, put_float },
};

static uint64_t size_of(const struct btf_type *type)
{
	if (becomes[type->kind].has_size)
		return type->value;
	return type->kind == BTF_POINTER ? 8 : 0;
}

static enum type_kind kind_of(const struct btf_type *type)
{
	return type->kind == BTF_FORWARD && type->flag ? TYPE_UNION : becomes[type->kind].kind;
}

static void make_type(struct making *m, struct btf_type *type)
{
	struct bytes *out = &m->w.types;
	struct type_slot slot = { .offset = out->n, .name = name_of(m, type->name) };
	uint32_t target = 0;

	if (becomes[type->kind].has_target)
		target = refer(m, type->value);
	else if (type->kind == BTF_ARRAY)
		target = innermost(m, *type);
	if (becomes[type->kind].rest) {
		bytes_uleb(out, kind_of(type));
		bytes_uleb(out, slot.name);
		bytes_uleb(out, 0);
		bytes_uleb(out, 0);
		bytes_uleb(out, size_of(type));
		bytes_uleb(out, target);
		becomes[type->kind].rest(m, out, type);
	}
	slot.len = out->n - slot.offset;
	slot.is_named = slot.len && slot.name && becomes[type->kind].is_named;
	slot.name = slot.is_named ? slot.name : 0;
	*ARRAY_ADD(m->b.type_slots, m->b.nr_types, m->b.types_room) = slot;
}

static void make_types(struct making *m)
{
	struct btf_type type;

	for (uint32_t i = 1; i < m->btf->nr; i++) {
		m->bad |= !btf_type(m->btf, i, &type);
		if (m->bad)
			return;
		make_type(m, &type);
	}
}

/* -------------------------------------------------------------- parameters */

/*
 * The number of registers of a parameter.  False: it is unknown, and so are the registers of the parameters
 * behind it.
 */
static bool registers_of(const struct making *m, uint32_t number, size_t left, size_t *n, bool *is_address)
{
	struct btf_type type;
	bool is_composite;

	*is_address = false;
	if (!btf_resolve(m->btf, number, &type))
		return false;
	is_composite = type.kind == BTF_STRUCT || type.kind == BTF_UNION;
	*n = 1;
	if (type.kind == BTF_POINTER)
		return true;
	if (!is_composite && type.kind != BTF_INT && type.kind != BTF_ENUM && type.kind != BTF_ENUM64)
		return false;
	/* Each architecture aligns, splits or references larger numbers and composites in its own way. */
	*n = (type.value + 7) / 8;
	if (is_composite && *n > 2 && m->job->args_by_reference) {
		*is_address = true;
		*n = 1;
		return true;
	}
	return type.value <= 8 || (is_composite && *n == 2 && left >= 2);
}

static void put_register(struct bytes *out, uint16_t reg, bool is_piece)
{
	bytes_put(out, (uint8_t[]){ DW_OP_regx }, 1);
	bytes_uleb(out, reg);
	if (is_piece)
		bytes_put(out, (uint8_t[]){ DW_OP_piece, 8 }, 2);
}

static void put_address(struct bytes *out, uint16_t reg)
{
	bytes_put(out, (uint8_t[]){ DW_OP_bregx }, 1);
	bytes_uleb(out, reg);
	bytes_sleb(out, 0);
}

/* The location is valid at the first instruction only; later code may use the register for another value. */
static void put_location(struct bytes *out, const uint16_t *regs, size_t n, bool is_address)
{
	struct bytes expr = { 0 };

	if (is_address)
		put_address(&expr, *regs);
	for (size_t i = 0; !is_address && i < n; i++)
		put_register(&expr, regs[i], n > 1);
	bytes_uleb(out, VAR_LIST);
	bytes_uleb(out, 1);
	bytes_sleb(out, 0);
	bytes_uleb(out, 1);
	bytes_uleb(out, expr.n);
	bytes_put(out, expr.v, expr.n);
	bytes_free(&expr);
}

static void put_variables(struct making *m, struct bytes *out, struct btf_type *proto)
{
	const uint16_t *regs = m->job->args;
	size_t left = m->job->nr_args, n = 0;
	bool is_address;

	for (uint32_t i = proto->n - is_variadic(proto); i; i--) {
		uint32_t name = cursor_uint(&proto->rest, 4), type = cursor_uint(&proto->rest, 4);

		bytes_uleb(out, VAR_PARAMETER);
		bytes_uleb(out, name_of(m, name));
		bytes_uleb(out, refer(m, type));
		bytes_uleb(out, 0);
		/* After a parameter with an unknown place the registers of the others are unknown. */
		if (left && registers_of(m, type, left, &n, &is_address)) {
			if (n)
				put_location(out, regs, n, is_address);
			else
				bytes_uleb(out, VAR_NOWHERE);
			regs += n;
			left -= n;
		} else {
			bytes_uleb(out, VAR_UNREADABLE);
			left = 0;
		}
	}
}

/* --------------------------------------------------------------- functions */

/* The only symbol of a name, of text or data.  NULL: there is none, or several. */
static const struct sym *only_symbol(const struct making *m, uint32_t name, bool is_text)
{
	const struct sym *const *all, *found = NULL;
	size_t n = symtab_by_name(m->job->symbols, btf_string(m->btf, name), m->job->module, &all), matches = 0;

	for (size_t i = 0; i < n; i++) {
		if (sym_is_text(all[i]) != is_text)
			continue;
		found = all[i];
		matches++;
	}
	return matches == 1 ? found : NULL;
}

/* See scope.h. */
static void put_scope(struct making *m, struct bytes *out, const struct btf_type *func, struct btf_type *proto,
		      uint64_t size)
{
	bytes_uleb(out, SCOPE_FUNCTION);
	bytes_uleb(out, func->n ? SCOPE_EXTERNAL : 0);
	bytes_uleb(out, name_of(m, func->name));
	bytes_uleb(out, 0);
	bytes_uleb(out, 0);
	bytes_uleb(out, refer(m, proto->value));
	bytes_uleb(out, 1);
	bytes_sleb(out, 0);
	bytes_uleb(out, size);
	bytes_uleb(out, 0);
	bytes_uleb(out, proto->n - is_variadic(proto));
	bytes_uleb(out, 0);
	put_variables(m, out, proto);
}

static uint64_t *count_of(struct making *m, uint32_t name)
{
	return map_at(&m->names, hash_text(HASH_START, btf_string(m->btf, name)) | 1);
}

static void make_function(struct making *m, const struct btf_type *func)
{
	const struct sym *sym = only_symbol(m, func->name, true);
	struct worker *w = &m->w;
	struct btf_type proto;
	struct ix_func row;

	if (!sym || *count_of(m, func->name) != 1 || sym->addr < m->job->base ||
	    sym->addr - m->job->base > UINT32_MAX - sym->size || !btf_type(m->btf, func->value, &proto) ||
	    proto.kind != BTF_PROTO)
		return;
	row = (struct ix_func){
		.name = name_of(m, func->name), .low = sym->addr - m->job->base, .size = sym->size ? sym->size : 1,
		.scope = w->scopes.n,
	};
	put_scope(m, &w->scopes, func, &proto, row.size);
	row.scope_len = w->scopes.n - row.scope;
	*ARRAY_ADD(w->spans, w->nr_spans, w->spans_room) =
		(struct ix_span){ row.low, row.low + row.size, w->nr_funcs };
	*ARRAY_ADD(w->funcs, w->nr_funcs, w->funcs_room) = row;
}

static void make_global(struct making *m, const struct btf_type *var)
{
	const struct sym *sym = only_symbol(m, var->name, false);
	struct worker *w = &m->w;

	if (sym)
		*ARRAY_ADD(w->globals, w->nr_globals, w->globals_room) =
			(struct ix_global){ name_of(m, var->name), refer(m, var->value), sym->addr };
}

static void count_name(struct making *m, const struct btf_type *type)
{
	if (type->kind == BTF_FUNC)
		++*count_of(m, type->name);
}

static void make_named(struct making *m, const struct btf_type *type)
{
	if (!*btf_string(m->btf, type->name))
		return;
	if (type->kind == BTF_FUNC)
		make_function(m, type);
	else if (type->kind == BTF_VAR)
		make_global(m, type);
}

/* The functions of the kernel do not belong to a module's index. */
static void each_own(struct making *m, void (*each)(struct making *m, const struct btf_type *type))
{
	struct btf_type type;

	for (uint32_t i = m->btf->first; i < m->btf->nr && !m->bad; i++)
		if (btf_type(m->btf, i, &type))
			each(m, &type);
}

/* -------------------------------------------------------------------- make */

static struct image_section text_of(const struct btf *btf)
{
	return (struct image_section){
		.name = "", .data = (const uint8_t *)btf->strings, .data_size = btf->strings_len,
	};
}

static void free_making(struct making *m)
{
	bytes_free(&m->w.types);
	bytes_free(&m->w.scopes);
	map_free(&m->names);
	free(m->w.funcs);
	free(m->w.spans);
	free(m->w.globals);
	free(m->b.type_slots);
}

bool btf_build_here(const struct btf_job *job, const struct btf *btf, int fd, struct debug_error *err)
{
	const struct image image = { .base = job->base, .is_module = *job->module };
	struct image_section kernel = text_of(btf->base ? btf->base : btf), own = text_of(btf);
	struct making m = {
		.job = job, .btf = btf,
		.b = { .image = &image, .nr_workers = 1, .lock = PTHREAD_MUTEX_INITIALIZER,
		       .str = &kernel, .line_str = btf->base ? &own : NULL },
	};
	bool ok;

	m.b.workers = &m.w;
	make_types(&m);
	each_own(&m, count_name);
	each_own(&m, make_named);
	if (m.bad)
		ok = debug_fail(err, "the BTF of %s is damaged: types are not taken from there",
				*job->module ? job->module : "the kernel");
	else
		ok = build_write(&m.b, fd) || debug_fail(err, "the index of BTF cannot be written: free some memory");
	free_making(&m);
	return ok;
}

/* ------------------------------------------------------------------- files */

bool btf_path(const char *root, const char *module, char *out, size_t size)
{
	return snprintf(out, size, "%s/sys/kernel/btf/%s", root ? root : "", *module ? module : "vmlinux") < (int)size &&
	       !access(out, R_OK);
}

uint64_t btf_base(const struct symtab *symbols, const char *module)
{
	const size_t n = symtab_count(symbols);

	for (size_t i = 0; i < n; i++) {
		const struct sym *sym = symtab_at(symbols, i);

		if (sym_is_text(sym) && sym->addr >> 63 && !strcmp(sym->module, module))
			return sym->addr;
	}
	return 0;
}

#define PATH_SIZE	1024

static bool build(const void *arg, int fd, struct debug_error *err)
{
	const struct btf_job *job = arg;
	struct btf kernel, module;
	char path[PATH_SIZE];

	if (!btf_path(job->root, "", path, sizeof(path)))
		return debug_fail(err, "%s cannot be read: types are not taken from there", path);
	if (!btf_read(path, NULL, &kernel, err))
		return false;
	if (!*job->module)
		return btf_build_here(job, &kernel, fd, err);
	if (!btf_path(job->root, job->module, path, sizeof(path)))
		return debug_fail(err, "%s cannot be read: types are not taken from there", path);
	return btf_read(path, &kernel, &module, err) && btf_build_here(job, &module, fd, err);
}

bool btf_build(const struct btf_job *job, int fd, struct debug_error *err)
{
	char path[PATH_SIZE];

	btf_path(job->root, job->module, path, sizeof(path));
	return build_in_sandbox(build, job, path, fd, NULL, err);
}
