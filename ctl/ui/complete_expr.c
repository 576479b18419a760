// SPDX-License-Identifier: GPL-2.0-or-later
/* complete_expr.c - completions in an expression: variables, members, types, registers. */
#include "ctl/ui/complete_int.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "ctl/ask/events/field_find.h"
#include "ctl/ask/expr/expr.h"
#include "ctl/ask/resolve/event.h"
#include "ctl/ask/resolve/programs.h"
#include "ctl/ask/resolve/resolve.h"
#include "ctl/ask/resolve/source.h"
#include "ctl/ask/resolve/vars.h"
#include "ctl/base/device/property.h"
#include "ctl/base/memory.h"
#include "ctl/live/session/session_target.h"

#define DEEPEST		8	/* anonymous structs in each other */

/* What was typed of an expression, and where its variables are looked up. */
struct typed {
	struct offer *o;
	char *text;			/* with the word */
	size_t name;			/* where the name at its end begins */
	int before;			/* bytes of the word in front of this name */
	bool is_open;			/* vars can be used */
	struct target target;
	struct probe_points points;
	struct probe_point nowhere;
	struct vars vars;
};

/* ------------------------------------------------------------------- place */

static bool is_nowhere(const char *address)
{
	return address && !*address;
}

/* Types and global variables are known at no place, too. */
static void open_nowhere(struct typed *t)
{
	if (!session_symbols(t->o->s, NULL))
		return;
	t->target = complete_target(t->o);
	if (!t->target.debug)
		return;
	t->nowhere.name = mem_strdup("");
	vars_init(&t->vars, &t->target, &t->nowhere);
	t->vars.opened = true;
	t->is_open = true;
}

/* Open the variables at the first probe point of that address. */
static void open_point(struct typed *t, const char *address)
{
	const struct target *home = &t->target;
	const char *inside = address;

	if (is_nowhere(address)) {
		open_nowhere(t);
		return;
	}
	/* All that matches a pattern would take too long.  Without an error, nothing is compared for suggestions. */
	if (!address || strpbrk(address, "*?[") || !session_symbols(t->o->s, NULL) || !session_connect(t->o->s, NULL))
		return;
	t->target = complete_target(t->o);
	programs_find(&t->target, address, 0, &home, &inside, NULL);
	t->target = *home;
	if (!t->target.debug)
		return;
	debug_hurry(t->target.debug, true);
	if (!probe_points_resolve(&t->target, inside, &t->points, NULL) || !t->points.n)
		return;
	vars_init(&t->vars, &t->target, &t->points.v[0]);
	vars_open(&t->vars);
	t->is_open = true;
}

static void close_point(struct typed *t)
{
	vars_free(&t->vars);
	probe_points_free(&t->points);
	probe_point_free(&t->nowhere);
	if (t->target.debug)
		debug_hurry(t->target.debug, false);
	free(t->text);
}

/* ---------------------------------------------------------------- the text */

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The length of text without blanks at its end. */
static size_t trimmed(const char *text, size_t len)
{
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	return len;
}

static bool ends_with(const char *text, size_t len, const char *end)
{
	const size_t n = strlen(end);

	return len >= n && !strncmp(text + len - n, end, n);
}

/* Where the innermost parenthesis or bracket around the end of the text opens; NULL: there is none. */
static const char *opening(const char *text, size_t len)
{
	size_t depth = 0;

	for (const char *at = text + len; at-- > text;) {
		if (strchr(")]", *at))
			depth++;
		else if (strchr("([", *at) && !depth--)
			return at;
	}
	return NULL;
}

/* Where the name that ends at text + len begins, with its $ and its module. */
static size_t name_start(const char *text, size_t len)
{
	while (len && (in_name(text[len - 1]) || text[len - 1] == ':' || text[len - 1] == '$'))
		len--;
	return len;
}

/* Where the value begins whose members are asked for behind text + len: `p->q` in `a && p->q`. */
static size_t value_start(const char *text, size_t len)
{
	for (;;) {
		size_t end = trimmed(text, len);
		const bool is_group = end && strchr(")]", text[end - 1]);
		const bool is_index = is_group && text[end - 1] == ']';
		const char *open = is_group ? opening(text, end - 1) : NULL;

		if (is_group && !open)
			return len;
		len = name_start(text, open ? (size_t)(open - text) : end);
		if (is_index && open > text && text + len == open)
			continue;
		end = trimmed(text, len);
		if (ends_with(text, end, "->"))
			len = end - 2;
		else if (ends_with(text, end, "."))
			len = end - 1;
		else
			return len;
	}
}

/* A call such as offsetof(struct file, f_pos) that is not complete. */
struct call {
	char name[16];		/* "": only a parenthesis */
	size_t argument;	/* the number of the one being typed, from 0 on */
	const char *before;	/* the argument before this one */
	size_t before_len;
};

/* The call around the end of the text.  False: it is in no parenthesis. */
static bool call_around(const char *text, size_t len, struct call *out)
{
	const char *open = opening(text, len), *start = open ? open + 1 : NULL;
	size_t name, depth = 0;

	*out = (struct call){ .name = "" };
	if (!open || *open != '(')
		return false;
	name = name_start(text, open - text);
	if (open - text - name < sizeof(out->name))
		memcpy(out->name, text + name, open - text - name);
	for (const char *at = start; at < text + len; at++) {
		depth += *at == '(';
		depth -= *at == ')';
		if (*at != ',' || depth)
			continue;
		out->argument++;
		out->before = start;
		out->before_len = at - start;
		start = at + 1;
	}
	return true;
}

/* Is the member of offsetof() or container_of() being typed?  Its type is the argument before. */
static bool names_member(const struct call *call)
{
	return call->argument && ((!strcmp(call->name, "offsetof") && call->argument == 1) ||
				  (!strcmp(call->name, "container_of") && call->argument == 2));
}

/* Does a type stand there, and nothing else? */
static bool names_type(const struct call *call)
{
	return (!strcmp(call->name, "offsetof") && !call->argument) ||
	       (!strcmp(call->name, "container_of") && call->argument == 1);
}

/* ----------------------------------------------------------------- members */

static void offer_members_of(const struct offer *o, int before, const struct dbindex *ix, uint32_t number,
			     unsigned int depth)
{
	struct type_member member;
	struct type type;

	if (depth > DEEPEST || !type_resolve(ix, number, &type) ||
	    (type.kind != TYPE_STRUCT && type.kind != TYPE_UNION))
		return;
	while (type_next_member(ix, &type, &member)) {
		if (*member.name)
			offer_behind(o, before, member.name);
		else
			offer_members_of(o, before, ix, member.type, depth + 1);
	}
}

/* Offer the members of what the text is, or points at. */
static void offer_members(struct typed *t, const char *text)
{
	const struct expr_names names = { .arch = &arch_native, .tab = t->target.tab, .vars = &t->vars };
	struct error unused;
	struct expr_type type;
	size_t used;
	AUTO_EXPR struct expr *e = expr_parse("", text, &used, &unused);

	if (!e || text[used] || !expr_resolve(e, "", text, &names, &unused) || e->type.shape != SHAPE_COMPOSITE ||
	    e->type.stars > 1)
		return;
	type = e->type;
	if (vars_complete(&t->vars, &type.ix, &type.number))
		offer_members_of(t->o, t->before, type.ix, type.number, 0);
}

/* Behind -> or `.`, whose first byte is at text + end; call: NULL if it is in none. */
static void offer_members_behind(struct typed *t, size_t end, const struct call *call)
{
	const size_t start = value_start(t->text, end);
	AUTO_FREE char *value = mem_strndup(t->text + start, end - start), *member = NULL;

	/* The path of a member begins with the type. */
	if (call && names_member(call))
		member = mem_printf("((%.*s *)0)->%s", (int)call->before_len, call->before, value);
	offer_members(t, member ? member : value);
}

static void offer_first_members(struct typed *t, const struct call *call)
{
	AUTO_FREE char *text = mem_printf("(%.*s *)0", (int)call->before_len, call->before);

	offer_members(t, text);
}

/* ------------------------------------------------------------------- types */

static const struct {
	const char *keyword;
	enum type_kind kind;
} keywords[] = { { "struct", TYPE_STRUCT }, { "union", TYPE_UNION }, { "enum", TYPE_ENUM } };

static void offer_types_in(const struct typed *t, const struct dbindex *ix, enum type_kind kind)
{
	const char *name = t->text + t->name;
	const size_t len = strlen(name);
	struct type type;
	size_t n;
	const uint32_t *all = dbindex_rows(ix, PART_TYPE_NAMES, uint32_t, &n);

	for (size_t i = 0; i < n; i++)
		if (type_read(ix, all[i], &type) && type.kind == kind && *type.name && !strncmp(type.name, name, len))
			offer_behind(t->o, t->before, type.name);
}

static void offer_types(struct typed *t, enum type_kind kind)
{
	struct debug_unit *unit;
	struct error unused;
	const struct dbindex *kernel = t->is_open ? unit_index(&t->target, "", &unit, &unused) : NULL;

	if (t->is_open && t->vars.info.ix && t->vars.info.ix != kernel)
		offer_types_in(t, t->vars.info.ix, kind);
	if (kernel)
		offer_types_in(t, kernel, kind);
}

/* Where a type may begin.  All typedefs would be too many. */
static void offer_any_type(struct typed *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
		offer_behind(t->o, t->before, keywords[i].keyword);
	if (!t->text[t->name])
		return;
	for (size_t i = 0; expr_type_name(i); i++)
		offer_behind(t->o, t->before, expr_type_name(i));
	offer_types(t, TYPE_TYPEDEF);
}

/* Behind `struct` and the like.  False: something else is there. */
static bool offer_tagged(struct typed *t, size_t end)
{
	const size_t start = name_start(t->text, end);

	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++) {
		const size_t len = strlen(keywords[i].keyword);

		if (end - start == len && end < t->name && !strncmp(t->text + start, keywords[i].keyword, len)) {
			offer_types(t, keywords[i].kind);
			return true;
		}
	}
	return false;
}

/* ------------------------------------------------------------------- names */

/* Offer registers and properties behind a $, or with it. */
static void offer_dollars(const struct typed *t, const char *dollar)
{
	const char *name = t->text + t->name;

	for (const struct arch_reg *reg = arch_native.regs; reg->name; reg++) {
		AUTO_FREE char *text = mem_printf("%s%s", dollar, reg->name);

		/* Offer parts of registers only if something is typed. */
		if (reg->bytes == 8 || *name)
			offer_behind(t->o, t->before, text);
	}
	for (size_t i = 0; i < nr_properties; i++) {
		AUTO_FREE char *text = mem_printf("%s%s", dollar, properties[i].name);

		if (property_is_variable(&properties[i]))
			offer_behind(t->o, t->before, text);
	}
}

static void offer_variables(const struct typed *t)
{
	for (const struct scope *scope = t->is_open ? t->vars.inner : NULL; scope; scope = scope->outer)
		for (size_t i = 0; i < scope->nr_vars; i++)
			if (*scope->vars[i].name)
				offer_behind(t->o, t->before, scope->vars[i].name);
}

/* Fields of an event by both names, unless one name has two meanings. */
static void offer_fields(const struct typed *t)
{
	AUTO_FREE char *fields = t->is_open ? fields_at(&t->target, t->vars.point) : NULL;
	const char *rest = fields;
	struct event_field field;

	while (events_field(&rest, &field)) {
		AUTO_FREE char *name = mem_strndup(field.name, field.name_len);
		AUTO_FREE char *in_tracefs = field_in_tracefs(field.expressions);
		const char *other = field_of_tracefs(name);
		enum show show;
		size_t len;

		if (!in_tracefs && !events_is_object(field.expressions, &len, &show))
			offer_behind(t->o, t->before, name);
		if (other)
			offer_behind(t->o, t->before, other);
		free(field.expressions);
	}
}

static void offer_fixed(const struct typed *t, const char *address)
{
	AUTO_FREE char *returning = address ? source_returning(address) : NULL;
	static const char *const fixed[] = {
		"current", "sizeof(", "offsetof(", "container_of(", "this_cpu(", "per_cpu(",
	};

	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		offer_behind(t->o, t->before, fixed[i]);
	if (!returning)
		return;
	offer_behind(t->o, t->before, "RETVAL");
	offer_behind(t->o, t->before, "ELAPSED");
}

static bool offer_data(const struct sym *sym, void *arg)
{
	const struct typed *t = arg;

	if (!sym_is_text(sym))
		offer_behind(t->o, t->before, sym->name);
	return true;
}

/* Global variables: a list of all helps no user. */
static void offer_globals(struct typed *t)
{
	if (t->text[t->name] && session_symbols(t->o->s, NULL))
		symtab_complete(t->o->s->tab, t->text + t->name, offer_data, t);
}

struct counted {
	const struct offer *o;
	size_t n;
};

static void count_one(const char *word, void *arg)
{
	struct counted *counted = arg;

	counted->n++;
	counted->o->each(word, counted->o->arg);
}

/* What is in scope; only where nothing of it matches, global variables.  Nowhere they come first, with all types. */
static void offer_names(struct typed *t, const char *address, bool type_fits)
{
	struct offer *o = t->o, copy = *o;
	struct counted counted = { o, 0 };

	copy.each = count_one;
	copy.arg = &counted;
	t->o = &copy;
	offer_variables(t);
	offer_fields(t);
	offer_fixed(t, address);
	if (is_nowhere(address) && t->text[t->name])
		offer_types(t, TYPE_STRUCT);
	if (type_fits || is_nowhere(address))
		offer_any_type(t);
	if (!t->text[t->name])
		offer_dollars(t, "$");
	if (!counted.n || is_nowhere(address))
		offer_globals(t);
	t->o = o;
}

/* ---------------------------------------------------------------- dispatch */

static void offer_at_name(struct typed *t, const char *address)
{
	struct call call;
	const bool is_call = call_around(t->text, t->name, &call);
	const size_t end = trimmed(t->text, t->name);

	if (ends_with(t->text, end, "->"))
		offer_members_behind(t, end - 2, is_call ? &call : NULL);
	else if (ends_with(t->text, end, "."))
		offer_members_behind(t, end - 1, is_call ? &call : NULL);
	else if (ends_with(t->text, end, "$"))
		offer_dollars(t, "");
	else if (offer_tagged(t, end))
		return;
	else if (is_call && names_member(&call))
		offer_first_members(t, &call);
	else if (is_call && names_type(&call))
		offer_any_type(t);
	else if (is_call && ends_with(call.name, strlen(call.name), "_cpu") && !call.argument)
		offer_globals(t);
	else
		offer_names(t, address, end && t->text[end - 1] == '(');
}

void offer_expression(const struct offer *o, const char *address, const char *before)
{
	struct offer own = *o;
	struct typed t = { .o = &own };

	t.text = mem_printf("%s%s%s", before, *before ? " " : "", o->word);
	t.name = expr_last_name(t.text) - t.text;
	t.before = strlen(o->word) - strlen(t.text + t.name);
	open_point(&t, address);
	offer_at_name(&t, address);
	close_point(&t);
}
