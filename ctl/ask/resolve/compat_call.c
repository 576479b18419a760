// SPDX-License-Identifier: GPL-2.0-or-later
/* compat_call.c - see compat_call.h. */
#include "ctl/ask/resolve/compat_call.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/ask/events/calls.h"
#include "ctl/ask/resolve/address.h"
#include "ctl/ask/resolve/exits.h"
#include "ctl/ask/resolve/source.h"
#include "ctl/base/memory.h"

/* The prefix that a function has.  NULL: none of those of calls of 32-bit programs. */
static const char *prefix_of(const struct target *target, const char *function)
{
	for (const char *const *prefix = target->arch->compat_prefixes; *prefix; prefix++)
		if (!strncmp(function, *prefix, strlen(*prefix)))
			return *prefix;
	return NULL;
}

const char *compat_call_of(const struct target *target, const char *function)
{
	const char *prefix = prefix_of(target, function);

	/* It may be a function for both kinds of programs. */
	return prefix && strcmp(prefix, target->arch->syscall_prefix) ? function + strlen(prefix) : NULL;
}

/* The function that the kernel's table of calls has.  NULL: this kernel has none of that name. */
static const struct sym *find_function(const struct target *target, const char *name)
{
	const struct sym *const *all;

	for (const char *const *prefix = target->arch->compat_prefixes; *prefix; prefix++) {
		AUTO_FREE char *function = mem_printf("%s%s", *prefix, name);

		if (symtab_by_name(target->tab, function, "", &all))
			return *all;
	}
	return NULL;
}

static bool is_called(const struct target *target, const struct sym *sym, const char *name)
{
	const char *prefix = prefix_of(target, sym->name);

	return prefix && !strcmp(sym->name + strlen(prefix), name);
}

/* Is it that of one function, of which times of 32 bits make another one, and not that of a family? */
static bool is_the_one(const struct target *target, const struct sym *sym, const char *call, const char *name)
{
	AUTO_FREE char *kernel_name = call_compat_kernel_name(call), *narrow = mem_printf("%s_time32", name);

	return is_called(target, sym, name) || (!strcmp(kernel_name, name) && is_called(target, sym, narrow));
}

/*
 * Newer calls that take times of 64 bits have a function of that name, if the 64-bit program's does not fit.  Others that take
 * times, such as nanosleep(), have one for times of 32 bits.
 */
static const struct sym *function_of(const struct target *target, const char *call)
{
	AUTO_FREE char *name = call_compat_kernel_name(call), *narrow = mem_printf("%s_time32", name);
	const struct sym *sym = find_function(target, strstr(call, "_time64") ? call : narrow);

	return sym ? sym : find_function(target, name);
}

static bool add(const struct target *target, const struct sym *sym, bool returns, struct probe_points *out)
{
	struct error unused;

	if (returns)
		return exits_find(target, sym, out, &unused);
	probe_points_add(target, out, sym->addr, sym);
	return true;
}

bool compat_call_add(const struct target *target, const char *text, struct probe_points *out)
{
	const bool only = !strncmp(text, ADDRESS_COMPAT, strlen(ADDRESS_COMPAT));
	const char *prefix = only ? ADDRESS_COMPAT : !strncmp(text, ADDRESS_SYSCALL, strlen(ADDRESS_SYSCALL)) ? ADDRESS_SYSCALL : ADDRESS_SYS;
	AUTO_FREE char *returning = source_returning(text);
	AUTO_FREE char *name = mem_strdup((returning ? returning : text) + strlen(prefix));
	bool any = false;

	for (unsigned int i = 0; target->tab && i < call_compat_numbers(); i++) {
		const char *call = call_compat_name(i);
		const struct sym *sym = call && call_compat_is(call, name) ? function_of(target, call) : NULL;

		if (sym && (!only || is_the_one(target, sym, call, name)))
			any |= add(target, sym, returning, out);
	}
	return any;
}
