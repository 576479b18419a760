// SPDX-License-Identifier: GPL-2.0-or-later
/* vars.c - variables and types of the source at one probe point.  See vars.h. */
#include "ctl/ask/resolve/vars.h"

#include <stdio.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/base/suggestion.h"
#include "symbols/query/program.h"

#define WORDS	512	/* size of the text of a location */

void vars_init(struct vars *vars, const struct target *target, const struct probe_point *point)
{
	*vars = (struct vars){ .target = target, .point = point };
}

void vars_free(struct vars *vars)
{
	scope_free(vars->scope);
	vars->scope = NULL;
	vars->inner = NULL;
	vars->info.ix = NULL;
}

/* The copy of that function that begins at offset; another copy, or none, may cover the offset. */
static const struct scope *copy_entered(const struct scope *scope, const char *name, uint32_t offset)
{
	const struct scope *found = NULL;

	if (scope->kind == SCOPE_INLINED && scope->entry == offset && !strcmp(scope->name, name))
		return scope;
	for (size_t i = 0; !found && i < scope->nr_inner; i++)
		found = copy_entered(&scope->inner[i], name, offset);
	return found;
}

bool vars_lack(const struct vars *vars, char *hint, size_t size)
{
	if (!vars->info.ix || !debug_unit_is_btf(vars->info.unit))
		return false;
	debug_unit_hint(vars->info.unit, hint, size);
	return true;
}

/* BTF has one function for each name, and no clones. */
static void no_function(struct vars *vars)
{
	char hint[256];

	if (vars_lack(vars, hint, sizeof(hint)))
		error_set(&vars->why, STATUS_FAILURE, "BTF cannot identify this function: it is a clone, or several functions have its name: %s",
			  hint);
	else
		error_set(&vars->why, STATUS_FAILURE, "%s says nothing of the function around %s",
			  debug_unit_path(vars->info.unit), vars->point->name);
}

bool vars_open(struct vars *vars)
{
	if (vars->opened)
		return vars->info.ix;
	vars->opened = true;
	if (!addr_info_find(vars->target, probe_point_code(vars->point), &vars->info, &vars->why)) {
		vars->info.ix = NULL;
		return false;
	}
	if (vars->info.func)
		vars->scope = scope_read(vars->info.ix, vars->info.func);
	if (vars->scope && vars->point->inlined)
		vars->inner = copy_entered(vars->scope, vars->point->inlined, vars->info.offset);
	if (vars->scope && !vars->inner)
		vars->inner = scope_at(vars->scope, vars->info.offset);
	if (!vars->scope)
		no_function(vars);
	return true;
}

static bool has_parameters(const struct scope *scope)
{
	for (size_t i = 0; i < scope->nr_vars; i++)
		if (scope->vars[i].flags & VAR_PARAMETER)
			return true;
	return false;
}

const struct scope *vars_function(const struct vars *vars)
{
	const struct scope *scope = vars->wants_copy && vars->inner ? scope_function(vars->inner) : vars->scope;

	while (scope && scope->outer && !has_parameters(scope))
		scope = scope_function(scope->outer);
	return scope;
}

/* ------------------------------------------------------------------ locals */

static const struct var *find_in(const struct scope *scope, const char *name)
{
	for (size_t i = 0; i < scope->nr_vars; i++)
		if (!strcmp(scope->vars[i].name, name))
			return &scope->vars[i];
	return NULL;
}

const struct var *vars_local(struct vars *vars, const char *name, const struct scope **scope)
{
	const struct var *var;

	if (!vars_open(vars))
		return NULL;
	for (*scope = vars->inner; *scope; *scope = (*scope)->outer) {
		var = find_in(*scope, name);
		if (var && !(var->flags & VAR_EXTERNAL))
			return var;
	}
	return NULL;
}

/* Translate linked addresses to live ones; of a program they stay, because each process may have others. */
static bool relocate(const struct vars *vars, struct location *location)
{
	for (size_t i = 0; i < location->nr; i++) {
		struct loc_value *value = &location->pieces[i].value;
		uint64_t live;

		if (!value->is_linked || vars->target->program)
			continue;
		if (!debug_live_address(vars->info.unit, value->steps[0].n, &live))
			return false;
		value->steps[0].n = live;
		value->is_linked = false;
	}
	return true;
}

static bool not_in_btf(const struct scope *scope, const struct var *var, const char *words, const char *hint,
		       struct error *err)
{
	if (!*words)
		return error_set(err, STATUS_FAILURE, "'%s' is not passed in registers only, so BTF does not know where it is: %s",
				 var->name, hint);
	return error_set(err, STATUS_FAILURE, "'%s' is known only at the entry of %s: BTF does not know where it is later: %s",
			 var->name, scope->name, hint);
}

static bool not_here(const struct vars *vars, const struct scope *scope, const struct var *var,
		     const char *why, struct error *err)
{
	const struct loc_at at = addr_info_at(&vars->info);
	const char *lacks = vars->info.unit ? debug_unit_lacks(vars->info.unit) : NULL;
	char words[WORDS], hint[256];

	/* Where the caller put it depends on the types of all parameters. */
	if (lacks)
		return error_set(err, STATUS_USAGE, "'%s' has no location at %s (%s): %s", var->name, vars->point->name, why, lacks);
	location_everywhere(vars->info.ix, scope, var, &at, words, sizeof(words));
	if (vars_lack(vars, hint, sizeof(hint)))
		return not_in_btf(scope, var, words, hint, err);
	if (!*words)
		return error_set(err, STATUS_FAILURE, "'%s' cannot be read anywhere in %s: %s", var->name, scope_function(scope)->name, why);
	return error_set(err, STATUS_FAILURE, "'%s' has no location at %s (%s); it is in %s", var->name,
			 vars->point->name, why, words);
}

bool vars_where(struct vars *vars, const struct scope *scope, const struct var *var,
		struct location *out, struct error *err)
{
	const struct loc_at at = addr_info_at(&vars->info);
	struct loc_refusal refusal = { .why = "" };

	/* After the return the frame is gone; the function may have been left by a jump into another one. */
	if (vars->point->is_return)
		return error_set(err, STATUS_FAILURE, "'%s' no longer exists when %s has returned: ENTRY %s records its value at the entry",
				 var->name, scope_function(scope)->name, var->name);
	if (location_of(vars->info.ix, scope, var, &at, out, &refusal) != LOC_OK)
		return not_here(vars, scope, var, *refusal.why ? refusal.why : "optimised out", err);
	return relocate(vars, out) ||
	       error_set(err, STATUS_FAILURE, "'%s' lies in a part of %s that is not loaded", var->name,
			 debug_unit_path(vars->info.unit));
}

/* ------------------------------------------------------------------- units */

/* The unit of a module with a complete index.  NULL: err is set. */
static struct dbindex *whole(struct vars *vars, const char *module, struct debug_unit **unit,
			     struct error *err)
{
	return unit_index(vars->target, module, unit, err);
}

static const char *module_of(const struct vars *vars)
{
	return vars->point->sym ? vars->point->sym->module : "";
}

/* ----------------------------------------------------------------- globals */

/*
 * The variable at the symbol's address.  Per-CPU variables of the kernel and mere declarations have other addresses; in a
 * program another address is another variable of that name.  NULL: there is none.
 */
static const struct ix_global *choose_global(const struct debug_unit *unit, const struct ix_global *all, size_t n,
					     const struct sym *sym, bool is_program)
{
	uint64_t addr;

	for (size_t i = 0; sym && i < n; i++)
		if (debug_live_address(unit, all[i].addr, &addr) && addr == sym->addr)
			return &all[i];
	for (size_t i = 0; i < n; i++)
		if (!sym || !is_program || all[i].addr == GLOBAL_DECLARED)
			return &all[i];
	return NULL;
}

static bool take_global(const struct vars *vars, struct dbindex *ix, const struct debug_unit *unit, const char *name,
			const struct sym *sym, struct var_global *out)
{
	const bool is_partial = dbindex_header(ix)->flags & DBINDEX_PARTIAL;
	const struct ix_global *global;
	const size_t n = dbindex_globals(ix, name, &global);

	global = choose_global(unit, global, n, sym, vars->target->program);
	if (!global || global->addr == GLOBAL_THREAD)
		return false;
	/* A declaration may have less of the type than the definition in another unit. */
	if (global->addr == GLOBAL_DECLARED && (is_partial || !sym))
		return false;
	*out = (struct var_global){ .ix = ix, .type = global->type ? global->type - 1 : NO_TYPE };
	if (sym)
		out->addr = sym->addr;
	return sym || debug_live_address(unit, global->addr, &out->addr);
}

static const char *without_module(const char *name)
{
	const char *colon = strrchr(name, ':');

	return colon ? colon + 1 : name;
}

/* BTF has no global variables: the types of those that people ask for first. */
static const struct {
	const char *name, *type;
} famous[] = {
	{ "jiffies", "long unsigned int" }, { "init_task", "struct task_struct" }, { "init_mm", "struct mm_struct" },
	{ "init_net", "struct net" }, { "init_uts_ns", "struct uts_namespace" }, { "init_pid_ns", "struct pid_namespace" },
	{ "modules", "struct list_head" }, { "super_blocks", "struct list_head" }, { "net_namespace_list", "struct list_head" },
	{ "nr_threads", "int" }, { "total_forks", "long unsigned int" }, { "panic_timeout", "int" }, { "tainted_mask", "long unsigned int" },
};

static bool take_famous(const struct dbindex *ix, const char *name, const struct sym *sym, struct var_global *out)
{
	for (size_t i = 0; ix && sym && !*sym->module && i < ARRAY_SIZE(famous); i++) {
		if (strcmp(famous[i].name, name))
			continue;
		*out = (struct var_global){ .ix = ix, .type = type_by_name(ix, famous[i].type), .addr = sym->addr };
		return out->type != NO_TYPE;
	}
	return false;
}

bool vars_global(struct vars *vars, const char *name, const struct sym *sym, struct var_global *out)
{
	const char *module = sym ? sym->module : module_of(vars), *plain = without_module(name);
	struct debug_unit *unit;
	struct error unused;
	struct dbindex *ix;

	/* Other namespaces may have a variable of that name. */
	if (!vars->target->debug || (!sym && strstr(name, "::")))
		return false;
	if (vars_open(vars) && !strcmp(module, module_of(vars)) &&
	    take_global(vars, vars->info.ix, vars->info.unit, plain, sym, out))
		return true;
	ix = whole(vars, module, &unit, &unused);
	if (ix && take_global(vars, ix, unit, plain, sym, out))
		return true;
	if (ix && debug_unit_is_btf(unit) && take_famous(ix, plain, sym, out))
		return true;
	if (sym || !*module)
		return false;
	ix = whole(vars, "", &unit, &unused);
	return ix && take_global(vars, ix, unit, plain, sym, out);
}

bool vars_knows(struct vars *vars, const char *name)
{
	const char *const modules[] = { module_of(vars), "" };
	const struct ix_global *global;
	struct debug_unit *unit;
	struct error unused;

	for (size_t i = 0; vars->target->debug && i < ARRAY_SIZE(modules); i++) {
		struct dbindex *ix = whole(vars, modules[i], &unit, &unused);

		if (ix && dbindex_globals(ix, without_module(name), &global))
			return true;
	}
	return false;
}

bool vars_is_thread_local(struct vars *vars, const char *name)
{
	const struct ix_global *global;
	struct debug_unit *unit;
	struct error unused;
	struct dbindex *ix;

	if (!vars->target->program)
		return false;
	if (program_is_thread_local(vars->target->program, name))
		return true;
	ix = vars->target->debug ? whole(vars, "", &unit, &unused) : NULL;
	/* Behind those that have an address. */
	return ix && dbindex_globals(ix, without_module(name), &global) && global->addr == GLOBAL_THREAD;
}

/* ------------------------------------------------------------------- types */

static bool take_type(const struct dbindex *from, const char *spelling, const struct dbindex **ix,
		      uint32_t *number)
{
	uint32_t found = type_by_name(from, spelling);
	struct type type;

	if (found == NO_TYPE || !type_resolve(from, found, &type) ||
	    ((type.kind == TYPE_STRUCT || type.kind == TYPE_UNION) && !type.is_complete))
		return false;
	*ix = from;
	*number = found;
	return true;
}

static bool is_offered(const struct suggestions *similar, const char *name)
{
	for (size_t i = 0; i < similar->n && i < SUGGESTIONS_MAX; i++)
		if (!strcmp(similar->names[i], name))
			return true;
	return false;
}

/* Suggest types whose names begin alike. */
static bool no_type(const struct dbindex *ix, const char *spelling, const char *path, struct error *err)
{
	const char *blank = strchr(spelling, ' ');
	struct suggestions similar = { .word = blank ? blank + 1 : spelling };
	struct type type;
	char buf[256];
	size_t nr;

	dbindex_rows(ix, PART_TYPES, uint64_t, &nr);
	for (size_t i = 0; i < nr; i++)
		if (type_read(ix, i, &type) && *type.name && *type.name == *similar.word && !is_offered(&similar, type.name))
			suggestion_offer(&similar, type.name);
	return error_set(err, STATUS_FAILURE, "no type '%s' is defined in %s%s%s", spelling, path, similar.n ? ": " : "",
			 suggestion_say(similar.names, similar.n, "", buf, sizeof(buf)));
}

bool vars_type(struct vars *vars, const char *spelling, const struct dbindex **ix, uint32_t *number,
	       struct error *err)
{
	struct debug_unit *unit;
	struct dbindex *all;

	if (vars_open(vars) && take_type(vars->info.ix, spelling, ix, number))
		return true;
	if (*module_of(vars)) {
		all = whole(vars, module_of(vars), &unit, err);
		if (all && take_type(all, spelling, ix, number))
			return true;
	}
	all = whole(vars, "", &unit, err);
	if (!all)
		return false;
	return take_type(all, spelling, ix, number) || no_type(all, spelling, debug_unit_path(unit), err);
}

bool vars_constant(struct vars *vars, const char *name, int64_t *value)
{
	struct debug_unit *kernel = vars->target->debug ? debug_unit_casual(vars->target->debug, "", NULL) : NULL;
	const struct dbindex *all = kernel ? debug_index_ready(kernel) : NULL;

	if (vars_open(vars) && type_constant(vars->info.ix, name, value))
		return true;
	return all && type_constant(all, name, value);
}

bool vars_complete(struct vars *vars, const struct dbindex **ix, uint32_t *number)
{
	struct error unused;
	struct type type;
	char name[256];

	if (!type_resolve(*ix, *number, &type))
		return false;
	if ((type.kind != TYPE_STRUCT && type.kind != TYPE_UNION) || type.is_complete)
		return true;
	snprintf(name, sizeof(name), "%s %s", type.kind == TYPE_STRUCT ? "struct" : "union", type.name);
	return *type.name && vars && vars_type(vars, name, ix, number, &unused);
}
