/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expr_parse.h - internals of the parser of expressions: expr.c, expr_literal.c. */
#ifndef KTRACE_EXPR_PARSE_H
#define KTRACE_EXPR_PARSE_H

#include <ctype.h>

#include "ctl/lang/expr.h"

#define EXPR_MAX_DEPTH	64	/* nesting depth of an expression */

struct parser {
	const char *what, *text;
	size_t at;
	unsigned int depth;
	struct error *err;
};

#define FAIL(p, ...)	expr_error((p)->err, (p)->what, (p)->text, (p)->at, __VA_ARGS__)

static inline const char *here(const struct parser *p)
{
	return p->text + p->at;
}

/* Skip blanks. */
static inline void skip(struct parser *p)
{
	while (isspace((unsigned char)*here(p)))
		p->at++;
}

static inline bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* A new node of the tree.  The caller owns it. */
struct expr *parse_node(enum expr_kind kind, size_t at);

/* expr_literal.c: a number, maybe with a unit of time; a character in quotes.  NULL: the error is set. */
struct expr *parse_number(struct parser *p);
struct expr *parse_character(struct parser *p);

#endif
