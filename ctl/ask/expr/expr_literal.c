// SPDX-License-Identifier: GPL-2.0-or-later
/* expr_literal.c - parse numbers, times, characters and texts in an expression.  See expr_parse.h. */
#include "ctl/ask/expr/expr_parse.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "ctl/base/duration.h"
#include "ctl/base/memory.h"
#include "ctl/base/number.h"

/* As in C: int if it fits, unsigned only if it is not decimal. */
static struct expr_type number_type(uint64_t value, bool decimal, const char *suffix)
{
	const bool is_long = strpbrk(suffix, "lL"), is_unsigned = strpbrk(suffix, "uU");

	if (value <= INT32_MAX && !is_long)
		return (struct expr_type){ .bytes = 4, .is_signed = !is_unsigned };
	if (value <= UINT32_MAX && !is_long && (!decimal || is_unsigned))
		return (struct expr_type){ .bytes = 4 };
	return (struct expr_type){ .bytes = 8, .is_signed = value <= INT64_MAX && !is_unsigned };
}

/* 50us, 1.5ms.  NULL: the number has no unit. */
static struct expr *parse_time(struct parser *p)
{
	struct quantity q;
	const char *end;
	struct expr *e;

	if (!quantity_parse(here(p), " \t\n&|<>=!)(+-*/%^,;:]", &q, &end) || !*q.unit || q.ns >= (double)INT64_MAX)
		return NULL;
	e = parse_node(EXPR_NUMBER, p->at);
	e->value = q.ns;
	e->type = (struct expr_type){ .bytes = 8, .is_time = true };
	p->at = end - p->text;
	skip(p);
	return e;
}

/* 0.5, 1e9.  In a[0..7] the first point does not belong to the number. */
static bool is_fraction(const char *text)
{
	text += strspn(text, "0123456789");
	if (*text == '.')
		return text[1] != '.';
	return (*text == 'e' || *text == 'E') && (isdigit((unsigned char)text[1]) || ((text[1] == '+' || text[1] == '-') && isdigit((unsigned char)text[2])));
}

static struct expr *parse_plain(struct parser *p)
{
	const char *start = here(p);
	size_t at = p->at, len = 0, all;
	enum number_status status;
	char suffix[4];
	uint64_t value = 0;
	bool decimal;
	struct expr *e;

	if (is_fraction(start)) {
		FAIL(p, "a number with a fraction or exponent needs a unit of time, as in 1.5ms: floating-point numbers cannot be computed with or compared");
		return NULL;
	}
	while (in_name(start[len]))
		len++;
	all = len;

	AUTO_FREE char *text = mem_strndup(start, len);

	decimal = *text != '0';
	/* A suffix as in C: 10UL. */
	while (len > 1 && strchr("uUlL", text[len - 1]))
		len--;
	snprintf(suffix, sizeof(suffix), "%s", text + len);
	text[len] = '\0';
	status = number_c(text, &value);
	if (status != NUMBER_OK) {
		FAIL(p, status == NUMBER_NONE ? "'%s' is not a number: write 10, 0xa, 012 or a time, 1.5ms"
					      : "%s is too large a number", text);
		return NULL;
	}
	p->at += all;
	skip(p);
	e = parse_node(EXPR_NUMBER, at);
	e->value = value;
	e->type = number_type(value, decimal, suffix);
	return e;
}

struct expr *parse_number(struct parser *p)
{
	struct expr *time = parse_time(p);

	return time ? time : parse_plain(p);
}

struct expr *parse_character(struct parser *p)
{
	static const char escapes[] = "n\nt\tr\r0\0\\\\''";
	const char *text = here(p) + 1;
	size_t at = p->at;
	char c = *text;
	struct expr *e;

	if (c == '\\')
		for (size_t i = 0; i < sizeof(escapes) - 1; i += 2)
			if (text[1] == escapes[i])
				c = escapes[i + 1];
	text += *text == '\\' ? 2 : 1;
	if (!here(p)[1] || *text != '\'') {
		FAIL(p, "a character needs a closing quote: write 'x'");
		return NULL;
	}
	p->at = text + 1 - p->text;
	skip(p);
	e = parse_node(EXPR_NUMBER, at);
	e->value = (uint64_t)(int64_t)c;
	e->type = (struct expr_type){ .bytes = 4, .is_signed = true };
	return e;
}

/* Of what stands behind a backslash, only a quote and the backslash itself lose it: patterns have a use for it. */
struct expr *parse_text(struct parser *p)
{
	const char *text = here(p) + 1;
	struct expr *e;
	size_t n = 0;

	e = parse_node(EXPR_TEXT, p->at);
	e->name = mem_zalloc(strlen(text) + 1, 1);
	for (; *text && *text != '"'; text++) {
		if (*text == '\\' && (text[1] == '"' || text[1] == '\\'))
			text++;
		e->name[n++] = *text;
	}
	if (!*text) {
		FAIL(p, "a text needs a closing quote: write \"text\"");
		expr_free(e);
		return NULL;
	}
	p->at = text + 1 - p->text;
	skip(p);
	return e;
}
