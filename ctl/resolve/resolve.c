// SPDX-License-Identifier: GPL-2.0-or-later
/* resolve.c - resolve typed text to probe points.  See resolve.h. */
#include "ctl/resolve/resolve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/resolve/address.h"
#include "ctl/resolve/source.h"

struct variants {
	const struct target *target;
	const char *base;
	struct probe_points *points;
	FILE *pieces;
	size_t nr_pieces;
};

static bool is_piece(const char *name)
{
	return strstr(name, ".part.") || strstr(name, ".cold");
}

static void add_variant(const struct sym *sym, void *arg)
{
	struct variants *variants = arg;

	if (!sym_is_text(sym) || !strcmp(sym->name, variants->base))
		return;
	if (!is_piece(sym->name))
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

/* System calls keep the name that was typed: syscall:openat, not the name of the function. */
static void name_calls(const struct target *target, const char *text, struct probe_points *points)
{
	const size_t len = strlen(target->arch->syscall_prefix);

	for (size_t i = 0; !strncmp(text, ADDRESS_SYSCALL, strlen(ADDRESS_SYSCALL)) && i < points->n; i++) {
		struct probe_point *point = &points->v[i];
		AUTO_FREE char *name = mem_strdup(point->name);

		if (!strncmp(name, target->arch->syscall_prefix, len))
			snprintf(point->name, sizeof(point->name), "%s%s", ADDRESS_SYSCALL, name + len);
	}
}

static bool resolve(const struct target *target, const char *text, struct probe_points *out, struct error *err)
{
	struct address address;

	*out = (struct probe_points){ 0 };
	if (source_is(target, text)) {
		if (source_resolve(target, text, out, err))
			return true;
		probe_points_free(out);
		return false;
	}
	if (only_variants(target, text, out))
		return true;
	if (out->pieces) {
		only_pieces(text, out, err);
		probe_points_free(out);
		return false;
	}
	if (!address_parse(target->tab, text, ADDRESS_CODE, &address, err)) {
		source_only_inlined(target, text, err);
		return false;
	}
	probe_points_add(target, out, address.value, address.sym);
	if (address.bare && sym_is_text(address.sym) && !strcmp(text, address.sym->name))
		add_variants(target, address.sym->name, out);
	return true;
}

bool probe_points_resolve(const struct target *target, const char *text, struct probe_points *out,
			  struct error *err)
{
	if (!resolve(target, text, out, err))
		return false;
	name_calls(target, text, out);
	return true;
}
