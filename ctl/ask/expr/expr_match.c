// SPDX-License-Identifier: GPL-2.0-or-later
/* expr_match.c - compare strings in memory with texts and patterns.  See expr_int.h. */
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/expr/expr_int.h"
#include "ctl/base/memory.h"

#define SPECIAL	"*?\\"	/* in patterns, see KT_OP_MATCH */

bool match_is(const struct expr *e)
{
	return e->op == OP_LIKE || e->op == OP_UNLIKE || e->a->kind == EXPR_TEXT || e->b->kind == EXPR_TEXT;
}

bool match_takes(struct expr_type type)
{
	if (type.slice)
		return false;
	if (type.shape == SHAPE_ARRAY && !type.stars)
		type = expr_pointer(expr_element(type));
	return type.stars == 1 && type.shape == SHAPE_NUMBER && type.bytes == 1;
}

/* The text as a pattern that matches nothing else.  The caller frees it. */
static char *quoted(const char *text)
{
	char *pattern = mem_zalloc(2 * strlen(text) + 1, 1), *to = pattern;

	for (; *text; text++) {
		if (strchr(SPECIAL, *text))
			*to++ = '\\';
		*to++ = *text;
	}
	return pattern;
}

/* The bytes that decide, if the pattern has no star but its last character; else 0. */
static size_t bytes_needed(const char *pattern)
{
	size_t n = 0;

	for (; *pattern && *pattern != '*'; n++)
		pattern += *pattern == '\\' && pattern[1] ? 2 : 1;
	if (*pattern)
		return pattern[1] ? 0 : n ? n : 1;
	return n + 1;
}

/* size: of the array that has the string; 0: it may have any length. */
static void set_length(struct expr *match, uint64_t size)
{
	const size_t needed = bytes_needed(match->name), most = needed ? needed : KT_MAX_MATCH;

	match->value = size && size < most ? size : most;
	match->match = needed || (size && size <= most) ? 0 : KT_MATCH_ENDS;
}

/* The string at the address of a, which is resolved, matches the pattern; this takes both over. */
static struct expr *match_of(struct expr *a, char *pattern)
{
	const bool is_array = !a->type.stars;
	struct expr *match = mem_zalloc(1, sizeof(*match));

	*match = (struct expr){ .kind = EXPR_MATCH, .at = a->at, .type = EXPR_INT, .a = a, .name = pattern };
	set_length(match, is_array ? expr_count(a->type) : 0);
	if (is_array) {
		match->a = expr_copy(a->a);
		expr_free(a);
	}
	return match;
}

static bool check_sides(struct resolver *r, const struct expr *e)
{
	const bool is_like = e->op == OP_LIKE || e->op == OP_UNLIKE;

	if (!is_like && e->op != OP_EQ && e->op != OP_NE)
		return FAIL(r, e, "a text is compared by ==, != or, with a pattern, by =~ and !~");
	if (e->b->kind != EXPR_TEXT)
		return FAIL(r, e->b, is_like ? "a pattern in quotes is expected: \"dd*\"" : "the text stands on the right side");
	return e->a->kind != EXPR_TEXT || FAIL(r, e->a, "these are two texts");
}

bool match_resolve(struct resolver *r, struct expr *e)
{
	const bool negated = e->op == OP_NE || e->op == OP_UNLIKE, is_like = e->op == OP_LIKE || e->op == OP_UNLIKE;
	struct expr *match;
	char *pattern;

	if (!check_sides(r, e) || !expr_resolve_part(r, e->a))
		return false;
	if (e->a->type.shape == SHAPE_NUMBER && !e->a->type.stars)
		return FAIL(r, e->a, "this is no text in memory but a number: a cast makes it one: (char *)");
	if (!match_takes(e->a->type) || (!e->a->type.stars && e->a->kind != EXPR_LOAD))
		return FAIL(r, e->a, "this is no text in memory: it must be an array of char, or a pointer to char; a cast makes one: (char *)");
	pattern = is_like ? mem_strdup(e->b->name) : quoted(e->b->name);
	if (strlen(pattern) > KT_MAX_PATTERN) {
		FAIL(r, e->b, "the text is too long: at most %d bytes", KT_MAX_PATTERN);
		free(pattern);
		return false;
	}
	match = match_of(e->a, pattern);
	e->a = NULL;
	if (negated) {
		struct expr *not = mem_zalloc(1, sizeof(*not));

		*not = (struct expr){ .kind = EXPR_UNARY, .op = OP_NOT, .at = e->at, .type = EXPR_INT, .a = match };
		match = not;
	}
	expr_become(e, match);
	return true;
}
