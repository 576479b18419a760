// SPDX-License-Identifier: GPL-2.0-or-later
/* condition.c - see condition.h. */
#include "ctl/live/measure/condition.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/duration.h"
#include "ctl/base/memory.h"
#include "ctl/base/suggestion.h"
#include "ctl/live/measure/fields.h"

enum compare { LE, GE, EQ, NE, LT, GT, NR_COMPARES };

/* Longer operators first. */
static const char *const operators[NR_COMPARES] = {
	[LE] = "<=", [GE] = ">=", [EQ] = "==", [NE] = "!=", [LT] = "<", [GT] = ">",
};

struct term {
	const struct measure_field *field;
	enum compare compare;
	double value;
	bool starts;			/* || stands before it: it begins an alternative */
};

struct condition {
	char *text;
	struct term *terms;
	size_t nr;
};

/* ---------------------------------------------------------------- parsing */

static const char *skip(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

static bool wrong(const char *text, const char *at, const char *what, struct error *err)
{
	return error_set(err, STATUS_USAGE, "--fail-if '%s': at column %zu: %s: such as 'p99>50us' or 'mean>=1.5ms || lost>0'",
			 text, (size_t)(at - text) + 1, what);
}

static bool no_field(const char *text, const char *name, struct error *err)
{
	struct suggestions similar = { .word = name };
	char buf[256];

	for (const struct measure_field *field = measure_fields; field->name; field++)
		suggestion_offer(&similar, field->name);
	return error_set(err, STATUS_USAGE, "--fail-if '%s': there is no figure '%s': %s", text, name,
			 suggestion_say(similar.names, similar.n,
					"count, total, min, mean, ci99, stddev, p50, p90, p99, p99.9, max, unpaired, lost", buf,
					sizeof(buf)));
}

static bool take_field(const char *text, const char **at, struct term *term, struct error *err)
{
	const char *start = skip(*at);
	size_t len = 0;

	while (isalnum((unsigned char)start[len]) || start[len] == '.')
		len++;
	if (!len)
		return wrong(text, start, "a figure's name is expected", err);
	AUTO_FREE char *name = mem_strndup(start, len);
	term->field = measure_field_find(name);
	*at = start + len;
	return term->field || no_field(text, name, err);
}

static bool take_compare(const char *text, const char **at, struct term *term, struct error *err)
{
	*at = skip(*at);
	for (size_t i = 0; i < NR_COMPARES; i++) {
		if (strncmp(*at, operators[i], strlen(operators[i])))
			continue;
		term->compare = i;
		*at += strlen(operators[i]);
		return true;
	}
	return wrong(text, *at, "a comparison is expected: < <= > >= == !=", err);
}

static bool take_value(const char *text, const char **at, struct term *term, struct error *err)
{
	const char *start = skip(*at);
	struct quantity q;

	if (!quantity_parse(start, " \t&|", &q, at))
		return wrong(text, start, "a number is expected, of a time with its unit: ns, us, ms, s", err);
	if (term->field->is_time && !*q.unit)
		return wrong(text, start, "a time needs its unit: ns, us, ms, s", err);
	if (!term->field->is_time && *q.unit)
		return wrong(text, start, "a count has no unit", err);
	term->value = term->field->is_time ? q.ns : q.value;
	return true;
}

/* Take && or ||.  False: the end of the text, or with `bad` something else. */
static bool take_joint(const char **at, bool *starts, bool *bad)
{
	*at = skip(*at);
	*starts = !strncmp(*at, "||", 2);
	*bad = **at && !*starts && strncmp(*at, "&&", 2);
	if (!**at || *bad)
		return false;
	*at += 2;
	return true;
}

static bool take_terms(struct condition *c, const char *text, struct error *err)
{
	const char *at = text;
	bool starts = true, bad = false;

	do {
		struct term term = { .starts = starts };

		if (!take_field(text, &at, &term, err) || !take_compare(text, &at, &term, err) ||
		    !take_value(text, &at, &term, err))
			return false;
		c->terms = MEM_MORE(c->terms, c->nr);
		c->terms[c->nr++] = term;
	} while (take_joint(&at, &starts, &bad));
	return !bad || wrong(text, at, "&& or || is expected", err);
}

struct condition *condition_parse(const char *text, struct error *err)
{
	struct condition *c = mem_zalloc(1, sizeof(*c));

	c->text = mem_strdup(text);
	if (take_terms(c, text, err))
		return c;
	condition_free(c);
	return NULL;
}

void condition_free(struct condition *c)
{
	if (!c)
		return;
	free(c->text);
	free(c->terms);
	free(c);
}

const char *condition_text(const struct condition *c)
{
	return c->text;
}

/* -------------------------------------------------------------- evaluation */

static bool compares(double a, enum compare compare, double b)
{
	switch (compare) {
	case LE: return a <= b;
	case GE: return a >= b;
	case EQ: return a == b;
	case NE: return a != b;
	case LT: return a < b;
	default: return a > b;
	}
}

static void say(const struct term *term, double value, char *buf, size_t size)
{
	const size_t len = strlen(buf);
	char number[DURATION_SIZE];

	snprintf(buf + len, size - len, "%s%s is %s", len ? ", " : "", term->field->name,
		 term->field->is_time ? duration_text(value, number) : count_text(value, number));
}

/* Evaluate an alternative: the terms from `first` to the next alternative, which is *next. */
static bool alternative_holds(const struct condition *c, const struct measurement *m, size_t first, size_t *next,
			      char *buf, size_t size)
{
	bool holds = true;

	*buf = '\0';
	for (*next = first; *next < c->nr && (*next == first || !c->terms[*next].starts); ++*next) {
		const struct term *term = &c->terms[*next];
		const double value = term->field->get(m);

		holds &= measure_known(m, term->field) && compares(value, term->compare, term->value);
		say(term, value, buf, size);
	}
	return holds;
}

bool condition_holds(const struct condition *c, const struct measurement *m, char *buf, size_t size)
{
	size_t next;

	for (size_t first = 0; first < c->nr; first = next)
		if (alternative_holds(c, m, first, &next, buf, size))
			return true;
	*buf = '\0';
	return false;
}

const char *condition_unknown(const struct condition *c, const struct measurement *m, uint64_t *least)
{
	for (size_t i = 0; i < c->nr; i++) {
		if (measure_known(m, c->terms[i].field))
			continue;
		*least = c->terms[i].field->least;
		return c->terms[i].field->name;
	}
	return NULL;
}
