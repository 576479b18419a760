// SPDX-License-Identifier: GPL-2.0-or-later
/* resolve.c - resolve typed text to probe points.  See resolve.h. */
#include "ctl/ask/resolve/resolve.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/resolve/address.h"
#include "ctl/ask/resolve/compat_call.h"
#include "ctl/ask/resolve/exits.h"
#include "ctl/ask/resolve/programs.h"
#include "ctl/ask/resolve/source.h"
#include "ctl/base/memory.h"
#include "ctl/base/suggestion.h"
#include "symbols/query/program.h"

#define MOST_OVERLOADS	64	/* functions of one name */

struct variants {
	const struct target *target;
	const char *base;
	struct probe_points *points;
	FILE *pieces;
	size_t nr_pieces;
};

static void add_variant(const struct sym *sym, void *arg)
{
	struct variants *variants = arg;

	if (!strcmp(sym->name, variants->base) || !source_is_variant(variants->target, sym))
		return;
	if (!sym_is_piece(sym))
		probe_points_add(variants->target, variants->points, sym->addr, sym);
	else if (variants->pieces)
		fprintf(variants->pieces, "%s%s", variants->nr_pieces++ ? ", " : "", sym->name);
}

static void add_variants(const struct target *target, const char *base, struct probe_points *out)
{
	struct variants variants = { .target = target, .base = base, .points = out };
	size_t len;

	variants.pieces = open_memstream(&out->pieces, &len);
	symtab_variants(target->tab, base, add_variant, &variants);
	if (variants.pieces)
		fclose(variants.pieces);
	if (!variants.nr_pieces) {
		free(out->pieces);
		out->pieces = NULL;
	}
}

/* Only clones of the function have this name. */
static bool only_variants(const struct target *target, const char *text, struct probe_points *out)
{
	const struct sym *const *all;

	if (!target->tab || strpbrk(text, "+-:#") || symtab_by_name(target->tab, text, NULL, &all))
		return false;
	add_variants(target, text, out);
	return out->n;
}

static bool only_pieces(const char *text, const struct probe_points *points, struct error *err)
{
	return error_set(err, STATUS_FAILURE,
			 "'%s' is inlined or split, only pieces of it exist: name one of %s",
			 text, points->pieces);
}

static bool begins(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* System calls that were named as such, also by sys_openat, are syscall:openat, not the name of the function. */
static void name_calls(const struct target *target, const char *text, struct probe_points *points)
{
	const size_t len = strlen(target->arch->syscall_prefix);
	const bool is_call = begins(text, ADDRESS_SYSCALL) || begins(text, ADDRESS_SYS) || begins(text, ADDRESS_COMPAT);

	for (size_t i = 0; is_call && i < points->n; i++) {
		struct probe_point *point = &points->v[i];
		AUTO_FREE char *name = point->name;

		if (begins(name, target->arch->syscall_prefix))
			point->name = mem_join(ADDRESS_SYSCALL, name + len, NULL);
		else if (compat_call_of(target, name))
			point->name = mem_join(ADDRESS_COMPAT, compat_call_of(target, name), NULL);
		else
			name = NULL;
	}
}

/* Where "+12" begins, or the end: the name of an operator may have a "+", too. */
static const char *offset_in(const char *text)
{
	const char *plus = strrchr(text, '+');

	return plus && isxdigit((unsigned char)plus[1]) ? plus : text + strlen(text);
}

/* The functions of a demangled name: its overloads.  False: there is none; why->text says so, or err is set. */
static bool add_named(const struct target *target, const char *text, struct probe_points *out, struct debug_error *why,
		      struct error *err)
{
	const char *offset = offset_in(text);
	AUTO_FREE char *name = mem_strndup(text, offset - text);
	const struct program_function *functions[MOST_OVERLOADS];
	const size_t n = program_named(target->program, name, functions, ARRAY_SIZE(functions), why);

	for (size_t i = 0; i < n; i++) {
		AUTO_FREE char *number = mem_printf("0x%" PRIx64 "%s", functions[i]->addr, offset);
		const struct sym *sym = *offset ? NULL : symtab_by_addr(target->tab, functions[i]->addr);
		struct address address;

		if (!address_parse(target->tab, number, ADDRESS_CODE, &address, err))
			return false;
		probe_points_add(target, out, address.value, sym);
	}
	return n;
}

struct matches {
	const struct target *target;
	struct probe_points *points;
};

static bool add_match(const struct program_function *function, void *arg)
{
	const struct matches *matches = arg;

	probe_points_add(matches->target, matches->points, function->addr, symtab_by_addr(matches->target->tab, function->addr));
	return matches->points->n <= KT_MAX_BATCH;
}

/* "pool::get%return": the exits of the only function of that demangled name. */
static bool resolve_return(const struct target *target, const char *text, const char *name, struct probe_points *out,
			   struct error *err)
{
	const struct program_function *functions[MOST_OVERLOADS];
	struct debug_error why = { .text = "" };
	const size_t n = program_named(target->program, name, functions, ARRAY_SIZE(functions), &why);
	const struct sym *sym = n == 1 ? symtab_by_addr(target->tab, functions[0]->addr) : NULL;

	if (n > 1)
		return error_set(err, STATUS_FAILURE, "'%s': %zu functions have that name: give its parameters, too, or the mangled name, as 'nm' shows it",
				 text, n);
	if (!sym)
		return error_set(err, STATUS_FAILURE, "no function '%s': write its name with namespace", name);
	if (!exits_find(target, sym, out, err))
		return false;
	return out->n || error_set(err, STATUS_FAILURE, "'%s': the function never returns: trace it at its entry", text);
}

struct others {
	struct program *program;
	const char *names[SUGGESTIONS_MAX];
	size_t n;
};

static bool take_other(const struct program_function *function, void *arg)
{
	struct others *others = arg;

	others->names[others->n++] = program_shown(others->program, function);
	return others->n < SUGGESTIONS_MAX;
}

/* Functions that are called so in some namespace or class, also those of a template, are suggested.  False: there are none; else err says them. */
static bool others_are_meant(struct program *program, const char *text, struct error *err)
{
	AUTO_FREE char *name = mem_strndup(text, strcspn(text, "("));
	AUTO_FREE char *template = mem_printf("%s<*", name);
	struct others others = { .program = program };
	char buf[512];

	if (!program_matching(program, name, take_other, &others))
		program_matching(program, template, take_other, &others);
	if (others.n)
		error_set(err, STATUS_FAILURE, "no function '%s': %s", text, suggestion_say(others.names, others.n, "", buf, sizeof(buf)));
	return others.n;
}

/* A name with "::" or parameters, which is a demangled one: "ns::f", "ns::f(char const*)", "ns::*". */
static bool resolve_demangled(const struct target *target, const char *text, struct probe_points *out, struct error *err)
{
	AUTO_FREE char *function = source_returning(text);
	struct matches matches = { .target = target, .points = out };
	struct debug_error why = { .text = "" };

	if (function)
		return resolve_return(target, text, function, out, err);
	if (add_named(target, text, out, &why, err))
		return true;
	if (!*why.text)
		return false;
	if (!strpbrk(text, "*?[") && others_are_meant(target->program, text, err))
		return false;
	if (!strpbrk(text, "*?["))
		return error_set(err, STATUS_FAILURE, "no function '%s': write its name with namespace, or a pattern such as '*::name*'", text);
	out->is_pattern = true;
	program_matching(target->program, text, add_match, &matches);
	if (out->n > KT_MAX_BATCH)
		return error_set(err, STATUS_FAILURE, "'%s' matches more than %d functions: be more precise", text, KT_MAX_BATCH);
	return out->n || error_set(err, STATUS_FAILURE, "'%s' matches no function: * stands for any text, ? for one character", text);
}

/* "take*": functions of that name, and C++ and Rust functions that are called so in whatever namespace. */
static bool resolve_name_pattern(const struct target *target, const char *text, struct probe_points *out, struct error *err)
{
	struct matches matches = { .target = target, .points = out };
	const bool found = source_resolve(target, text, out, err);

	if (!found && out->n)
		return false;	/* too many */
	program_matching(target->program, text, add_match, &matches);
	out->is_pattern = true;
	if (out->n > KT_MAX_BATCH)
		return error_set(err, STATUS_FAILURE, "'%s' matches more than %d functions: be more precise", text, KT_MAX_BATCH);
	return out->n;
}

static bool is_name_pattern(const struct target *target, const char *text)
{
	return target->program && target->tab && strpbrk(text, "*?") && !strpbrk(text, ":@+%") && source_is(target, text);
}

/* "f%return" of a C++ or Rust function outside of a namespace: it has no symbol f. */
static bool is_return_of_other_name(const struct target *target, const char *text)
{
	AUTO_FREE char *function = source_returning(text);
	const struct program_function *one;
	struct debug_error why;

	return function && !address_is_known(target->tab, function) && program_named(target->program, function, &one, 1, &why);
}

static bool is_demangled(const struct target *target, const char *text)
{
	return target->program && target->tab && strncmp(text, INLINE, strlen(INLINE)) &&
	       (strstr(text, "::") || strpbrk(text, "(<") || is_return_of_other_name(target, text));
}

/* The name has no symbol, but the program may have it: as a C++ or Rust name outside of a namespace, or as an ifunc. */
static bool add_other_name(const struct target *target, const char *text, struct probe_points *out, struct error *err)
{
	struct debug_error why = { .text = "" };

	if (!target->program || !target->tab)
		return false;
	if (add_named(target, text, out, &why, err))
		return true;
	if (!program_chooses(target->program, text) && others_are_meant(target->program, text, err))
		return false;
	return ((program_chooses(target->program, text) || program_is_stripped(target->program)) && error_set(err, STATUS_FAILURE, "%s", why.text));
}

/* "event:sched_switch" behind the name of a program. */
static bool is_of_kernel(const struct target *target, const char *text)
{
	return target->program && (begins(text, ADDRESS_SYSCALL) || begins(text, "event:"));
}

/* Find "memcpy@GLIBC_2.14": a function by its name and version.  False: there is none; what follows the @ may be a source file. */
static bool resolve_version(const struct target *target, const char *text, struct probe_points *out, struct error *err)
{
	struct debug_error why = { .text = "" };

	return target->program && target->tab && strchr(text, '@') &&
	       add_named(target, text, out, &why, err);
}

static bool resolve(const struct target *target, const char *text, struct probe_points *out, struct error *err)
{
	struct address address;

	*out = (struct probe_points){ 0 };
	if (is_of_kernel(target, text))
		return error_set(err, STATUS_FAILURE, "'%s' is the kernel's: leave out the program, and add ONLYTGID or ONLYCOMM", text);
	if (target->program && !strncmp(text, MARKERS, strlen(MARKERS)))
		return markers_resolve(target, text, out, err);
	if (is_demangled(target, text))
		return resolve_demangled(target, text, out, err);
	if (is_name_pattern(target, text))
		return resolve_name_pattern(target, text, out, err);
	if (resolve_version(target, text, out, err))
		return true;
	if (source_is(target, text))
		return source_resolve(target, text, out, err);
	if (only_variants(target, text, out))
		return true;
	if (out->pieces)
		return only_pieces(text, out, err);
	if (!address_parse(target->tab, text, ADDRESS_CODE, &address, err)) {
		if (add_other_name(target, text, out, err))
			return true;
		source_only_inlined(target, text, err);
		return false;
	}
	probe_points_add(target, out, address.value, address.sym);
	if (address.bare && sym_is_text(address.sym) && !strcmp(text, address.sym->name))
		add_variants(target, address.sym->name, out);
	return true;
}

/* A misspelt %return behind a function. */
static void suggest_return(const char *text, struct error *err)
{
	const char *end = strrchr(text, RETURN[0]);
	struct suggestions similar = { .word = end };

	if (!end || end == text || !strcmp(end, RETURN))
		return;
	suggestion_offer(&similar, RETURN);
	if (similar.n)
		error_set(err, STATUS_USAGE, "'%s': did you mean %.*s%s?", text, (int)(end - text), text, RETURN);
}

static bool names_a_call(const struct target *target, const char *text, const struct probe_points *points)
{
	const char *prefix = target->arch->syscall_prefix;

	return !target->program && (begins(text, ADDRESS_SYSCALL) ||
	       (begins(text, ADDRESS_SYS) && points->n && points->v[0].sym && begins(points->v[0].sym->name, prefix)));
}

bool probe_points_resolve(const struct target *target, const char *text, struct probe_points *out,
			  struct error *err)
{
	bool ok;

	*out = (struct probe_points){ 0 };
	if (begins(text, ADDRESS_COMPAT) && !target->program)
		ok = compat_call_add(target, text, out) ||
		     error_set(err, STATUS_FAILURE, "'%s': the kernel has no such system call for 32-bit programs", text);
	else
		ok = resolve(target, text, out, err);
	/* A program of 64 bits and one of 32 come to functions of their own. */
	if (names_a_call(target, text, out))
		ok |= compat_call_add(target, text, out);
	if (!ok) {
		suggest_return(text, err);
		probe_points_free(out);
		return false;
	}
	name_calls(target, text, out);
	return true;
}
