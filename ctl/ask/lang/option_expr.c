// SPDX-License-Identifier: GPL-2.0-or-later
/* option_expr.c - the options of a tracepoint that take expressions, and those of calls.  See option_encode.h. */
#include "ctl/ask/lang/option_encode.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "ctl/ask/expr/expr_known.h"
#include "ctl/ask/lang/aggregate.h"
#include "ctl/ask/lang/args.h"
#include "ctl/ask/resolve/vars.h"
#include "ctl/base/memory.h"

static struct expr *resolved(struct compiler *c, row_t *row, const char *arg,
			     const struct symtab *tab, size_t *used, struct error *err)
{
	const struct expr_names names = { .arch = c->arch, .tab = tab, .vars = c->vars, .takes_slice = row->encode == encode_var };

	return expr_resolved(row->name, arg, used, &names, err);
}

/* Copy text without blanks at its end. */
static char *trimmed(const char *text, size_t len)
{
	while (len && text[len - 1] == ' ')
		len--;
	return mem_strndup(text, len);
}

/*
 * The length of the expression in `file->f_flags:x`; *show says how it is shown.  A symbol of a module may look the same
 * (`module:x`): it is not that.
 */
static size_t without_show(const char *arg, enum show *show)
{
	const char *colon = strrchr(arg, ':');

	*show = SHOW_BY_TYPE;
	if (colon && colon > arg && !isspace((unsigned char)colon[-1]) && show_named(colon + 1, strcspn(colon + 1, "("), show))
		return colon - arg;
	return strlen(arg);
}

/* What stands in the parentheses of `:flags(gfp_t)`. */
static char *flags_arg(const char *arg)
{
	const char *from = strchr(strrchr(arg, ':'), '(');

	return from ? mem_strndup(from + 1, strcspn(from + 1, ")")) : mem_strdup("");
}

/* The bits of a floating-point number have these forms, as a whole number. */
static bool take_bits(struct field *field, enum show show)
{
	if (show != SHOW_HEX && show != SHOW_OCTAL && show != SHOW_BINARY)
		return false;
	field->kind = FIELD_INT;
	field->is_signed = false;
	return true;
}

/* Show the value that was compiled last, or each of a slice, in another form. */
static bool show_as(struct compiler *c, row_t *row, const char *arg, enum show show, size_t first, bool is_slice,
		    struct error *err)
{
	AUTO_FREE char *flags = flags_arg(arg), *what = mem_printf("%s %s", row->name, arg);

	for (size_t i = first; i < c->desc->nr_fields; i++) {
		struct field *field = &c->desc->fields[i];

		if (field->kind == FIELD_FLOAT && !take_bits(field, show))
			return error_set(err, STATUS_USAGE, "%s: of a floating-point number, only the bits have another form: :x, :o or :b", what);
		if ((i > first && !is_slice) || (field->kind != FIELD_INT && field->kind != FIELD_POINTER))
			return error_set(err, STATUS_USAGE, "%s %s: only a number can be shown so: name a member, or cast it",
					 row->name, arg);
		field->show = show;
		if (show == SHOW_FLAGS && field->kind == FIELD_POINTER)
			return error_set(err, STATUS_USAGE, "%s: a pointer has no flags: cast it, as in (u64)x:flags(...)", what);
		if (show == SHOW_FLAGS && !compile_flags(c, field, flags, what, err))
			return false;
	}
	return true;
}

/* Eight bytes that may be an address. */
static bool is_address(struct expr_type type)
{
	return expr_bytes(type) == 8 && !expr_is_float(type);
}

/* `:s`: an array or a slice of bytes is taken as characters. */
static bool take_text(struct expr *e)
{
	const bool is_array = e->type.slice || (e->type.shape == SHAPE_ARRAY && !e->type.stars);
	const struct expr_type element = is_array ? expr_element(e->type) : e->type;

	if (!is_array)
		return is_address(e->type);
	e->type.is_char = true;
	e->type.is_byte = false;
	return e->kind == EXPR_LOAD && !element.stars && element.shape == SHAPE_NUMBER && expr_bytes(element) == 1;
}

/* `:p`: a number of eight bytes, or each of a slice, is taken as a pointer. */
static bool take_pointer(struct expr *e)
{
	if (!is_address(e->type))
		return false;
	e->type = (struct expr_type){ .stars = 1, .slice = e->type.slice };
	return true;
}

/* The form of a number is that of each element of a slice. */
static void take_numbers(struct expr *e)
{
	if (e->type.slice)
		e->type.is_char = e->type.is_byte = false;
}

/* Take the expression as the form asks for it. */
static bool take_as(struct expr *e, enum show show, const char *what, struct error *err)
{
	if (show == SHOW_TEXT && !take_text(e))
		return error_set(err, STATUS_USAGE, "%s: this is no text: it needs a pointer to it, or an array of bytes", what);
	if (show == SHOW_POINTER && !take_pointer(e))
		return error_set(err, STATUS_USAGE, "%s: a pointer has 8 bytes: cast it, as in (u64)x:p", what);
	if (show_is_of_number(show))
		take_numbers(e);
	return true;
}

/* Record e, which has the form SHOW_TEXT or is shown by its type. */
static bool compile_var(struct compiler *c, const char *name, bool has_label, const struct expr *e, enum show show,
			struct error *err)
{
	const bool is_array = e->type.slice || e->type.shape == SHAPE_ARRAY;

	if (show == SHOW_TEXT && (e->type.stars || !is_array))
		return has_label ? compile_chars(c, name, e, COMPILE_STR_BYTES, err) :
				   compile_string(c, name, e, COMPILE_STR_BYTES, err);
	return has_label ? compile_labelled(c, name, e, err) : compile_value(c, name, e, err);
}

bool encode_var(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
		       struct error *err)
{
	const size_t label = expr_label(arg), first = c->desc->nr_fields;
	enum show show;
	AUTO_FREE char *text = mem_strndup(arg, without_show(arg, &show)), *name = mem_strndup(arg, label);
	AUTO_FREE char *what = mem_join(row->name, " ", arg, NULL);
	size_t used;
	AUTO_EXPR struct expr *e = resolved(c, row, expr_labelled(text, label), tab, &used, err);

	if (!e || !take_as(e, show, what, err))
		return false;
	if (show == SHOW_IP && compile_is_ip6(e))
		show = SHOW_IP6;
	if (show_is_of_object(show))
		return compile_object(c, label ? name : text, e, show, what, err);
	if (show_is_of_bytes(show))
		return compile_bytes(c, label ? name : text, e, show, what, err);
	/* Its elements are a[2], a[3] and so on. */
	if (e->type.slice && text[strlen(text) - 1] == ']' && !compile_is_row(e))
		*strrchr(text, '[') = '\0';
	if (!compile_var(c, label ? name : text, label, e, show, err))
		return false;
	return !show_is_of_number(show) || show_as(c, row, arg, show, first, e->type.slice, err);
}

static bool string_bytes(row_t *row, const char *arg, const char *text, uint16_t *out,
			 struct error *err)
{
	uint64_t bytes = COMPILE_STR_BYTES;

	if (*text == ':' && (!option_count(row, text + 1, COMPILE_MOST_STR, &bytes, err) || !bytes))
		return error_set(err, STATUS_USAGE, "%s %s: the length of the string must be from 1 to %d, not '%s'",
				 row->name, arg, COMPILE_MOST_STR, text + 1);
	*out = bytes;
	return true;
}

bool encode_str(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
		       struct error *err)
{
	const size_t label = expr_label(arg);
	const char *text = expr_labelled(arg, label);
	size_t used;
	AUTO_EXPR struct expr *e = resolved(c, row, text, tab, &used, err);
	AUTO_FREE char *name = !e ? NULL : label ? mem_strndup(arg, label) : trimmed(text, used);
	const struct expr_names names = { .arch = c->arch, .vars = c->vars };
	struct expr_contents contents;
	uint16_t bytes = 0;

	if (!e || !string_bytes(row, arg, text + used, &bytes, err))
		return false;
	if (expr_contents(e, &names, &contents)) {
		const bool is_text = contents.kind == CONTENTS_TEXT;
		const bool ok = is_text && compile_contents_text(c, name, e, &contents, bytes, err);

		expr_contents_free(&contents);
		if (is_text)
			return ok;
	}
	if (e->type.shape == SHAPE_ARRAY && !e->type.stars && e->kind == EXPR_LOAD)
		return compile_chars(c, name, e->a, bytes, err);
	if (!is_address(e->type))
		return error_set(err, STATUS_USAGE, "%s %s: the expression is not a pointer: a string needs one",
				 row->name, arg);
	return label ? compile_chars(c, name, e, bytes, err) : compile_string(c, name, e, bytes, err);
}

bool encode_args(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
			struct error *err)
{
	return args_compile(c, row->name, tab, err);
}

bool encode_retval(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
			  struct error *err)
{
	size_t used;
	AUTO_EXPR struct expr *e = NULL;

	/*
	 * If the function ends with a tail jump here, the value is known at the returns of the function jumped
	 * to.
	 */
	if (c->vars && c->vars->insn && c->vars->insn->is_jump && !c->vars->insn->is_return)
		return compile_absent(c, "retval", "?", err);
	e = resolved(c, row, row->name, tab, &used, err);
	return e && compile_value(c, "retval", e, err);
}

bool encode_if(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
		      struct error *err)
{
	size_t used;
	AUTO_EXPR struct expr *e = resolved(c, row, arg, tab, &used, err);

	if (e && expr_is_float(e->type))
		return error_set(err, STATUS_USAGE, "IF %s: this is a floating-point number, which can be recorded by VAR, but not compared", arg);
	return e && compile_if(c, e, err);
}

static bool only_at_return(const struct option_row *row, struct error *err)
{
	return error_set(err, STATUS_USAGE, "%s: known only where a function returns: trace vfs_write%%return %s",
			 row->name, row->arg == ARG_NONE ? row->name : "ENTRY count");
}

bool encode_elapsed(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
			   struct error *err)
{
	return c->closes ? compile_elapsed(c, err) : only_at_return(row, err);
}

/* compile_entry() uses the items that were resolved at the entry. */
bool encode_entry(struct compiler *c, row_t *row, const char *arg, const struct symtab *tab,
			 struct error *err)
{
	return c->entry ? compile_entry(c, err) : only_at_return(row, err);
}

bool option_is_entry(const struct option_row *option)
{
	return option->encode == encode_entry;
}

bool option_needs_entry(const struct option_row *option, const char *arg)
{
	return option->encode == encode_entry || option->encode == encode_elapsed ||
	       (option->encode == encode_if && strstr(arg, "ELAPSED")) ||
	       (option->encode == aggregate_encode_kind && arg && !strncmp(arg, "ELAPSED", 7));
}

/* The end of `(gfp_t)` behind `:flags`.  NULL: there are no parentheses. */
static const char *flags_end(const char *text)
{
	const char *end = *text == '(' ? strchr(text, ')') : NULL;

	return end ? end + 1 : NULL;
}

/* `count:flags` could be a symbol of a module: with parentheses it is not. */
static bool ends_with_flags(const char *text, size_t used)
{
	static const char flags[] = ":flags";
	const size_t len = strlen(flags);

	return used > len && !strncmp(text + used - len, flags, len) && text[used] == '(';
}

/* Behind the expression of VAR: `:x`.  *used grows by it. */
static bool show_length(const struct option_row *option, const char *text, size_t *used, struct error *err)
{
	char names[SHOW_NAMES_SIZE];
	const char *word, *end;
	enum show show;
	size_t len = 0;

	if (ends_with_flags(text, *used) && (end = flags_end(text + *used)))
		*used = end - text;
	if (text[*used] != ':')
		return true;
	word = text + *used + 1;
	while (isalnum((unsigned char)word[len]))
		len++;
	if (!show_named(word, len, &show))
		return error_set(err, STATUS_USAGE, "%s %.*s: unknown form '%.*s': a value is shown as %s", option->name,
				 (int)*used, text, (int)len, word, show_names(names));
	end = show == SHOW_FLAGS ? flags_end(word + len) : NULL;
	if (show == SHOW_FLAGS && !end)
		return error_set(err, STATUS_USAGE, "%s %.*s: :flags needs a type with names, or names: :flags(gfp_t), :flags(READ,WRITE)",
				 option->name, (int)*used, text);
	*used += 1 + (end ? end - word : (ptrdiff_t)len);
	return true;
}

/* `STR $REGISTER:100`, `VAR file->f_flags:x`: a length or a form may follow the expression. */
bool option_expression_length(const struct option_row *option, const char *text, size_t *used,
			      struct error *err)
{
	const bool has_label = option->encode == encode_var || option->encode == encode_str || option->encode == encode_entry;
	const char *start = expr_labelled(text, has_label ? expr_label(text) : 0);
	AUTO_EXPR struct expr *e = expr_parse(option->name, start, used, err);

	if (!e)
		return false;
	*used += start - text;
	if (option->encode == encode_str && text[*used] == ':')
		*used += 1 + strspn(text + *used + 1, "0123456789");
	return !has_label || option->encode == encode_str || show_length(option, text, used, err);
}
