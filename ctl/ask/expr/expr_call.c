// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * expr_call.c - parse what looks like a call in an expression: sizeof(file->f_pos), offsetof(struct file, f_pos),
 * container_of(head, struct task_struct, tasks), this_cpu(name), per_cpu(name, 1).  See expr_parse.h.
 */
#include "ctl/ask/expr/expr_parse.h"

#include <string.h>

#include "ctl/base/memory.h"

/* The node, if the text goes on with that token; else the error is set, and the node is freed. */
static struct expr *expect(struct parser *p, struct expr *e, const char *token)
{
	if (!e || parse_take(p, token))
		return e;
	FAIL(p, "a %s is missing", token);
	expr_free(e);
	return NULL;
}

/* An operation on a, which it takes over. */
static struct expr *node_of(enum expr_kind kind, size_t at, struct expr *a)
{
	struct expr *e;

	if (!a)
		return NULL;
	e = parse_node(kind, at);
	e->a = a;
	return e;
}

/* A node with that name, which it takes over.  NULL: there is no name here. */
static struct expr *named(struct parser *p, enum expr_kind kind, size_t at, char *name)
{
	struct expr *e;

	if (!name)
		return parse_missing(p);
	e = parse_node(kind, at);
	e->name = name;
	return e;
}

static struct expr *parse_this_cpu(struct parser *p, size_t at)
{
	parse_take(p, "(");
	return expect(p, named(p, EXPR_THIS_CPU, at, parse_symbol(p)), ")");
}

/* per_cpu(name, number) */
static struct expr *parse_per_cpu(struct parser *p, size_t at)
{
	struct expr *e;

	parse_take(p, "(");
	e = expect(p, named(p, EXPR_PER_CPU, at, parse_symbol(p)), ",");
	if (!e)
		return NULL;
	e->a = parse_choice(p);
	if (e->a)
		return expect(p, e, ")");
	expr_free(e);
	return NULL;
}

/* ------------------------------------------------------------------------ types */

/* A cast without a value. */
static struct expr *parse_type_alone(struct parser *p)
{
	struct expr *e = parse_node(EXPR_CAST, p->at);

	if (parse_type(p, e))
		return e;
	expr_free(e);
	return NULL;
}

/* sizeof(type), sizeof(expression) */
static struct expr *parse_sizeof(struct parser *p, size_t at)
{
	parse_take(p, "(");
	return expect(p, node_of(EXPR_SIZEOF, at, parse_at_type(p) ? parse_type_alone(p) : parse_choice(p)), ")");
}

/* The address of the member that is named here, of an object of that type at address 0: ((type *)0)->member. */
static struct expr *parse_member_of(struct parser *p, size_t at, const struct expr *type)
{
	struct expr *base = parse_node(EXPR_CAST, type->at), *arrow;

	base->type = type->type;
	base->type.stars++;
	base->name = type->name ? mem_strdup(type->name) : NULL;
	base->a = parse_node(EXPR_NUMBER, type->at);
	base->a->type = (struct expr_type){ .bytes = 8 };
	arrow = named(p, EXPR_ARROW, p->at, parse_identifier(p));
	if (!arrow) {
		expr_free(base);
		return NULL;
	}
	arrow->a = base;
	return node_of(EXPR_ADDRESS, at, parse_members(p, arrow));
}

static struct expr *to_number(struct expr *e, size_t at)
{
	e = node_of(EXPR_CAST, at, e);
	if (e)
		e->type = (struct expr_type){ .bytes = 8 };
	return e;
}

/* `type, member)`: the offset of the member.  type receives the type, a cast without a value. */
static struct expr *parse_offset(struct parser *p, size_t at, struct expr **type)
{
	*type = expect(p, parse_type_alone(p), ",");
	return *type ? expect(p, to_number(parse_member_of(p, at, *type), at), ")") : NULL;
}

static struct expr *parse_offsetof(struct parser *p, size_t at)
{
	AUTO_EXPR struct expr *type = NULL;

	parse_take(p, "(");
	return parse_offset(p, at, &type);
}

/* container_of(pointer, type, member) is (type *)((u64)pointer - offsetof(type, member)). */
static struct expr *parse_container_of(struct parser *p, size_t at)
{
	AUTO_EXPR struct expr *pointer = NULL;
	struct expr *type = NULL, *offset;

	parse_take(p, "(");
	pointer = expect(p, to_number(parse_choice(p), at), ",");
	offset = pointer ? parse_offset(p, at, &type) : NULL;
	if (!offset) {
		expr_free(type);
		return NULL;
	}
	type->type.stars++;
	type->a = parse_binary_node(OP_SUB, at, pointer, offset);
	pointer = NULL;
	return type;
}

static const struct {
	const char *name;
	parse_fn *parse;
} calls[] = {
	{ "this_cpu", parse_this_cpu }, { "per_cpu", parse_per_cpu }, { "sizeof", parse_sizeof },
	{ "offsetof", parse_offsetof }, { "container_of", parse_container_of },
};

parse_fn *parse_word(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (!strcmp(calls[i].name, name))
			return calls[i].parse;
	return NULL;
}
