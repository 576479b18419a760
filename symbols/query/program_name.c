// SPDX-License-Identifier: GPL-2.0-or-later
/* program_name.c - names of C++ and Rust functions, demangled by libiberty. */
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
				     DMGL_AUTO | DMGL_PARAMS | DMGL_ANSI);

	return name ? name : function->name;
}

/* Is it the text, or, as `thing::get` of `app::thing::get`, its end in whole parts? */
static bool ends_as(const char *text, const char *name)
{
	size_t n = strlen(text), m = strlen(name);

	if (m > n || strcmp(text + n - m, name))
		return false;
	return m == n || (strstr(name, "::") && n - m > 2 && !strncmp(text + n - m - 2, "::", 2));
}

bool program_is_shown_as(struct program *program, size_t function, const char *name)
{
	const char *plain = program_plain(program, function);

	if (!plain)
		return false;
	return ends_as(plain, name) ||
	       (strchr(name, '(') && ends_as(program_shown(program, &program->functions[function]), name));
}
