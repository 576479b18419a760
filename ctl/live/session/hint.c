// SPDX-License-Identifier: GPL-2.0-or-later
/* hint.c - words that may have another meaning.  See hint.h. */
#include "ctl/live/session/hint.h"

#include <ctype.h>
#include <string.h>

#include "ctl/ask/lang/option.h"
#include "ctl/ask/resolve/resolve.h"
#include "ctl/ask/resolve/vars.h"

#define LETTERS		"abcdefghijklmnopqrstuvwxyz"
#define MAX_TYPED	32	/* a longer list comes from a program */

static bool is_name(const char *word)
{
	return *word && !isdigit((unsigned char)*word) &&
	       strspn(word, LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == strlen(word);
}

/* "pid" for PID. */
static const struct option_row *option_in_lower_case(const char *word)
{
	char upper[32] = "";

	if (strlen(word) >= sizeof(upper) || strspn(word, LETTERS) != strlen(word))
		return NULL;
	for (size_t i = 0; word[i]; i++)
		upper[i] = toupper((unsigned char)word[i]);
	return option_find(upper);
}

static bool is_indexed(const struct target *target, const struct probe_point *point)
{
	const char *module = point->sym ? point->sym->module : "";
	struct debug_unit *unit = debug_unit_casual(target->debug, module, NULL);

	/* BTF is fast to read. */
	return unit && (debug_unit_is_btf(unit) || debug_index_ready(unit));
}

static bool has_variable(const struct target *target, const char *address, const char *name, bool only_indexed)
{
	AUTO_PROBE_POINTS struct probe_points points = { 0 };
	const struct scope *scope;
	struct error unused;
	struct vars vars;
	bool found;

	if (!probe_points_resolve(target, address, &points, &unused) || points.is_pattern ||
	    (only_indexed && !is_indexed(target, &points.v[0])))
		return false;
	vars_init(&vars, target, &points.v[0]);
	found = vars_local(&vars, name, &scope);
	vars_free(&vars);
	return found;
}

/* The address before the i-th one whose function has that variable.  NULL: there is none. */
static const char *function_with(const struct target *target, const struct requests *requests, size_t i,
				 bool only_indexed)
{
	const char *name = requests->v[i].address;

	while (target->debug && i-- > 0)
		if (has_variable(target, requests->v[i].address, name, only_indexed))
			return requests->v[i].address;
	return NULL;
}

bool hint_address(const struct target *target, const struct requests *requests, size_t i, bool is_set,
		  struct error *err)
{
	const char *word = requests->v[i].address, *function;
	const struct option_row *option;

	if (!i || requests->n > MAX_TYPED || !is_name(word))
		return false;
	function = function_with(target, requests, i, is_set);
	if (function) {
		error_set(err, STATUS_FAILURE,
			  is_set ? "'%s' was taken as a function: to record the variable of %s write VAR %s"
				 : "'%s' is not an address but a variable of %s: to record it write VAR %s",
			  word, function, word);
		return true;
	}
	option = option_in_lower_case(word);
	if (option)
		error_set(err, STATUS_FAILURE, is_set ? "'%s' was taken as a function: the option is %s"
						      : "'%s' is not an address: options are written in upper case: %s",
			  word, option->name);
	return option;
}
