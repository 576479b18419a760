// SPDX-License-Identifier: GPL-2.0-or-later
/* expr.c - parse an expression to a tree.  See expr.h. */
#include "ctl/ask/expr/expr_parse.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ctl/base/memory.h"

#define MAX_SHOWN	200	/* characters of the text shown in a message */

/* Precedence as in C.  If one operator begins another, the longer one comes first. */
static const struct {
	const char *text;
	enum expr_op op;
	int binds;
} operators[] = {
	{ "||", OP_LOR, 1 }, { "&&", OP_LAND, 2 },
	{ "==", OP_EQ, 6 }, { "!=", OP_NE, 6 }, { "=~", OP_LIKE, 6 }, { "!~", OP_UNLIKE, 6 },
	{ "<<", OP_SHL, 8 }, { ">>", OP_SHR, 8 },
	{ "<=", OP_LE, 7 }, { "<", OP_LT, 7 }, { ">=", OP_GE, 7 }, { ">", OP_GT, 7 },
	{ "|", OP_OR, 3 }, { "^", OP_XOR, 4 }, { "&", OP_AND, 5 },
	{ "+", OP_ADD, 9 }, { "-", OP_SUB, 9 },
	{ "*", OP_MUL, 10 }, { "/", OP_DIV, 10 }, { "%", OP_MOD, 10 },
};

bool expr_error(struct error *err, const char *what, const char *text, size_t at, const char *fmt,
		...)
{
	AUTO_FREE char *message = NULL;
	va_list args;

	va_start(args, fmt);
	message = mem_vprintf(fmt, args);
	va_end(args);
	/* The option itself is the expression. */
	if (!strcmp(what, text))
		return error_set(err, STATUS_USAGE, "%s: %s", what, message);
	return error_set(err, STATUS_USAGE, "%s %.*s%s: at column %zu: %s", what, MAX_SHOWN, text,
			 strlen(text) > MAX_SHOWN ? "..." : "", at + 1, message);
}

struct expr *parse_node(enum expr_kind kind, size_t at)
{
	struct expr *e = mem_zalloc(1, sizeof(*e));

	e->kind = kind;
	e->at = at;
	return e;
}

/* ------------------------------------------------------------------ tokens */

bool parse_take(struct parser *p, const char *token)
{
	size_t len = strlen(token);

	if (strncmp(here(p), token, len))
		return false;
	p->at += len;
	skip(p);
	return true;
}

static bool begins_name(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

/* The length of the name at the start of text; 0: none. */
static size_t name_length(const char *text)
{
	size_t len = 0;

	if (begins_name(*text))
		while (in_name(text[len]))
			len++;
	return len;
}

static char *take_text(struct parser *p, size_t len)
{
	char *name = mem_strndup(here(p), len);

	p->at += len;
	skip(p);
	return name;
}

/* The length of a symbol as it is spelled: `name`, `f.isra.0`, `module:name`, `app::name`, `name#2`. */
static size_t symbol_length(const char *text)
{
	size_t len = name_length(text), colons;

	while (text[len] == '.' && in_name(text[len + 1]))
		for (len++; in_name(text[len]); len++)
			;
	colons = len ? strspn(text + len, ":") : 0;
	if ((colons == 1 || colons == 2) && begins_name(text[len + colons]))
		return len + colons + symbol_length(text + len + colons);
	if (text[len] == '#' && isdigit((unsigned char)text[len + 1]))
		for (len++; isdigit((unsigned char)text[len]); len++)
			;
	return len;
}

char *parse_symbol(struct parser *p)
{
	const size_t len = symbol_length(here(p));

	return len ? take_text(p, len) : NULL;
}

char *parse_identifier(struct parser *p)
{
	const size_t len = name_length(here(p));

	return len ? take_text(p, len) : NULL;
}

size_t expr_label(const char *text)
{
	size_t len = name_length(text), end = len;

	while (isspace((unsigned char)text[end]))
		end++;
	return len && text[end] == '=' && text[end + 1] != '=' && text[end + 1] != '~' ? len : 0;
}

const char *expr_labelled(const char *text, size_t len)
{
	text += len;
	while (len && (isspace((unsigned char)*text) || *text == '='))
		text++;
	return text;
}

const char *expr_last_name(const char *text)
{
	const char *at = text + strlen(text);

	while (at > text && in_name(at[-1]))
		at--;
	return at;
}

/* ------------------------------------------------------------------- types */

/* `unsigned long` and the like consist only of these words. */
static bool is_type_word(const char *name)
{
	static const char *const words[] = { "unsigned", "signed", "int", "const", "volatile" };
	struct expr_type type;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i], name))
			return true;
	return expr_type_named(name, &type);
}

static const char *past_blanks(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

static bool is_keyword(const char *name)
{
	return !strcmp(name, "struct") || !strcmp(name, "union") || !strcmp(name, "enum");
}

/* After a name that may be a type: `*)`, or `)` followed by an operand, not by an operator. */
static bool ends_cast(const char *text)
{
	const bool is_pointer = *text == '*';

	while (*text == '*' || isspace((unsigned char)*text))
		text++;
	if (*text != ')')
		return false;
	return is_pointer || begins_name(text[1]) || (text[1] && strchr("$(0123456789", text[1]));
}

/* Does the text begin with a word that only types have? */
static bool begins_type(const char *text)
{
	AUTO_FREE char *name = mem_strndup(text, name_length(text));

	return *name && (is_type_word(name) || is_keyword(name));
}

bool parse_at_type(const struct parser *p)
{
	const size_t len = name_length(here(p));
	const char *behind = past_blanks(here(p) + len);

	return begins_type(here(p)) || (len && *behind == '*' && ends_cast(behind));
}

/* At a `(`: do the parentheses contain a type?  An unknown name may be a type of the source. */
static bool at_cast(const struct parser *p)
{
	const char *text = past_blanks(here(p) + 1);
	size_t len = name_length(text);

	if (!len)
		return false;

	return begins_type(text) || ends_cast(past_blanks(text + len));
}

static void add_word(char name[64], const char *word)
{
	size_t len = strlen(name);

	if (strcmp(word, "const") && strcmp(word, "volatile"))
		snprintf(name + len, 64 - len, "%s%s", len ? " " : "", word);
}

/* A name that is not a built-in type is resolved later, with the types of the source. */
bool parse_type(struct parser *p, struct expr *cast)
{
	size_t len;
	char name[64] = "";

	cast->at = p->at;
	while ((len = name_length(here(p)))) {
		AUTO_FREE char *word = take_text(p, len);

		add_word(name, word);
	}
	if (!*name)
		return FAIL(p, "a type is expected in front of the )");
	if (!expr_type_named(name, &cast->type))
		cast->name = mem_strdup(name);
	while (parse_take(p, "*"))
		cast->type.stars++;
	return true;
}

/* ---------------------------------------------------------------- operands */

static struct expr *parse_unary(struct parser *p);

struct expr *parse_missing(struct parser *p)
{
	if (!*here(p))
		FAIL(p, "something is missing at the end");
	else
		FAIL(p, "a value is expected, not '%.*s'", (int)strcspn(here(p), " "), here(p));
	return NULL;
}

static struct expr *parse_dollar(struct parser *p)
{
	struct expr *e;
	size_t at = p->at++, len = name_length(here(p));

	if (!len) {
		p->at = at;
		FAIL(p, "a register's name is missing behind $");
		return NULL;
	}
	e = parse_node(EXPR_DOLLAR, at);
	e->name = take_text(p, len);
	return e;
}

static struct expr *parse_name(struct parser *p)
{
	struct expr *e = parse_node(EXPR_NAME, p->at);
	parse_fn *parse;

	e->name = parse_symbol(p);
	parse = *here(p) == '(' ? parse_word(e->name) : NULL;
	if (parse) {
		const size_t at = e->at;

		expr_free(e);
		return parse(p, at);
	}
	if (!strcmp(e->name, "current")) {
		e->kind = EXPR_CUR;
		e->cur = KT_CUR_TASK;
	}
	return e;
}

static struct expr *parse_parenthesis(struct parser *p)
{
	struct expr *e;

	parse_take(p, "(");
	e = parse_choice(p);
	if (!e || parse_take(p, ")"))
		return e;
	if (*here(p))
		FAIL(p, "an operator or a ) is expected, not '%.*s'", (int)strcspn(here(p), " "),
		     here(p));
	else
		FAIL(p, "a ) is missing at the end");
	expr_free(e);
	return NULL;
}

static struct expr *parse_primary(struct parser *p)
{
	char c = *here(p);

	if (isdigit((unsigned char)c))
		return parse_number(p);
	if (c == '$')
		return parse_dollar(p);
	if (c == '\'')
		return parse_character(p);
	if (c == '"')
		return parse_text(p);
	if (begins_name(c))
		return parse_name(p);
	if (c == '(')
		return parse_parenthesis(p);
	return parse_missing(p);
}

struct expr *parse_binary_node(enum expr_op op, size_t at, struct expr *a, struct expr *b)
{
	struct expr *e = parse_node(EXPR_BINARY, at);

	e->op = op;
	e->a = a;
	e->b = b;
	return e;
}

/* first..last, where `first` is parsed; it is taken over.  NULL: the error is set. */
static struct expr *parse_ends(struct parser *p, struct expr *first)
{
	struct expr *ends = parse_node(EXPR_VALUES, p->at);

	ends->a = first;
	ends->b = parse_choice(p);
	if (ends->b)
		return ends;
	expr_free(ends);
	return NULL;
}

/* a[b] is *(a + b); a[first..last] is a slice. */
static struct expr *parse_index(struct parser *p, struct expr *a)
{
	size_t at = p->at;
	struct expr *b, *e;
	bool is_slice;

	parse_take(p, "[");
	b = parse_choice(p);
	is_slice = b && parse_take(p, "..");
	if (is_slice)
		b = parse_ends(p, b);
	if (b && parse_take(p, "]")) {
		e = parse_node(is_slice ? EXPR_SLICE : EXPR_LOAD, at);
		e->a = is_slice ? a : parse_binary_node(OP_ADD, at, a, b);
		e->b = is_slice ? b : NULL;
		return e;
	}
	if (b)
		FAIL(p, "a ] is missing");
	expr_free(a);
	expr_free(b);
	return NULL;
}

/* a.name, a->name */
static struct expr *parse_member(struct parser *p, struct expr *a)
{
	struct expr *e = parse_node(parse_take(p, "->") ? EXPR_ARROW : EXPR_MEMBER, p->at);

	e->a = a;
	if (e->kind == EXPR_MEMBER)
		parse_take(p, ".");
	e->name = parse_identifier(p);
	if (e->name)
		return e;
	FAIL(p, "a member's name is missing behind the %s", e->kind == EXPR_ARROW ? "->" : ".");
	expr_free(e);
	return NULL;
}

struct expr *parse_members(struct parser *p, struct expr *e)
{
	while (e) {
		if (*here(p) == '[')
			e = parse_index(p, e);
		else if ((*here(p) == '.' && here(p)[1] != '.') || !strncmp(here(p), "->", 2))
			e = parse_member(p, e);
		else
			break;
	}
	return e;
}

static struct expr *parse_postfix(struct parser *p)
{
	return parse_members(p, parse_primary(p));
}

static struct expr *parse_cast(struct parser *p)
{
	struct expr *e = parse_node(EXPR_CAST, p->at);

	parse_take(p, "(");
	if (parse_type(p, e)) {
		if (!parse_take(p, ")"))
			FAIL(p, "a ) is missing behind the type");
		else
			e->a = parse_unary(p);
	}
	if (e->a)
		return e;
	expr_free(e);
	return NULL;
}

static struct expr *parse_prefix(struct parser *p, enum expr_kind kind, enum expr_op op)
{
	struct expr *e = parse_node(kind, p->at);

	p->at++;
	skip(p);
	e->op = op;
	e->a = parse_unary(p);
	if (e->a)
		return e;
	expr_free(e);
	return NULL;
}

static struct expr *parse_unary_inner(struct parser *p)
{
	static const struct {
		char c;
		enum expr_kind kind;
		enum expr_op op;
	} prefixes[] = {
		{ '*', EXPR_LOAD, OP_NONE }, { '&', EXPR_ADDRESS, OP_NONE },
		{ '-', EXPR_UNARY, OP_MINUS }, { '~', EXPR_UNARY, OP_INVERT },
		{ '!', EXPR_UNARY, OP_NOT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (*here(p) == prefixes[i].c)
			return parse_prefix(p, prefixes[i].kind, prefixes[i].op);
	if (*here(p) == '(' && at_cast(p))
		return parse_cast(p);
	return parse_postfix(p);
}

static struct expr *parse_unary(struct parser *p)
{
	struct expr *e = NULL;

	if (p->depth++ < EXPR_MAX_DEPTH)
		e = parse_unary_inner(p);
	else
		FAIL(p, "too much is nested here");
	p->depth--;
	return e;
}

/* --------------------------------------------------------------- operators */

/* The operator at this position, which is not consumed.  NULL: there is none. */
static const char *peek(const struct parser *p, enum expr_op *op, int *binds)
{
	if (!strncmp(here(p), "->", 2))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++) {
		if (*here(p) != *operators[i].text || strncmp(here(p), operators[i].text, strlen(operators[i].text)))
			continue;
		*op = operators[i].op;
		*binds = operators[i].binds;
		return operators[i].text;
	}
	return NULL;
}

/* Parse operators that bind at least as strongly as `least`; those of equal strength associate to the left. */
static struct expr *parse_binary(struct parser *p, int least)
{
	struct expr *a = parse_unary(p), *b;
	const char *text;
	enum expr_op op;
	int binds;

	while (a && (text = peek(p, &op, &binds)) && binds >= least) {
		size_t at = p->at;

		parse_take(p, text);
		b = parse_binary(p, binds + 1);
		if (!b) {
			expr_free(a);
			return NULL;
		}
		a = parse_binary_node(op, at, a, b);
	}
	return a;
}

/* The two values behind a `?`. */
static struct expr *parse_values(struct parser *p)
{
	struct expr *e = parse_node(EXPR_VALUES, p->at);

	e->a = parse_choice(p);
	if (e->a && !parse_take(p, ":"))
		FAIL(p, "a : with another value is expected behind the ?");
	else if (e->a)
		e->b = parse_choice(p);
	if (e->b)
		return e;
	expr_free(e);
	return NULL;
}

/* a ? b : c, which associates to the right. */
struct expr *parse_choice(struct parser *p)
{
	struct expr *a = parse_binary(p, 1), *e;
	size_t at = p->at;

	if (!a || !parse_take(p, "?"))
		return a;
	e = parse_node(EXPR_CHOICE, at);
	e->a = a;
	if (p->depth++ < EXPR_MAX_DEPTH)
		e->b = parse_values(p);
	else
		FAIL(p, "too much is nested here");
	p->depth--;
	if (e->b)
		return e;
	expr_free(e);
	return NULL;
}

struct expr *expr_parse(const char *what, const char *text, size_t *used, struct error *err)
{
	struct parser p = { .what = what, .text = text, .err = err };
	struct expr *e;

	skip(&p);
	e = parse_choice(&p);
	*used = p.at;
	return e;
}
