// SPDX-License-Identifier: GPL-2.0-or-later
/* expr_name.c - resolve names: variables, symbols, constants.  See expr_int.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/events/field_find.h"
#include "ctl/ask/events/value_names.h"
#include "ctl/ask/expr/expr_int.h"
#include "ctl/ask/resolve/address.h"
#include "ctl/ask/resolve/event.h"
#include "ctl/ask/resolve/flag_table.h"
#include "ctl/ask/resolve/programs.h"
#include "ctl/base/memory.h"
#include "ctl/base/suggestion.h"
#include "symbols/query/program.h"

/* ------------------------------------------------------------------- names */

/* Is it a name with its namespaces, as in C++ and Rust: `app::depth`? */
static bool is_qualified(const char *name)
{
	return strstr(name, "::");
}

static bool is_of_thread(struct resolver *r, struct expr *e)
{
	return FAIL(r, e, "'%s' is thread-local: each thread has its own, and ktrace does not know where: trace an instruction behind the one that loads it, and record the register ('explain' shows the instructions)",
		    e->name);
}

/* Report an unknown name, where nothing better can be suggested. */
static bool no_symbol(struct resolver *r, struct expr *e, const struct error *why)
{
	char hint[256];

	if (r->vars && vars_is_thread_local(r->vars, e->name))
		return is_of_thread(r, e);
	if (is_qualified(e->name))
		return FAIL(r, e, "%s", why->text);
	if (r->vars && r->tab && vars_knows(r->vars, e->name))
		return FAIL(r, e, "'%s' is a variable, but its address is unknown: %s does not list it", e->name,
			    r->vars->target->program ? "the symbol table of the program" : "this kernel");
	if (r->vars && !vars_open(r->vars))
		return FAIL(r, e, "%s (variables are not known: %s)", why->text, r->vars->why.text);
	if (r->vars && vars_lack(r->vars, hint, sizeof(hint)))
		return FAIL(r, e, "there is no parameter or symbol '%s', and BTF has no local variables: %s", e->name,
			    hint);
	return FAIL(r, e, "%s", why->text);
}

static void offer_locals(struct suggestions *similar, const struct scope *scope)
{
	for (; scope; scope = scope->outer)
		for (size_t i = 0; i < scope->nr_vars; i++)
			suggestion_offer(similar, scope->vars[i].name);
}

/* Has the message a suggestion already? */
static bool is_suggestion(const struct error *why)
{
	return strstr(why->text, "did you mean");
}

/* An argument of a marker that is nowhere, or that it does not have.  False without an error: the name is none of these. */
static bool is_no_argument(struct resolver *r, struct expr *e)
{
	const struct program_marker *marker = r->vars ? marker_at(r->vars->target, r->vars->point->addr) : NULL;
	unsigned int n;
	int end = 0;

	if (!marker || sscanf(e->name, "arg%u%n", &n, &end) != 1 || e->name[end] || !n)
		return false;
	if (n > marker->nr_args)
		FAIL(r, e, "the marker has no argument %u but %zu of them", n, marker->nr_args);
	else
		FAIL(r, e, "'%s' cannot be read: %s", e->name, marker->args[n - 1].why ? marker->args[n - 1].why : "its type is not known");
	return true;
}

/* Report a name that is neither a variable nor a symbol, and suggest local variables. */
static bool no_name(struct resolver *r, struct expr *e, const struct error *why)
{
	struct suggestions similar = { .word = e->name };
	char buf[256];

	if (is_no_argument(r, e) || dollar_is_name(r, e) || dollar_is_missing(r, e))
		return false;
	if ((r->vars && vars_is_thread_local(r->vars, e->name)) || is_qualified(e->name))
		return no_symbol(r, e, why);
	if (r->vars && vars_open(r->vars))
		offer_locals(&similar, r->vars->inner);
	if (!similar.n && (!r->vars || !vars_open(r->vars) || !r->vars->scope || is_suggestion(why) ||
			   vars_lack(r->vars, buf, sizeof(buf))))
		return no_symbol(r, e, why);
	if (!similar.n && strspn(e->name, "0123456789abcdefABCDEF") == strlen(e->name))
		return FAIL(r, e, "'%s' is neither a variable nor a symbol: the number is 0x%s", e->name, e->name);
	if (!similar.n)
		return FAIL(r, e, "'%s' is neither a variable at %s nor a symbol: 'explain %s' shows the variables",
			    e->name, r->vars->point->name, r->vars->point->name);
	return FAIL(r, e, "there is no variable '%s' at %s: %s", e->name, r->vars->point->name,
		    suggestion_say(similar.names, similar.n, "", buf, sizeof(buf)));
}

/* Words of C and C++ that no debug information has. */
static bool word_named(const char *name, int64_t *value)
{
	static const struct { const char *name; int64_t value; } words[] = { { "NULL", 0 }, { "nullptr", 0 }, { "false", 0 }, { "true", 1 } };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].name, name)) {
			*value = words[i].value;
			return true;
		}
	return false;
}

/*
 * An enumerator of any enum; a name of the C library: ENOENT, O_DIRECT; a flag of the kernel's tables: GFP_ATOMIC.  why->text
 * is "" where it is none of them.
 */
static bool find_constant(struct resolver *r, const char *name, int64_t *value, struct error *why)
{
	uint64_t mask;
	int32_t number;

	if (r->vars && vars_constant(r->vars, name, value))
		return true;
	if (word_named(name, value))
		return true;
	if (value_named(name, &number)) {
		*value = number;
		return true;
	}
	if (!r->vars || r->vars->target->program || !flag_table_named(r->vars->target, name, &mask, why))
		return false;
	*value = (int64_t)mask;
	return true;
}

static bool resolve_constant(struct resolver *r, struct expr *e, struct error *why)
{
	int64_t value;

	if (!find_constant(r, e->name, &value, why))
		return false;
	e->kind = EXPR_NUMBER;
	e->value = value;
	e->type = value == (int32_t)value ? EXPR_INT : EXPR_LONG;
	return true;
}

/* Find the variable or function that has the name `app::depth` in the sources of the program. */
static bool find_qualified(const struct resolver *r, const char *name, struct address *out, struct error *why)
{
	struct program *program = r->vars ? r->vars->target->program : NULL;
	const struct program_function *function;
	struct debug_error unused;
	size_t n;

	if (!program)
		return error_set(why, STATUS_USAGE, "there is no '%s': names with :: are those of C++ and Rust programs", name);
	n = program_variables(program, name, &out->sym, 1);
	if (!n && program_named(program, name, &function, 1, &unused) == 1) {
		out->sym = symtab_by_addr(r->tab, function->addr);
		n = out->sym != NULL;
	}
	if (!n)
		return error_set(why, STATUS_USAGE, "there is no variable '%s': 'nm -C %s' shows all names", name, program_path(program));
	out->value = out->sym->addr;
	return n == 1 || error_set(why, STATUS_USAGE, "%zu variables are called '%s': write the outer namespaces, too", n, name);
}

static bool look_up(const struct resolver *r, const char *name, struct address *out, struct error *why)
{
	if (is_qualified(name))
		return find_qualified(r, name, out, why);
	if (address_parse(r->tab, name, ADDRESS_ANY, out, why) && out->sym)
		return true;
	if (!r->tab || out->sym)
		snprintf(why->text, sizeof(why->text), "no symbols are known");
	else if (!*why->text)	/* it reads as a number, as addresses are written */
		snprintf(why->text, sizeof(why->text), "unknown symbol '%s': the number is 0x%s", name, name);
	return false;
}

/* The same without a reason, which takes long to find. */
static bool is_symbol(const struct resolver *r, const char *name, struct address *out)
{
	if (is_qualified(name))
		return find_qualified(r, name, out, NULL);
	return address_parse(r->tab, name, ADDRESS_ANY, out, NULL) && out->sym;
}

static bool is_variable(struct resolver *r, const char *name)
{
	const struct scope *scope;

	return r->vars && vars_local(r->vars, name, &scope);
}

/* The parser took `a.b.c` as one name, because symbols have such names; a is a variable. */
static struct expr *split_member(struct expr *e, char *dot)
{
	struct expr *base = mem_zalloc(1, sizeof(*base)), *member;

	*dot = '\0';
	*base = (struct expr){ .kind = EXPR_NAME, .at = e->at, .name = mem_strdup(e->name) };
	for (char *name = dot + 1, *end; name; name = end ? end + 1 : NULL) {
		end = strchr(name, '.');
		member = mem_zalloc(1, sizeof(*member));
		*member = (struct expr){ .kind = EXPR_MEMBER, .at = e->at + (name - 1 - e->name), .a = base,
					 .name = mem_strndup(name, end ? (size_t)(end - name) : strlen(name)) };
		base = member;
	}
	return base;
}

static bool resolve_local(struct resolver *r, struct expr *e)
{
	const struct scope *scope;
	const struct var *var = vars_local(r->vars, e->name, &scope);
	struct location where;
	struct expr *found;
	struct error why;

	if (!vars_where(r->vars, scope, var, &where, &why)) {
		FAIL(r, e, "%s", why.text);
		if (r->err)
			r->err->status = why.status;
		return false;
	}
	found = value_of_variable(r, e->at, &where, expr_type_of(r->vars->info.ix, var->type));
	if (found)
		expr_become(e, found);
	return found;
}

static bool resolve_global(struct resolver *r, struct expr *e, const struct sym *sym)
{
	struct var_global global;
	struct expr_type type;

	if (!r->vars || !vars_global(r->vars, e->name, sym, &global))
		return false;
	type = expr_type_of(global.ix, global.type);
	expr_become(e, expr_at(value_of_address(r, global.addr, e->at), type));
	return true;
}

/* ------------------------------------------------------------------ fields */

/*
 * A field that ARGS records there.  Parameters of an event and variables at a marker come first; those of a system call's function
 * are not its arguments.  The caller frees out->expressions.
 */
static bool find_field(struct resolver *r, const char *name, struct event_field *out)
{
	const struct probe_point *point = r->vars && !r->in_row ? r->vars->point : NULL;
	AUTO_FREE char *fields = point ? fields_at(r->vars->target, point) : NULL;
	const bool has_variables = point && (point->is_event || r->vars->target->program);

	return fields && !(has_variables && is_variable(r, name)) && field_find(fields, name, out);
}

static bool is_field(struct resolver *r, const char *name)
{
	struct event_field field;
	const bool is = find_field(r, name, &field);

	if (is)
		free(field.expressions);
	return is;
}

/* The value of one alternative of a field.  NULL: it cannot be evaluated here. */
static struct expr *field_value(struct resolver *r, const char *text, size_t at)
{
	struct resolver inside = { .what = r->what, .text = text, .arch = r->arch, .tab = r->tab, .vars = r->vars,
				   .in_row = true };
	size_t used;
	struct expr *e = expr_parse(r->what, text, &used, NULL);

	if (e && expr_resolve_part(&inside, e)) {
		e->at = at;
		return e;
	}
	expr_free(e);
	return NULL;
}

static bool other_in_tracefs(struct resolver *r, struct expr *e, const char *text, const char *in_tracefs)
{
	return FAIL(r, e, "'%s' has one value in tracefs and another in the records of ARGS: write %s or %s", e->name, in_tracefs, text);
}

static bool no_field(struct resolver *r, struct expr *e)
{
	return FAIL(r, e, "the value of the field '%s' cannot be found: %s", e->name,
		    !vars_open(r->vars) ? r->vars->why.text :
		    r->vars->target->program ? "the program does not have it" : "this kernel does not have it");
}

/* A name that has two meanings is refused. */
static bool resolve_field(struct resolver *r, struct expr *e, const char *alternatives)
{
	struct expr *found = NULL;
	char *text;

	while (!found && (text = events_alternative(&alternatives))) {
		AUTO_FREE char *own = text, *in_tracefs = field_in_tracefs(text);

		found = field_value(r, own, e->at);
		if (found && in_tracefs) {
			expr_free(found);
			return other_in_tracefs(r, e, own, in_tracefs);
		}
	}
	if (!found)
		return no_field(r, e);
	expr_become(e, found);
	return true;
}

/* ------------------------------------------------------------------- words */

/* RETVAL at an exit of a function. */
static bool resolve_result(struct resolver *r, struct expr *e)
{
	struct expr *found = expr_result(r, e->at);

	if (found)
		expr_become(e, found);
	return found;
}

/* ELAPSED at an exit of a function. */
static bool resolve_elapsed(struct resolver *r, struct expr *e)
{
	if (strcmp(r->what, "IF"))
		return FAIL(r, e, "ELAPSED is an option of its own, and may be used in IF");
	if (!r->vars || !r->vars->closes)
		return FAIL(r, e, "the time is known where the function returns: trace it at %%return");
	e->kind = EXPR_ELAPSED;
	e->type = (struct expr_type){ .bytes = 8, .is_time = true };
	return true;
}

static const struct {
	const char *name;
	bool (*resolve)(struct resolver *r, struct expr *e);
} words[] = { { "RETVAL", resolve_result }, { "ELAPSED", resolve_elapsed } };

bool expr_is_word(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].name, name))
			return true;
	return false;
}

/* The innermost local variable; else a global variable or a function.  A function is its address. */
bool name_resolve(struct resolver *r, struct expr *e)
{
	struct address address = { 0 };
	struct error why = { .text = "" };
	char *dot = strchr(e->name, '.');
	struct event_field field;
	bool known;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].name, e->name))
			return words[i].resolve(r, e);
	if (find_field(r, e->name, &field)) {
		known = resolve_field(r, e, field.expressions);
		free(field.expressions);
		return known;
	}
	if (is_variable(r, e->name))
		return resolve_local(r, e);
	known = is_symbol(r, e->name, &address);
	if (!known && dot) {
		expr_become(e, split_member(e, dot));
		return expr_resolve_part(r, e);
	}
	if (known && sym_is_text(address.sym)) {
		expr_become(e, value_of_address(r, address.value, e->at));
		e->type = EXPR_POINTER;
		return true;
	}
	if (resolve_global(r, e, known ? address.sym : NULL))
		return true;
	if (!known && resolve_constant(r, e, &why))
		return true;
	if (!known && !r->err)
		return false;
	if (!known && *why.text)
		return FAIL(r, e, "%s", why.text);
	if (!known) {
		look_up(r, e->name, &address, &why);
		return no_name(r, e, &why);
	}
	return FAIL(r, e, "the type of %s is unknown%s: write *(u64*)&%s, or use its real type", e->name,
		    r->vars && vars_open(r->vars) ? ", it has no debug information" : " without debug information",
		    e->name);
}

bool name_this_cpu(struct resolver *r, struct expr *e)
{
	struct expr *address = mem_zalloc(1, sizeof(*address)), *base = mem_zalloc(1, sizeof(*base));
	struct address found = { 0 };
	struct error why = { .text = "" };
	struct var_global global;
	bool known;

	*base = (struct expr){ .kind = EXPR_THIS_CPU, .at = e->at, .name = mem_strdup(e->name), .type = EXPR_POINTER };
	*address = (struct expr){ .kind = EXPR_ADDRESS, .at = e->at, .a = base, .type = EXPR_POINTER };
	known = look_up(r, e->name, &found, &why);
	if (r->vars && vars_global(r->vars, e->name, known ? found.sym : NULL, &global)) {
		base->value = known ? found.value : global.addr;
		expr_become(e, expr_at(address, expr_type_of(global.ix, global.type)));
		return true;
	}
	expr_free(address);
	if (!known)
		return no_symbol(r, e, &why);
	return FAIL(r, e, "the type of %s is unknown without debug information: write *(u64*)&this_cpu(%s), or use its real type",
		    e->name, e->name);
}

/* Where the kernel keeps the offset of a CPU's variables.  A number that no CPU has leads to address 0, which is unreadable. */
static struct expr *cpu_offset_at(struct resolver *r, struct expr *number, uint64_t table)
{
	const uint32_t nr_cpus = r->vars && r->vars->target ? r->vars->target->dev->hello.nr_cpus : 0;
	struct expr *at = expr_binary(OP_ADD, expr_binary(OP_MUL, expr_copy(number), 8, EXPR_ULONG), table, EXPR_ULONG);

	if (number->kind == EXPR_NUMBER && number->value < nr_cpus)
		return at;
	return expr_choice(expr_binary(OP_LT, expr_copy(number), nr_cpus, EXPR_INT), at, expr_number(0, EXPR_ULONG, number->at));
}

#define CPU_OFFSETS	"__per_cpu_offset"	/* include/asm-generic/percpu.h */

/* The address of a per-CPU variable of CPU e->a.  *typed: its type is known.  NULL: err is set. */
static struct expr *per_cpu_address(struct resolver *r, struct expr *e, bool *typed)
{
	struct address offsets = { 0 }, found = { 0 };
	struct error why = { .text = "" };
	struct var_global global;
	struct expr *number, *address;
	bool known;

	if (!look_up(r, CPU_OFFSETS, &offsets, &why)) {
		FAIL(r, e, "the variables of another CPU cannot be found: this kernel does not list " CPU_OFFSETS);
		return NULL;
	}
	if (!expr_resolve_value(r, e->a))
		return NULL;
	known = look_up(r, e->name, &found, &why);
	*typed = r->vars && vars_global(r->vars, e->name, known ? found.sym : NULL, &global);
	if (!known && !*typed) {
		no_symbol(r, e, &why);
		return NULL;
	}
	number = expr_converted(expr_copy(e->a), EXPR_ULONG);
	if (number->kind == EXPR_NUMBER && r->vars && r->vars->target && number->value >= r->vars->target->dev->hello.nr_cpus) {
		FAIL(r, e->a, "there is no such CPU: they are 0 to %u", r->vars->target->dev->hello.nr_cpus - 1);
		expr_free(number);
		return NULL;
	}
	address = expr_binary(OP_ADD, expr_at(cpu_offset_at(r, number, offsets.value), EXPR_ULONG),
			      known ? found.value : global.addr, EXPR_ULONG);
	expr_free(number);
	return expr_converted(address, *typed ? expr_pointer(expr_type_of(global.ix, global.type)) : EXPR_POINTER);
}

bool name_per_cpu(struct resolver *r, struct expr *e)
{
	bool typed;
	struct expr *address = per_cpu_address(r, e, &typed);

	if (address && typed) {
		expr_become(e, expr_at(address, expr_target(address->type)));
		return true;
	}
	expr_free(address);
	return address && FAIL(r, e, "the type of %s is unknown without debug information: write *(u64*)&per_cpu(%s, number), or use its real type",
			       e->name, e->name);
}

static bool per_cpu_pointer(struct resolver *r, struct expr *e)
{
	bool typed;
	struct expr *address = per_cpu_address(r, e->a, &typed);

	if (address)
		expr_become(e, address);
	return address;
}

/*
 * &name, &this_cpu(name): the symbol's address is enough; for names without a symbol debug information has the
 * address.
 */
static bool resolve_plain_address(struct resolver *r, struct expr *e)
{
	struct expr *a = e->a;
	struct address address = { 0 };
	struct error why = { .text = "" };
	struct var_global global = { 0 };
	const bool known = look_up(r, a->name, &address, &why);
	const bool typed = !(known && sym_is_text(address.sym)) && r->vars &&
			   vars_global(r->vars, a->name, known ? address.sym : NULL, &global);

	if (!known && !typed)
		return no_symbol(r, a, &why);
	a->value = known ? address.value : global.addr;
	a->type = EXPR_POINTER;
	if (r->vars && r->vars->target->program)
		expr_become(e, value_of_address(r, a->value, e->at));
	e->type = typed ? expr_pointer(expr_type_of(global.ix, global.type)) : EXPR_POINTER;
	return true;
}

bool name_address(struct resolver *r, struct expr *e)
{
	struct expr *a = e->a, *pointer;
	struct expr_type type;

	if ((a->kind == EXPR_NAME && !is_variable(r, a->name) && !strchr(a->name, '.')) || a->kind == EXPR_THIS_CPU)
		return resolve_plain_address(r, e);
	if (a->kind == EXPR_PER_CPU)
		return per_cpu_pointer(r, e);
	if (a->kind != EXPR_LOAD && a->kind != EXPR_NAME && a->kind != EXPR_MEMBER && a->kind != EXPR_ARROW)
		return FAIL(r, e, "only a variable or the target of a pointer has an address");
	if (!expr_resolve_part(r, a))
		return false;
	if (a->kind != EXPR_LOAD)
		return FAIL(r, e, "a value in a register or a bit-field has no address");
	type = expr_pointer(a->type);
	pointer = a->a;
	a->a = NULL;
	expr_become(e, expr_converted(pointer, type));
	e->type = type;
	return true;
}

/* The last part of the name: the debug information has `Red` for `app::Red`. */
static const char *plain_name(const struct expr *e)
{
	return is_qualified(e->name) ? expr_last_name(e->name) : e->name;
}

bool name_enumerator(struct resolver *r, struct expr *e, struct expr_type type)
{
	struct type list;
	const char *name;
	int64_t value;

	if (e->kind != EXPR_NAME || type.stars || !type.ix || is_variable(r, e->name) ||
	    !type_resolve(type.ix, type.number, &list) || list.kind != TYPE_ENUM)
		return false;
	while (type_next_value(type.ix, &list, &name, &value)) {
		if (strcmp(name, plain_name(e)))
			continue;
		e->kind = EXPR_NUMBER;
		e->value = value;
		e->type = (struct expr_type){ .bytes = type.bytes, .is_signed = type.is_signed };
		return true;
	}
	return false;
}

bool name_is_known(struct resolver *r, const struct expr *e)
{
	AUTO_FREE char *name = mem_strndup(e->name, strcspn(e->name, "."));
	struct address address;

	return expr_is_word(name) || is_variable(r, name) || is_field(r, name) || is_symbol(r, name, &address) ||
	       is_symbol(r, e->name, &address);
}
