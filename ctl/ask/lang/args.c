// SPDX-License-Identifier: GPL-2.0-or-later
/* args.c - the option ARGS.  See args.h. */
#include "ctl/ask/lang/args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/events/markers.h"
#include "ctl/ask/expr/expr_int.h"
#include "ctl/ask/expr/expr_known.h"
#include "ctl/ask/lang/option.h"
#include "ctl/ask/resolve/event.h"
#include "ctl/ask/resolve/programs.h"
#include "ctl/ask/resolve/vars.h"
#include "ctl/base/memory.h"

/* -------------------------------------------------------------- parameters */

/* From 1. */
static size_t parameter_number(const struct scope *scope, const struct var *var)
{
	size_t n = 1;

	for (size_t i = 0; i < scope->nr_vars && &scope->vars[i] != var; i++)
		n += scope->vars[i].flags & VAR_PARAMETER;
	return n;
}

/* Record an argument, one without a name as arg2; where it has no value, each record shows "?". */
static bool compile_arg(struct compiler *c, const struct scope *scope, const struct var *var, const char *what,
			const struct expr_names *names, struct error *err)
{
	struct error unused;
	AUTO_EXPR struct expr *e = expr_variable(scope, var, what, names, &unused);
	AUTO_FREE char *number = mem_printf("arg%zu", parameter_number(scope, var));
	const char *name = *var->name ? var->name : number;

	return e ? compile_value(c, name, e, err) : compile_absent(c, name, "?", err);
}

/* With BTF alone, parameters are known only at the entry: refuse elsewhere. */
static bool only_at_entry(const struct vars *vars, const struct scope *function, const char *what, struct error *err)
{
	char hint[256];

	if (!function || vars->info.offset == function->entry || !vars_lack(vars, hint, sizeof(hint)))
		return false;
	error_set(err, STATUS_FAILURE, "%s: parameters are known at the entry of %s only: BTF does not tell where they go from there: %s",
		  what, function->name, hint);
	return true;
}

static bool compile_parameters(struct compiler *c, const char *what, const struct symtab *tab, struct error *err)
{
	const struct expr_names names = { .arch = c->arch, .tab = tab, .vars = c->vars };
	const struct scope *function = vars_function(c->vars);
	bool ok = true;

	if (only_at_entry(c->vars, function, what, err))
		return false;
	for (size_t i = 0; ok && function && i < function->nr_vars; i++)
		if (function->vars[i].flags & VAR_PARAMETER &&
		    !(c->vars->point->is_event && !i))	/* the first argument of an event is internal */
			ok = compile_arg(c, function, &function->vars[i], what, &names, err);
	return ok && (function || error_set(err, STATUS_FAILURE, "%s: %s", what, c->vars->why.text));
}

/* ------------------------------------------------------------------ fields */

/* A text has a length behind its expression. */
static bool has_length(const char *text)
{
	const char *colon = strrchr(text, ':');

	return colon && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1) && colon > text && colon[-1] == ' ';
}

static struct expr_names names_in_row(struct vars *vars, const struct symtab *tab)
{
	return (struct expr_names){ .arch = vars->target->arch, .tab = tab, .vars = vars, .in_row = true };
}

/* Is the expression all of the text, or all but its form or length? */
static bool is_whole(const char *text, size_t used)
{
	return !text[used] || text[used] == ':';
}

static struct expr *evaluated(const char *with_form, struct vars *vars, const struct symtab *tab)
{
	const struct expr_names names = names_in_row(vars, tab);
	enum show show;
	size_t used, len;
	AUTO_FREE char *text = mem_strndup(with_form, events_is_object(with_form, &len, &show) ? len : strlen(with_form));
	struct expr *e = expr_resolved("", text, &used, &names, NULL);

	if (e && is_whole(text, used))
		return e;
	expr_free(e);
	return NULL;
}

static bool can_evaluate(const char *text, struct vars *vars, const struct symtab *tab)
{
	const struct expr_names names = names_in_row(vars, tab);
	AUTO_EXPR struct expr *e = NULL;
	size_t used;

	if (expr_is_known(text, &names, &used))
		return is_whole(text, used);
	e = evaluated(text, vars, tab);
	return e;
}

const char *args_type(const char *expression, struct vars *vars, const struct symtab *tab, char *buf, size_t size)
{
	AUTO_EXPR struct expr *e = evaluated(expression, vars, tab);
	const unsigned int bits = e ? 8 * expr_bytes(e->type) : 0;
	enum show show;
	size_t len;

	buf[0] = '\0';
	if (e && events_is_object(expression, &len, &show))
		snprintf(buf, size, "%s", show_name(show));
	else if (e && !e->type.ix && expr_is_float(e->type))
		snprintf(buf, size, "%s", bits == 32 ? "float" : "double");
	else if (e && !e->type.ix && !e->type.stars)
		snprintf(buf, size, "%c%u", expr_is_signed(e->type) ? 's' : 'u', bits);
	else if (e)
		expr_spell(e->type, buf, size);
	return buf;
}

char *args_field(const struct event_field *field, struct vars *vars, const struct symtab *tab, bool *is_text)
{
	AUTO_FREE char *name = mem_strndup(field->name, field->name_len);
	const char *rest = field->expressions;
	char *text, *found = NULL;

	while (!found && (text = events_alternative(&rest))) {
		*is_text = has_length(text);
		if (can_evaluate(text, vars, tab))
			found = mem_join(name, " = ", text, NULL);
		free(text);
	}
	return found;
}

static bool compile_field(struct compiler *c, const struct event_field *field, const struct symtab *tab,
			  struct error *err)
{
	AUTO_FREE char *name = mem_strndup(field->name, field->name_len);
	bool is_text;
	AUTO_FREE char *text = args_field(field, c->vars, tab, &is_text);
	const struct option_row *option = option_find(is_text ? "STR" : "VAR");
	enum show show;
	size_t len;

	if (!c->desc->is_packed && events_is_object(field->expressions, &len, &show))
		return true;
	return text ? option->encode(c, option, text, tab, err) : compile_absent(c, name, "?", err);
}

static bool compile_fields(struct compiler *c, const char *fields, const struct symtab *tab, struct error *err)
{
	struct event_field field;
	bool ok = true;

	while (ok && events_field(&fields, &field)) {
		ok = compile_field(c, &field, tab, err);
		free(field.expressions);
	}
	return ok;
}

/* One that is nowhere has its number, too. */
static bool compile_marker(struct compiler *c, const struct program_marker *marker, const struct symtab *tab, struct error *err)
{
	bool ok = true;

	for (size_t i = 0; ok && i < marker->nr_args; i++) {
		AUTO_FREE char *name = mem_printf("arg%zu", i + 1), *expression = marker_expression(&marker->args[i]);
		const struct event_field field = { .name = name, .name_len = strlen(name), .expressions = expression };

		ok = expression ? compile_field(c, &field, tab, err) : compile_absent(c, name, "?", err);
	}
	return ok;
}

bool args_compile(struct compiler *c, const char *what, const struct symtab *tab, struct error *err)
{
	const struct program_marker *marker = c->vars ? marker_at(c->vars->target, c->vars->point->addr) : NULL;
	AUTO_FREE char *fields = c->vars && !marker ? event_fields(c->vars->point) : NULL;

	/* They need no debug information. */
	if (marker)
		return compile_marker(c, marker, tab, err);
	if (!c->vars || !vars_open(c->vars))
		return error_set(err, STATUS_FAILURE, "%s: the parameters are not known: %s", what,
				 c->vars ? c->vars->why.text : "there is no debug information");
	return fields ? compile_fields(c, fields, tab, err) : compile_parameters(c, what, tab, err);
}
