// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * expr_contents.c - what strings, vectors and their kind hold, by their forms in the libraries of C++ (libstdc++), Rust and Go.
 *
 * Each row names the type and the members that lead to the contents.  A member that is missing, or is no pointer or number, is that
 * of another version of the library: the next row is tried, and at last the object is shown by its members.  So a row can be
 * false only for another type of the same name with the same members.
 */
#include "ctl/ask/expr/expr_int.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "symbols/index/type.h"

enum length_form {
	LENGTH_IS_COUNT,
	LENGTH_IS_END,		/* the address behind the last element */
};

/*
 * A name with a * at its end stands for all that begin so.  A path is of members, also of base classes.  typed: elements have the
 * first type parameter as their type, since the pointer has another one.
 */
static const struct row {
	const char *type;
	enum contents_kind kind;
	const char *what, *length, *length_name;
	enum length_form form;
	bool typed;
} rows[] = {
#define ROW(type_, kind_, what_, length_, ...) \
	{ .type = type_, .kind = CONTENTS_##kind_, .what = what_, .length = length_, ##__VA_ARGS__ }
#define CXX(...) ROW(__VA_ARGS__, .length_name = "size")
#define LEN(...) ROW(__VA_ARGS__, .length_name = "len")
	/* libstdc++ */
	CXX("basic_string<char,*", TEXT, "_M_dataplus._M_p", "_M_string_length"),
	CXX("basic_string_view<char,*", TEXT, "_M_str", "_M_len"),
	CXX("vector<*", ELEMENTS, "_M_impl._M_start", "_M_impl._M_finish", .form = LENGTH_IS_END),
	ROW("optional<*", OPTIONAL, "_M_payload._M_payload._M_value", "_M_payload._M_engaged", .length_name = "has_value"),
	ROW("unique_ptr<*", VALUE, "_M_t._M_t._M_head_impl", NULL),
	/* Rust: since 1.80 a vector has one more struct in it, and a pointer to bytes. */
	LEN("&str", TEXT, "data_ptr", "length"),
	LEN("&mut str", TEXT, "data_ptr", "length"),
	LEN("alloc::boxed::Box<str*", TEXT, "data_ptr", "length"),
	LEN("String", TEXT, "vec.buf.inner.ptr.pointer.pointer", "vec.len"),
	LEN("String", TEXT, "vec.buf.ptr.pointer.pointer", "vec.len"),
	LEN("&[*", ELEMENTS, "data_ptr", "length"),
	LEN("&mut [*", ELEMENTS, "data_ptr", "length"),
	LEN("alloc::boxed::Box<[*", ELEMENTS, "data_ptr", "length"),
	LEN("Vec<*", ELEMENTS, "buf.inner.ptr.pointer.pointer", "len", .typed = true),
	LEN("Vec<*", ELEMENTS, "buf.ptr.pointer.pointer", "len"),
	/* Go */
	LEN("string", TEXT, "str", "len"),
	LEN("[]*", ELEMENTS, "array", "len"),
#undef ROW
#undef CXX
#undef LEN
};

static bool is_named(const char *pattern, const char *name)
{
	const size_t n = strlen(pattern) - 1;

	return pattern[n] == '*' ? !strncmp(pattern, name, n) : !strcmp(pattern, name);
}

/* ------------------------------------------------------------------- paths */

#define DEEPEST	16	/* base classes within each other; more are not of these libraries */

/*
 * The member of that name whose type is a pointer, a number or a composite as wanted, also of base classes: a deleter and its pointer
 * have members of one name.
 */
static bool find_member(const struct dbindex *ix, uint32_t number, const char *name, bool wants_composite, struct type_member *out,
			unsigned int depth)
{
	struct type_member member;
	struct type type;

	if (depth > DEEPEST || !type_resolve(ix, number, &type))
		return false;
	while (type_next_member(ix, &type, &member)) {
		const struct expr_type of = expr_type_of(ix, member.type);
		const bool is_composite = !of.stars && of.shape == SHAPE_COMPOSITE;

		if (*member.name && !strcmp(member.name, name) && is_composite == wants_composite) {
			*out = member;
			return true;
		}
		if (!*member.name && find_member(ix, member.type, name, wants_composite, out, depth + 1)) {
			out->bit_offset += member.bit_offset;
			return true;
		}
	}
	return false;
}

/* The end of a path may be an object of any kind: see CONTENTS_OPTIONAL. */
static bool find_end(const struct dbindex *ix, uint32_t number, const char *name, struct type_member *out)
{
	return find_member(ix, number, name, false, out, 0) || find_member(ix, number, name, true, out, 0);
}

/* NULL: there is no such member, or it is not known where it is. */
static struct expr *follow(struct resolver *r, const struct expr *e, const char *path)
{
	struct expr *part = expr_copy(e);

	while (part && *path) {
		const size_t n = strcspn(path, ".");
		const bool is_last = !path[n];
		AUTO_FREE char *name = mem_strndup(path, n);
		struct expr_type type = part->type;
		struct type_member member;
		struct expr *next = NULL;

		if (!type.stars && type.shape == SHAPE_COMPOSITE && vars_complete(r->vars, &type.ix, &type.number) &&
		    (is_last ? find_end(type.ix, type.number, name, &member) :
			       find_member(type.ix, type.number, name, true, &member, 0)))
			next = value_of_part(r, part, &member, type.ix);
		expr_free(part);
		part = next;
		path += n + !is_last;
	}
	return part;
}

/* ------------------------------------------------------------------- forms */

static bool is_number(const struct expr *e)
{
	return !e->type.stars && e->type.shape == SHAPE_NUMBER && expr_bytes(e->type) && !expr_is_float(e->type);
}

static bool is_pointer(const struct expr *e)
{
	return e->type.stars;
}

/* The elements have another type than the pointer says. */
static bool retype(const struct expr *e, struct expr *pointer)
{
	struct type type;

	if (!type_resolve(e->type.ix, e->type.number, &type) || type.target == NO_TYPE)
		return false;
	pointer->type = expr_pointer(expr_type_of(e->type.ix, type.target));
	return true;
}

/* Bytes of an element; 0: unknown. */
static uint64_t element_size(const struct expr *pointer)
{
	const struct expr_type type = expr_target(pointer->type);

	return expr_size(type);
}

/* Of two numbers of 64 bits; takes them. */
static struct expr *calculated(struct expr *a, enum expr_op op, struct expr *b)
{
	struct expr *e = mem_zalloc(1, sizeof(*e));

	*e = (struct expr){ .kind = EXPR_BINARY, .op = op, .type = EXPR_ULONG, .at = a->at,
			    .a = expr_converted(a, EXPR_ULONG), .b = expr_converted(b, EXPR_ULONG) };
	return e;
}

static bool count_to_end(struct expr_contents *c)
{
	const uint64_t size = element_size(c->what);

	if (!is_pointer(c->length))
		return false;
	c->length = calculated(c->length, OP_SUB, expr_copy(c->what));
	if (size > 1)
		c->length = expr_binary(OP_DIV, c->length, size, EXPR_ULONG);
	return true;
}

static bool is_text(const struct expr *pointer)
{
	return pointer->type.stars == 1 && pointer->type.shape == SHAPE_NUMBER && pointer->type.bytes == 1;
}

/* Are the parts of the kind that the row needs? */
static bool fits(const struct expr *e, const struct row *row, struct expr_contents *c)
{
	switch (row->kind) {
	case CONTENTS_VALUE:
		return is_pointer(c->what);
	case CONTENTS_OPTIONAL:
		return is_number(c->length);
	case CONTENTS_TEXT:
		return is_text(c->what) && is_number(c->length);
	default:
		if (!is_pointer(c->what) || (row->typed && !retype(e, c->what)) || !element_size(c->what))
			return false;
		return row->form == LENGTH_IS_END ? count_to_end(c) : is_number(c->length);
	}
}

static bool take(struct resolver *r, const struct expr *e, const struct row *row, struct expr_contents *out)
{
	*out = (struct expr_contents){ .kind = row->kind, .length_name = row->length_name, .what = follow(r, e, row->what) };
	if (out->what && row->length)
		out->length = follow(r, e, row->length);
	if (out->what && (out->length || !row->length) && fits(e, row, out))
		return true;
	expr_contents_free(out);
	return false;
}

bool expr_contents(const struct expr *e, const struct expr_names *names, struct expr_contents *out)
{
	struct error unused;
	struct resolver r = { .what = "", .text = "", .arch = names->arch, .vars = names->vars, .err = &unused };
	struct type type;
	AUTO_EXPR struct expr *object = NULL;

	/* The kernel has types of these names, too. */
	if (!names->vars || !names->vars->target->program || e->type.stars > 1 || e->type.slice || e->type.shape != SHAPE_COMPOSITE ||
	    !type_resolve(e->type.ix, e->type.number, &type))
		return false;
	if (e->type.stars)
		object = expr_at(expr_copy(e), expr_target(e->type));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (is_named(rows[i].type, type.name) && (!object || rows[i].kind == CONTENTS_TEXT) &&
		    take(&r, object ? object : e, &rows[i], out))
			return true;
	return false;
}

struct expr *expr_contents_part(const struct expr_contents *contents, size_t i)
{
	const struct expr *what = contents->what;
	struct expr *address, *is_there;

	/* Its place is there in any case. */
	if (contents->kind == CONTENTS_OPTIONAL)
		return expr_copy(what);
	address = expr_converted(expr_copy(what), EXPR_ULONG);
	if (i)
		address = expr_binary(OP_ADD, address, i * element_size(what), EXPR_ULONG);
	/* 1 or 0.  At address 0 nothing can be read; a product is shorter than a choice. */
	is_there = expr_binary(OP_GT, expr_converted(expr_copy(contents->length), EXPR_ULONG), i, EXPR_INT);
	return expr_at(calculated(address, OP_MUL, is_there), expr_target(what->type));
}

void expr_contents_free(struct expr_contents *contents)
{
	expr_free(contents->what);
	expr_free(contents->length);
	contents->what = contents->length = NULL;
}
