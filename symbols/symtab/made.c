// SPDX-License-Identifier: GPL-2.0-or-later
/* made.c - a table of symbols that the caller knows, with their sizes.  See symtab_make(). */
#include <stdlib.h>
#include <string.h>

#include "symbols/symtab/symtab.h"

static int by_addr(const void *a, const void *b)
{
	const struct sym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* A symbol inside another one does not cover addresses. */
static bool list_covering(struct symtab *tab)
{
	uint64_t end = 0, start = UINT64_MAX;

	tab->covering = malloc(tab->nr * sizeof(*tab->covering));
	if (!tab->covering)
		return false;
	for (const struct sym *sym = tab->syms; sym < tab->syms + tab->nr; sym++) {
		if (!sym->size || (sym->addr != start && sym->addr < end))
			continue;
		tab->covering[tab->nr_covering++] = sym;
		start = sym->addr;
		if (sym->addr + sym->size > end)
			end = sym->addr + sym->size;
	}
	return true;
}

bool symtab_is_made(const struct symtab *tab)
{
	return !tab->text && !tab->map;
}

struct symtab *symtab_make(struct sym *syms, size_t n)
{
	struct symtab *tab = n ? calloc(1, sizeof(*tab)) : NULL;

	if (!tab) {
		free(syms);
		return NULL;
	}
	tab->syms = syms;
	tab->nr = n;
	qsort(syms, n, sizeof(*syms), by_addr);
	if (list_covering(tab) && symtab_index(tab))
		return tab;
	symtab_free(tab);
	return NULL;
}
