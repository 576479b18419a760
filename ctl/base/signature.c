// SPDX-License-Identifier: GPL-2.0-or-later
/* signature.c - see signature.h.  The names are as libiberty demangles them. */
#include "ctl/base/signature.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ctl/base/memory.h"

#define LONG		20	/* more bytes than this between brackets become "..." */
#define MOST_NESTED	128	/* brackets */
#define ANONYMOUS	"(anonymous namespace)"

/* A name while one of its forms is written. */
struct form {
	enum signature_form form;
	bool drops_types;	/* what is before a blank is the type that a function returns */
	bool has_parameters;
	char *text;
	size_t len;
	size_t base;		/* where the name begins in text, behind the program */
};

static void put(struct form *f, const char *from, const char *to)
{
	memcpy(f->text + f->len, from, to - from);
	f->len += to - from;
}

static bool begins(const char *at, const char *end, const char *word)
{
	const size_t len = strlen(word);

	return (size_t)(end - at) >= len && !memcmp(at, word, len);
}

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Does the word stand there, and not as a part of a longer one? */
static bool begins_word(const char *at, const char *end, const char *word)
{
	const char *behind = at + strlen(word);

	return begins(at, end, word) && (behind == end || !is_letter(*behind));
}

/* ------------------------------------------------------------------- operators */

/* The longer ones first. */
static const char *const symbols[] = {
	"<=>", "->*", "<<=", ">>=", "()", "[]", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-=", "*=",
	"/=", "%=", "^=", "&=", "|=", "+", "-", "*", "/", "%", "^", "&", "|", "~", "!", "=", "<", ">", ",",
};

static const char *const words[] = { " new[]", " delete[]", " new", " delete", " co_await" };

/* Behind the name of an operator that begins with "operator"; NULL: there is none, or one that converts to a type. */
static const char *operator_end(const char *at, const char *end)
{
	if (!begins(at, end, "operator"))
		return NULL;
	at += strlen("operator");
	for (size_t i = 0; i < ARRAY_SIZE(symbols); i++)
		if (begins(at, end, symbols[i]))
			return at + strlen(symbols[i]);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (begins_word(at, end, words[i]))
			return at + strlen(words[i]);
	if (!begins(at, end, "\"\""))
		return NULL;
	at += 2;
	at += at < end && *at == ' ';
	while (at < end && is_letter(*at))
		at++;
	return at;
}

/* -------------------------------------------------------------------- brackets */

/* The kinds of brackets that are open. */
struct nested {
	char open[MOST_NESTED];
	size_t n;
};

static bool is_open(const struct nested *nested, char open)
{
	return nested->n && nested->open[nested->n - 1] == open;
}

/* Compares without a partner, such as `a<b`, may stand within other brackets. */
static void close_bracket(struct nested *nested, char open)
{
	if (open == '<' && !is_open(nested, '<'))
		return;
	while (nested->n && !is_open(nested, open))
		nested->n--;
	nested->n -= nested->n > 0;
}

/* Behind the bracket that closes the one at `at`; NULL: there is none. */
static const char *group_end(const char *at, const char *end)
{
	static const char opening[] = "(<{[", closing[] = ")>}]";
	struct nested nested = { .n = 0 };
	const char *known;

	for (const char *from = at; at < end; at++) {
		if (at > from && !is_letter(at[-1]) && operator_end(at, end)) {
			at = operator_end(at, end) - 1;
			continue;
		}
		if (strchr(opening, *at) && (*at != '<' || at == from || at[-1] != ')')) {
			if (nested.n == MOST_NESTED)
				return NULL;
			nested.open[nested.n++] = *at;
		}
		known = *at == '>' && at > from && at[-1] == '-' ? NULL : strchr(closing, *at);
		if (known)
			close_bracket(&nested, opening[known - closing]);
		if (!nested.n)
			return at + 1;
	}
	return NULL;
}

static bool has(const char *at, const char *end, const char *word)
{
	return memmem(at, end - at, word, strlen(word));
}

/* Put brackets with what is in them, or "..." in its place if that is long. */
static void put_group(struct form *f, const char *at, const char *end)
{
	static const char dots[] = "...";

	if (end - at - 2 <= LONG || f->form == SIGNATURE_ARGUMENTS) {
		put(f, at, end);
		return;
	}
	put(f, at, at + 1);
	put(f, dots, dots + 3);
	put(f, end - 1, end);
}

/* Put types, in which only arguments of templates are shortened; with `all` also parameters. */
static void put_types(struct form *f, const char *at, const char *end, bool all)
{
	for (const char *from = at, *behind; at < end; at = behind) {
		const bool is_group = (*at == '<' && at > from && (is_letter(at[-1]) || at[-1] == ':')) || (all && *at == '(');

		behind = is_group ? group_end(at, end) : NULL;
		if (behind)
			put_group(f, at, behind);
		else
			put(f, at, behind = at + 1);
	}
}

/* ----------------------------------------------------------------------- parts */

/* " const", " &": what stands behind parameters. */
static const char *qualifiers_end(const char *at, const char *end)
{
	static const char *const all[] = { " const", " volatile", " noexcept", " &&", " &" };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (begins_word(at, end, all[i]))
			return qualifiers_end(at + strlen(all[i]), end);
	return at;
}

/*
 * An operator that converts to a type.  The type may have brackets, too: the parameters are the first "()" that no other
 * bracket follows.
 */
static const char *put_conversion(struct form *f, const char *at, const char *end)
{
	const char *to = at;

	while (to < end && !(begins(to, end, "()") && (to + 2 == end || to[2] != '('))) {
		const char *behind = strchr("(<{[", *to) ? group_end(to, end) : NULL;

		to = behind ? behind : to + 1;
	}
	put_types(f, at, to, false);
	return to;
}

/* operator< <int>: a blank separates the arguments of a template. */
static const char *put_operator(struct form *f, const char *at, const char *end)
{
	const char *behind = operator_end(at, end);

	if (!behind)
		return put_conversion(f, at, end);
	behind += begins(behind, end, " <");
	put(f, at, behind);
	return behind;
}

/* Put parameters of a function, or not.  Returns what is behind it. */
static const char *put_parameters(struct form *f, const char *at, const char *behind, const char *end)
{
	const char *qualified = qualifiers_end(behind, end);

	f->has_parameters = true;
	if (f->form == SIGNATURE_PARAMETERS)
		put_types(f, at, qualified, false);
	return qualified;
}

static const char *scan(struct form *f, const char *at, const char *end);

/* `int (*f(long))(char)` and `int (&f(long)) [5]` return pointers: the name is in the brackets. */
static const char *put_wrapped(struct form *f, const char *at, const char *behind, const char *end)
{
	const char *inside = at + 1, *member = memmem(at, behind - at, "::*", 3);

	if (*inside != '*' && *inside != '&')
		inside = member + 2;
	while (inside < behind && strchr("*& ", *inside))
		inside++;
	f->len = f->base;
	scan(f, inside, behind - 1);
	for (at = behind; at < end; at = behind) {
		const char *group = at + (*at == ' ');

		behind = group < end && strchr("([", *group) ? group_end(group, end) : NULL;
		if (!behind)
			break;
	}
	return qualifiers_end(at, end);
}

static bool is_wrapped(const char *at, const char *behind)
{
	const char *member = memmem(at, behind - at, "::*", 3), *group = memchr(at + 1, '(', behind - at - 1);

	return at[1] == '*' || at[1] == '&' || (member && (!group || member < group));
}

/* Is what is written the end of a type, as in `decltype (a+b)`? */
static bool is_behind_decltype(const struct form *f)
{
	static const char word[] = "decltype";
	const size_t n = strlen(word), len = f->len - (f->len && f->text[f->len - 1] == ' ');

	return len >= n && !memcmp(f->text + len - n, word, n);
}

/* first: a part of the name begins here. */
static const char *put_parentheses(struct form *f, const char *at, const char *behind, const char *end, bool first)
{
	if (is_behind_decltype(f) || (first && (begins(at, end, ANONYMOUS) || !is_wrapped(at, behind)))) {
		put(f, at, behind);
		return behind;
	}
	return first ? put_wrapped(f, at, behind, end) : put_parameters(f, at, behind, end);
}

/* `<impl Trait for Type>::f`, `<Type as Trait>::f` of Rust are the name. */
static void put_angles(struct form *f, const char *at, const char *behind, bool first)
{
	if (f->len == f->base || (first && (begins(at, behind, "<impl ") || has(at, behind, " as ")))) {
		put(f, at, at + 1);
		put_types(f, at + 1, behind, false);
	} else {
		put_group(f, at, behind);
	}
}

static const char *put_bracket(struct form *f, const char *at, const char *end, bool first)
{
	const char *behind = group_end(at, end);

	if (!behind) {
		put(f, at, end);
		return end;
	}
	if (*at == '(')
		return put_parentheses(f, at, behind, end, first);
	if (*at == '<')
		put_angles(f, at, behind, first);
	else if (*at == '{')
		put_types(f, at, behind, f->form != SIGNATURE_ARGUMENTS);
	else if (!begins(at, end, "[abi:") || f->form == SIGNATURE_PARAMETERS)
		put(f, at, behind);
	return behind;
}

/* Write the name between `at` and `end`; behind parameters it goes on only with "::". */
static const char *scan(struct form *f, const char *at, const char *end)
{
	for (bool first = true, had; at < end;) {
		had = f->has_parameters;
		if (first && (operator_end(at, end) || begins(at, end, "operator "))) {
			at = put_operator(f, at, end);
			first = false;
		} else if (strchr("(<{[", *at)) {
			f->has_parameters = false;
			at = put_bracket(f, at, end, first);
			if (f->has_parameters && !begins(at, end, "::"))
				return at;
			f->has_parameters |= had;
			first = false;
		} else {
			first = *at == ':' || *at == ' ';
			put(f, at, at + 1);
			if (*at++ == ' ' && f->drops_types)
				f->len = f->base;
		}
	}
	return at;
}

/* ------------------------------------------------------------------------ names */

/* main.(*pool).get, main.get[go.shape.int]: names of Go have no parameters. */
static bool is_go(const char *name)
{
	const char *type = strstr(name, ".(");

	return (type && type > name && is_letter(type[-1])) || strstr(name, "[go.") || strstr(name, "type:.");
}

/* "server:": the program and what else stands before the name.  Returns its length. */
static size_t label_length(const char *name)
{
	const char *const end = name + strcspn(name, "(<{[");

	for (const char *at = name; (at = memchr(at, ':', end - at)); at += 2)
		if (at + 1 == end || at[1] != ':')
			return at + 1 - name;
	return 0;
}

static size_t prefix_length(const char *name)
{
	static const char *const all[] = {
		"non-virtual thunk to ", "virtual thunk to ", "covariant return thunk to ", "transaction clone for ", "guard variable for ",
	};
	size_t n = label_length(name);

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (!strncmp(name + n, all[i], strlen(all[i])))
			return n + strlen(all[i]);
	return n;
}

char *signature_form(const char *name, enum signature_form form)
{
	const char *const end = name + strlen(name);
	struct form f = { .form = form, .drops_types = true, .base = prefix_length(name) };
	const char *rest;

	if (form == SIGNATURE_FULL || !strpbrk(name, "(<{[") || is_go(name))
		return mem_strdup(name);
	f.text = mem_zalloc(end - name + 1, 1);
	put(&f, name, name + f.base);
	rest = scan(&f, name + f.base, end);
	/* Only a function with parameters has a type before its name. */
	if (!f.has_parameters) {
		f.len = f.base;
		f.drops_types = false;
		rest = scan(&f, name + f.base, end);
	}
	put(&f, rest, end);
	f.text[f.len] = '\0';
	return f.text;
}

void signature_fit(const char *name, char *out, size_t size)
{
	static const enum signature_form forms[] = { SIGNATURE_FULL, SIGNATURE_ARGUMENTS, SIGNATURE_SHORT };

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		AUTO_FREE char *text = signature_form(name, forms[i]);
		const size_t len = strlen(text);

		if (len < size) {
			memcpy(out, text, len + 1);
			return;
		}
		if (i + 1 == ARRAY_SIZE(forms))
			snprintf(out, size, "...%s", text + len - (size > 3 ? size - 4 : 0));
	}
}
