// SPDX-License-Identifier: GPL-2.0-or-later
/* program_function.c - the functions of a program, by address and by name.  See program.h. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/query/program_int.h"

/* -------------------------------------------------------------------- list */

/* What a damaged or hostile file has for a name may not reach a terminal. */
static bool is_printable(const char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name <= ' ' || *name == 0x7f)
			return false;
	return true;
}

/*
 * In .symtab a version is a part of the name: `malloc@@GLIBC_2.2.5`, `memcpy@GLIBC_2.2.5` where it is an old one.  Cut
 * it off.
 */
static void split_version(struct program *program, struct image_symbol *symbol)
{
	const char *at = strchr(symbol->name, '@');

	if (!at || at == symbol->name)
		return;
	symbol->version = at + 1 + (at[1] == '@');
	symbol->is_old = at[1] != '@';
	symbol->name = program_keep(program, strndup(symbol->name, at - symbol->name));
}

static void add_sym(struct program *program, const struct image_symbol *symbol)
{
	const char *name = symbol->name;
	char *text;

	/* An old version does not take the plain name. */
	if (symbol->is_old && *symbol->version && asprintf(&text, "%s@%s", name, symbol->version) >= 0)
		name = program_keep(program, text);
	*ARRAY_ADD(program->syms, program->nr_syms, program->syms_room) = (struct sym){
		.addr = symbol->addr, .size = symbol->size, .name = name, .module = "",
		.type = symbol->is_text ? symbol->is_global ? 'T' : 't' : symbol->is_global ? 'D' : 'd',
	};
}

static void add_function(struct program *program, const struct image_symbol *symbol)
{
	struct program_function function = {
		.name = symbol->name, .version = symbol->version, .addr = symbol->addr, .size = symbol->size,
		.is_measured = !symbol->size, .is_global = symbol->is_global, .is_default = !symbol->is_old,
		.is_chosen = symbol->is_chosen,
	};

	if (program_offset(program, symbol->addr, &function.offset))
		*ARRAY_ADD(program->functions, program->nr_functions, program->functions_room) = function;
}

/* Labels that tools generate are not names: $x, .L12. */
static bool add_symbol(const struct image_symbol *given, void *arg)
{
	struct program *program = arg;
	struct image_symbol symbol = *given;
	uint64_t offset;

	if (*symbol.name == '.' || *symbol.name == '$' || !is_printable(symbol.name))
		return true;
	symbol.is_text = program_offset(program, symbol.addr, &offset) && (symbol.is_text || symbol.is_function);
	if (!*symbol.version)
		split_version(program, &symbol);
	if (symbol.is_text && (symbol.is_function || symbol.is_global))
		add_function(program, &symbol);
	if (!symbol.is_text)
		add_sym(program, &symbol);
	return true;
}

static int by_addr(const void *a, const void *b)
{
	const struct program_function *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return order ? order : strcmp(y->version, x->version);
}

static void in_order(struct program *program)
{
	if (program->nr_functions)
		qsort(program->functions, program->nr_functions, sizeof(*program->functions), by_addr);
}

/* Both tables have most symbols.  One of them may lack the version or the size. */
static void unite(struct program *program)
{
	struct program_function *v = program->functions;
	size_t n = 0;

	for (size_t i = 0; i < program->nr_functions; i++) {
		struct program_function *last = n ? &v[n - 1] : NULL;

		if (!last || last->addr != v[i].addr || strcmp(last->name, v[i].name) ||
		    (*v[i].version && strcmp(last->version, v[i].version))) {
			v[n++] = v[i];
			continue;
		}
		last->is_global |= v[i].is_global;
		last->is_chosen |= v[i].is_chosen;
		last->is_measured &= v[i].is_measured;
		if (v[i].size > last->size)
			last->size = v[i].size;
	}
	program->nr_functions = n;
}

/* ------------------------------------------------------------------ extent */

static uint64_t end_of_section(const struct program *program, uint64_t addr)
{
	for (size_t i = 0; i < program->image->nr_sections; i++) {
		const struct image_section *section = &program->image->sections[i];

		if (section->is_text && addr >= section->addr && addr - section->addr < section->size)
			return section->addr + section->size;
	}
	return addr;
}

/* Aliases have the same size; a function without a size ends where the next one begins. */
static void measure(struct program *program)
{
	struct program_function *v = program->functions;
	size_t i, first, n = program->nr_functions;

	for (first = 0; first < n; first = i) {
		uint64_t size = 0;

		for (i = first; i < n && v[i].addr == v[first].addr; i++)
			if (v[i].size > size)
				size = v[i].size;
		if (!size) {
			size = end_of_section(program, v[first].addr) - v[first].addr;
			if (i < n && v[i].addr - v[first].addr < size)
				size = v[i].addr - v[first].addr;
		}
		if (size > UINT64_MAX - v[first].addr)
			size = 0;
		for (size_t j = first; j < i; j++)
			if (!v[j].size && !v[j].is_choice)
				v[j].size = size;
	}
}

/* A function inside another one is a label for most purposes: it is only found by its name. */
static void find_covering(struct program *program)
{
	uint64_t end = 0, start = UINT64_MAX;

	program->covering = must_alloc(program->nr_functions, sizeof(*program->covering));
	for (size_t i = 0; i < program->nr_functions; i++) {
		const struct program_function *function = &program->functions[i];

		if (function->addr != start && function->addr < end)
			continue;
		program->covering[program->nr_covering++] = i;
		start = function->addr;
		if (function->addr + function->size > end)
			end = function->addr + function->size;
	}
}

/* An ifunc is not the function of its name. */
static void add_syms_of_functions(struct program *program)
{
	for (size_t i = 0; i < program->nr_functions; i++) {
		const struct program_function *function = &program->functions[i];

		if (function->is_chosen)
			continue;
		add_sym(program, &(struct image_symbol){
			.name = function->name, .version = function->version, .addr = function->addr,
			.size = function->size, .is_text = true, .is_global = function->is_global && !function->is_choice,
			.is_old = !function->is_default,
		});
	}
}

/* Neither the program nor its separate file is a table of everything: .dynsym alone is left in most libraries. */
static void list(struct program *program)
{
	const struct image *separate;

	if (program->listed)
		return;
	program->listed = true;
	separate = program_separate(program);
	image_symbols(program->image, add_symbol, program);
	image_dynamic_symbols(program->image, add_symbol, program);
	if (separate)
		image_symbols(separate, add_symbol, program);
	in_order(program);
	unite(program);
	program_add_choices(program);
	in_order(program);
	measure(program);
	find_covering(program);
	add_syms_of_functions(program);
	program->symtab = symtab_make(program->syms, program->nr_syms);
	program->syms = NULL;
}

const struct program_function *program_functions(struct program *program, size_t *nr)
{
	list(program);
	*nr = program->nr_functions;
	return program->functions;
}

const struct symtab *program_symtab(struct program *program)
{
	list(program);
	return program->symtab;
}

bool program_is_thread_local(struct program *program, const char *name)
{
	const struct image *separate = program_separate(program);

	return image_has_thread_local(program->image, program_symbol_means, name) ||
	       (separate && image_has_thread_local(separate, program_symbol_means, name));
}

/* ----------------------------------------------------------------- address */

/* The first function at an address, or behind it. */
static size_t first_at(const struct program *program, uint64_t addr)
{
	size_t low = 0, high = program->nr_functions;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (program->functions[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool preferred(const struct program_function *a, const struct program_function *b)
{
	if (a->is_choice != b->is_choice)
		return b->is_choice;
	if (a->is_global != b->is_global)
		return a->is_global;
	return strlen(a->name) < strlen(b->name);
}

/* The number of covering functions that begin at or below addr. */
static size_t count_below(const struct program *program, uint64_t addr)
{
	size_t low = 0, high = program->nr_covering;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (program->functions[program->covering[middle]].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct program_function *program_covering(struct program *program, uint64_t addr)
{
	const struct program_function *best = NULL, *function;
	size_t i;

	list(program);
	for (i = count_below(program, addr); i-- > 0;) {
		function = &program->functions[program->covering[i]];
		if (best && function->addr != best->addr)
			break;
		if (addr - function->addr < function->size && (!best || preferred(function, best)))
			best = function;
		else if (!best && (!i || program->functions[program->covering[i - 1]].addr != function->addr))
			break;
	}
	return best;
}

const struct program_function *program_function_of(struct program *program, const struct sym *sym)
{
	list(program);
	for (size_t i = first_at(program, sym->addr);
	     i < program->nr_functions && program->functions[i].addr == sym->addr; i++) {
		const struct program_function *function = &program->functions[i];
		size_t n = strlen(function->name);

		if (!strncmp(sym->name, function->name, n) &&
		    (!sym->name[n] || (sym->name[n] == '@' && !strcmp(sym->name + n + 1, function->version))))
			return function;
	}
	return NULL;
}

/* ------------------------------------------------------------------- names */

struct search {
	struct program *program;
	const char *name;		/* without the version */
	const char *version;		/* NULL: any */
	const struct program_function **out;
	size_t n, max;
	const struct program_function *chosen;	/* an ifunc of that name */
	bool has_default;
};

static bool was_taken(const struct search *search, uint64_t addr)
{
	for (size_t i = 0; i < search->n && i < search->max; i++)
		if (search->out[i]->addr == addr)
			return true;
	return false;
}

static void take(struct search *search, const struct program_function *function)
{
	if (search->version && strcmp(search->version, function->version))
		return;
	if (!search->version && search->has_default && !function->is_default)
		return;
	if (!search->version && function->is_default && *function->version && !search->has_default) {
		search->has_default = true;
		search->n = 0;
	}
	if (function->is_chosen)
		search->chosen = function;
	if (function->is_chosen || was_taken(search, function->addr))
		return;
	if (search->n < search->max)
		search->out[search->n] = function;
	search->n++;
}

static void find_exact(struct search *search)
{
	for (size_t i = 0; i < search->program->nr_functions; i++)
		if (!strcmp(search->program->functions[i].name, search->name))
			take(search, &search->program->functions[i]);
}

/* A part of a function, to which it jumps, has the demangled name of the whole function. */
static bool is_piece(const struct program_function *function)
{
	return strstr(function->name, ".cold") || strstr(function->name, ".part.");
}

static void find_shown(struct search *search)
{
	for (size_t i = 0; i < search->program->nr_functions; i++)
		if (!is_piece(&search->program->functions[i]) && program_is_shown_as(search->program, i, search->name))
			take(search, &search->program->functions[i]);
}

/* The implementations bear the name of the ifunc: __memcpy_avx_unaligned. */
static void say_chosen(const struct search *search, struct debug_error *err)
{
	char pattern[256], names[400] = "";
	size_t at = 0, n = 0;

	if (search->chosen->is_outside) {
		debug_fail(err, "'%s' is chosen when the program is loaded (an ifunc): here it is code of another file or of the kernel's vDSO, so it cannot be traced in this file",
			   search->chosen->name);
		return;
	}
	snprintf(pattern, sizeof(pattern), "*_%s_*", search->chosen->name);
	for (size_t i = 0; i < search->program->nr_functions && n < 8; i++) {
		const char *name = search->program->functions[i].name;

		if (fnmatch(pattern, name, 0) || at + strlen(name) + 3 > sizeof(names))
			continue;
		at += sprintf(names + at, "%s%s", n++ ? ", " : "", name);
	}
	if (n)
		debug_fail(err, "'%s' is chosen when the program is loaded (an ifunc), so it has no code of its own: trace what it may be: %s",
			   search->chosen->name, names);
	else
		debug_fail(err, "'%s' is chosen when the program is loaded (an ifunc), so it has no code of its own, and %s does not name what it may be: install its debug symbols",
			   search->chosen->name, search->program->path);
}

static void say_none(const struct search *search, struct debug_error *err)
{
	const struct program *program = search->program;
	const char *similar[4];
	size_t n = program->symtab ? symtab_similar(program->symtab, search->name, NULL, similar, 4) : 0, at = 0;
	char names[600] = "";

	for (size_t i = 0; i < n && at + strlen(similar[i]) + 20 < sizeof(names); i++)
		at += sprintf(names + at, "%s%s", i ? ", " : ": similar names: ", similar[i]);
	if (!program->nr_functions)
		debug_fail(err, "%s names no functions: it was stripped, and no separate file with its symbols was found: install its debug symbols",
			   program->path);
	else
		debug_fail(err, "%s has no function '%s'%s%s", program->path, search->name, names,
			   program->is_stripped ? " (it was stripped: only the functions that it exports are known; install its debug symbols)" : "");
}

size_t program_named(struct program *program, const char *name, const struct program_function **out, size_t max,
		     struct debug_error *err)
{
	const char *at = strchr(name, '@');
	char *plain = strndup(name, at ? (size_t)(at - name) : strlen(name));
	struct search search = { .program = program, .name = plain, .out = out, .max = max };

	list(program);
	if (!plain) {
		debug_fail(err, "no memory for a name: free some");
		return 0;
	}
	if (at)
		search.version = at + 1 + (at[1] == '@');
	find_exact(&search);
	if (!search.n && !search.chosen)
		find_shown(&search);
	if (!search.n && search.chosen)
		say_chosen(&search, err);
	else if (!search.n)
		say_none(&search, err);
	free(plain);
	return search.n < max ? search.n : max;
}

bool program_is_stripped(const struct program *program)
{
	return program->is_stripped;
}

bool program_chooses(struct program *program, const char *name)
{
	list(program);
	for (size_t i = 0; i < program->nr_functions; i++)
		if (program->functions[i].is_chosen && !program->functions[i].is_settled &&
		    !strcmp(program->functions[i].name, name))
			return true;
	return false;
}

/* One name for each address: the first that matches. */
size_t program_matching(struct program *program, const char *pattern,
			bool (*each)(const struct program_function *function, void *arg), void *arg)
{
	uint64_t last = UINT64_MAX;
	size_t n = 0;

	list(program);
	for (size_t i = 0; i < program->nr_functions; i++) {
		const struct program_function *function = &program->functions[i];
		const char *plain;

		if (function->addr == last || function->is_chosen)
			continue;
		if (fnmatch(pattern, function->name, 0)) {
			plain = is_piece(function) ? NULL : program_plain(program, i);
			if (!plain || !program_name_matches(plain, pattern))
				continue;
		}
		last = function->addr;
		n++;
		if (!each(function, arg))
			break;
	}
	return n;
}
