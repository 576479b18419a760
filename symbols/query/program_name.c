// SPDX-License-Identifier: GPL-2.0-or-later
/* program_name.c - names of C++ and Rust functions, demangled by libiberty. */
#include <fnmatch.h>
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/query/program_int.h"

/* Mangled names of C++ begin with _Z, of Rust with _R or _Z. */
static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

static void free_all(char **names, size_t n)
{
	for (size_t i = 0; names && i < n; i++)
		free(names[i]);
	free(names);
}

void program_free_names(struct program *program)
{
	free_all(program->shown, program->nr_functions);
	free_all(program->plain, program->nr_functions);
	program->shown = NULL;
	program->plain = NULL;
}

static const char *demangled(struct program *program, char ***names, size_t function, int how)
{
	const char *name = program->functions[function].name;

	if (!is_mangled(name))
		return NULL;
	if (!*names)
		*names = must_alloc(program->nr_functions, sizeof(**names));
	if (!(*names)[function])
		(*names)[function] = cplus_demangle(name, how);
	return (*names)[function];
}

const char *program_plain(struct program *program, size_t function)
{
	return demangled(program, &program->plain, function, DMGL_AUTO);
}

const char *program_shown(struct program *program, const struct program_function *function)
{
	const char *name = demangled(program, &program->shown, function - program->functions,
				     DMGL_AUTO | DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP);

	return name ? name : function->name;
}

/* The part behind the next "::" that is not within <>, () or {}.  NULL: there is none. */
static const char *next_part(const char *name)
{
	int depth = 0;

	for (; *name; name++) {
		if (strchr("<({", *name))
			depth++;
		else if (strchr(">)}", *name))
			depth--;
		else if (!depth && !strncmp(name, "::", 2))
			return name + 2;
	}
	return NULL;
}

bool program_name_matches(const char *name, const char *pattern)
{
	for (; name; name = next_part(name))
		if (!fnmatch(pattern, name, 0))
			return true;
	return false;
}

/* Remove every piece that begins and ends so. */
static void remove_all(char *text, const char *begin, char end)
{
	for (char *at; (at = strstr(text, begin));) {
		const char *behind = strchr(at, end);

		if (!behind)
			return;
		memmove(at, behind + 1, strlen(behind));
	}
}

/* "__cxx11::", "__1::", "v1::", "_V2::": inline namespaces of versions, which sources leave out.  Returns its length; 0: none. */
static size_t version_length(const char *name)
{
	const size_t len = strcspn(name, ":<({ "), blanks = strspn(name, "_"), digits = blanks + strspn(name + blanks, "vV");

	if (strncmp(name + len, "::", 2) || !len)
		return 0;
	return blanks == 2 || (digits < len && strspn(name + digits, "0123456789") == len - digits) ? len + 2 : 0;
}

static void remove_versions(char *text)
{
	for (char *at = text; *at; at++) {
		const bool begins = at == text || at[-1] == ':' || strchr("<(, ", at[-1]);
		const size_t len = begins ? version_length(at) : 0;

		if (len)
			memmove(at, at + len, strlen(at + len) + 1);
	}
}

/*
 * Is it the text, or, as `thing::get` of `app::thing::get`, its end in whole parts?  Before the name of a function of a template
 * may stand what it returns, as `nm -C` shows it.
 */
static bool ends_as(const char *text, const char *name)
{
	size_t n = strlen(text), m = strlen(name);

	if (m > n)
		return strchr(text, '<') && name[m - n - 1] == ' ' && !strcmp(name + m - n, text);
	if (strcmp(text + n - m, name))
		return false;
	return m == n || (strstr(name, "::") && n - m > 2 && !strncmp(text + n - m - 2, "::", 2)) ||
	       (strchr(name, '<') && text[n - m - 1] == ' ');
}

/* Also without marks of the ABI, as in f[abi:cxx11], and without the namespaces of versions. */
static bool is_called(const char *text, const char *name)
{
	char *short_text;
	bool is;

	if (ends_as(text, name))
		return true;
	short_text = strdup(text);
	if (!short_text)
		return false;
	remove_all(short_text, "[abi:", ']');
	is = ends_as(short_text, name);
	if (!is) {
		remove_versions(short_text);
		is = ends_as(short_text, name);
	}
	free(short_text);
	return is;
}

/* The demangled name is made only where the mangled one has the last part in it. */
static bool is_mangled_of(const char *mangled, const char *name, const char *last)
{
	char *shown = is_mangled(mangled) && strstr(mangled, last) ? cplus_demangle(mangled, DMGL_AUTO) : NULL;
	const bool is = shown && is_called(shown, name);

	free(shown);
	return is;
}

static const char *last_part(const char *name)
{
	const char *last = name;

	for (const char *next = name; next; next = next_part(next))
		last = next;
	return last;
}

bool program_symbol_means(const char *symbol, const char *name)
{
	const size_t n = strlen(name);

	if (!strncmp(symbol, name, n) && (!symbol[n] || symbol[n] == '@'))
		return true;
	return is_mangled_of(symbol, name, last_part(name));
}

size_t program_variables(struct program *program, const char *name, const struct sym **out, size_t max)
{
	const struct symtab *tab = program_symtab(program);
	const char *const last = last_part(name);
	const struct sym *sym;
	size_t n = 0;

	for (size_t i = 0; tab && i < symtab_count(tab); i++) {
		sym = symtab_at(tab, i);
		if (sym_is_text(sym) || !is_mangled_of(sym->name, name, last))
			continue;
		if (n < max)
			out[n] = sym;
		n++;
	}
	return n;
}

bool program_is_shown_as(struct program *program, size_t function, const char *name)
{
	const char *plain = program_plain(program, function);

	if (!plain)
		return false;
	return is_called(plain, name) ||
	       (strchr(name, '(') && is_called(program_shown(program, &program->functions[function]), name));
}
