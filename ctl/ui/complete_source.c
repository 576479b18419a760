// SPDX-License-Identifier: GPL-2.0-or-later
/* complete_source.c - completions from debug information: variables, members, files. */
#include "ctl/ui/complete_int.h"

#include <stdio.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/lang/expr.h"
#include "ctl/lang/option.h"
#include "ctl/resolve/resolve.h"
#include "ctl/resolve/vars.h"
#include "ctl/session/session_target.h"

/* ------------------------------------------------------------------- place */

/* The address to which the options at the end belong.  NULL: none. */
static const char *last_address(const struct words *words)
{
	const char *address = NULL;
	bool in_expression = false;

	for (size_t i = 1; i < words->n; i++) {
		const struct option_row *option = option_find(words->v[i]);

		if (option && option->arg != ARG_NONE && option->arg != ARG_EXPRESSION)
			i++;
		else if (!option && !in_expression)
			address = words->v[i];
		in_expression = option ? option->arg == ARG_EXPRESSION : in_expression;
	}
	return address;
}

/* Open the variables at the first probe point of that address. */
static bool open_point(const struct offer *o, const struct words *words, struct probe_points *points,
		       struct target *target, struct vars *vars)
{
	const char *address = last_address(words);
	struct error unused;

	if (!address || !session_symbols(o->s, NULL) || !session_connect(o->s, NULL))
		return false;
	*target = session_target(o->s);
	if (!target->debug || !probe_points_resolve(target, address, points, &unused) || !points->n)
		return false;
	vars_init(vars, target, &points->v[0]);
	return vars_open(vars);
}

/* ----------------------------------------------------------------- members */

static void offer_member(const struct offer *o, int before, const char *name)
{
	AUTO_FREE char *word = mem_printf("%.*s%s", before, o->word, name);

	offer_one(o, word);
}

static void offer_members_of(const struct offer *o, int before, const struct dbindex *ix, uint32_t number,
			     unsigned int depth)
{
	struct type_member member;
	struct type type;

	if (depth > 8 || !type_resolve(ix, number, &type) ||
	    (type.kind != TYPE_STRUCT && type.kind != TYPE_UNION))
		return;
	while (type_next_member(ix, &type, &member)) {
		if (*member.name)
			offer_member(o, before, member.name);
		else
			offer_members_of(o, before, ix, member.type, depth + 1);
	}
}

/* The expression before the last -> or `.`: the longest end of the text that parses. */
static struct expr *left_side(const char *text, const struct expr_names *names)
{
	struct error unused;
	struct expr *e;
	size_t used;

	for (; *text; text++) {
		e = expr_parse("", text, &used, &unused);
		if (e && !text[used] && expr_resolve(e, "", text, names, &unused))
			return e;
		expr_free(e);
	}
	return NULL;
}

static void offer_members(const struct offer *o, int length, int before, struct vars *vars)
{
	const struct expr_names names = { .arch = &arch_native, .tab = o->s->tab, .vars = vars };
	AUTO_FREE char *text = mem_strndup(o->word, length);
	AUTO_EXPR struct expr *e = left_side(text, &names);
	struct expr_type type;

	if (!e || e->type.shape != SHAPE_COMPOSITE || e->type.stars > 1)
		return;
	type = e->type;
	if (vars_complete(vars, &type.ix, &type.number))
		offer_members_of(o, before, type.ix, type.number, 0);
}

static void offer_variables(const struct offer *o, const struct vars *vars)
{
	/* Behind an operator or a parenthesis a new name begins. */
	const int before = strlen(o->word) - strlen(expr_last_name(o->word));

	for (const struct scope *scope = vars->inner; scope; scope = scope->outer)
		for (size_t i = 0; i < scope->nr_vars; i++)
			if (*scope->vars[i].name)
				offer_member(o, before, scope->vars[i].name);
	offer_member(o, before, "current");
}

void offer_source(const struct offer *o, const struct words *words)
{
	const char *arrow = NULL;
	AUTO_PROBE_POINTS struct probe_points points = { 0 };
	struct target target;
	struct vars vars = { 0 };

	for (const char *at = o->word; *at; at++)
		if (*at == '.' || !strncmp(at, "->", 2))
			arrow = at;
	if (open_point(o, words, &points, &target, &vars)) {
		if (arrow)
			offer_members(o, arrow - o->word, arrow - o->word + (*arrow == '.' ? 1 : 2), &vars);
		else
			offer_variables(o, &vars);
	}
	vars_free(&vars);
}

/* ------------------------------------------------------------------- files */

/* Offer complete paths, and names without their directory if the word has no slash. */
static void offer_path(const struct offer *o, const char *path)
{
	const char *name = strrchr(path, '/');
	AUTO_FREE char *word = mem_printf("%s:", path);

	offer_one(o, word);
	if (name && !strchr(o->word, '/'))
		offer_one(o, word + (name + 1 - path));
}

void offer_files(const struct offer *o)
{
	struct target target;
	struct debug_unit *unit;
	struct dbindex *ix;
	size_t n;

	if (strlen(o->word) < 2 || !session_symbols(o->s, NULL))
		return;
	target = session_target(o->s);
	unit = target.debug ? debug_unit_casual(target.debug, "", NULL) : NULL;
	ix = unit ? debug_index_ready(unit) : NULL;
	if (!ix)
		return;
	dbindex_rows(ix, PART_FILES, uint32_t, &n);
	for (size_t i = 0; i < n; i++)
		offer_path(o, dbindex_file_name(ix, i));
}
