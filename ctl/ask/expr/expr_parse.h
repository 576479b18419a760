/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expr_parse.h - internals of the parser of expressions: expr.c, expr_literal.c, expr_call.c. */
#ifndef KTRACE_EXPR_PARSE_H
#define KTRACE_EXPR_PARSE_H

#include <ctype.h>

#include "ctl/ask/expr/expr.h"

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

/* If the text goes on with the token, skip it and the blanks behind it. */
bool parse_take(struct parser *p, const char *token);
/* A symbol as it is spelled: `name`, `f.isra.0`, `module:name`.  NULL: there is none.  The caller owns it. */
char *parse_symbol(struct parser *p);
/* A name as C has it.  NULL: there is none.  The caller owns it. */
char *parse_identifier(struct parser *p);
/* Is a type here, not a variable?  A name alone may be either: then this is false. */
bool parse_at_type(const struct parser *p);
/* A type, and the stars behind it, into a cast.  False: the error is set. */
bool parse_type(struct parser *p, struct expr *cast);
/* The longest expression.  NULL: the error is set. */
struct expr *parse_choice(struct parser *p);
/* The members and indices behind e, which it takes over; e may be NULL. */
struct expr *parse_members(struct parser *p, struct expr *e);
struct expr *parse_binary_node(enum expr_op op, size_t at, struct expr *a, struct expr *b);
/* Say that a value is expected here.  Returns NULL. */
struct expr *parse_missing(struct parser *p);

/* expr_call.c: what a name in front of a ( means.  The text is at the (.  NULL: the name has no such meaning. */
typedef struct expr *parse_fn(struct parser *p, size_t at);
parse_fn *parse_word(const char *name);

/* expr_literal.c: a number, maybe with a unit of time; a character, a text in quotes.  NULL: the error is set. */
struct expr *parse_number(struct parser *p);
struct expr *parse_character(struct parser *p);
struct expr *parse_text(struct parser *p);

#endif
