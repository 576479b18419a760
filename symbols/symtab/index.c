// SPDX-License-Identifier: GPL-2.0-or-later
/* index.c - look up symbols by name: a hash of the distinct names, each with its symbols. */
#include <stdlib.h>
#include <string.h>

#include "symbols/base/hash.h"
#include "symbols/symtab/symtab.h"

static uint32_t hash_name(const char *name)
{
	const uint64_t hash = hash_text(HASH_START, name);

	return hash ^ hash >> 32;
}

/* The slot of a name, or the empty slot where it belongs.  name_at returns the name of a group. */
static struct name_slot *find_slot(const struct symtab *tab, const char *name, uint32_t hash,
				   const char *(*name_at)(const struct symtab *, size_t))
{
	uint32_t i = hash & tab->slot_mask;

	for (;; i = (i + 1) & tab->slot_mask) {
		struct name_slot *slot = &tab->slots[i];

		if (!slot->group ||
		    (slot->hash == hash && !strcmp(name_at(tab, slot->group - 1), name)))
			return slot;
	}
}

static bool alloc_index(struct symtab *tab)
{
	uint32_t slots = 64;

	while (slots < tab->nr + tab->nr / 3)
		slots *= 2;
	tab->slot_mask = slots - 1;
	tab->slots = calloc(slots, sizeof(*tab->slots));
	tab->groups = malloc(tab->nr * sizeof(*tab->groups));
	tab->by_name = malloc(tab->nr * sizeof(*tab->by_name));
	tab->by_module = malloc(tab->nr * sizeof(*tab->by_module));
	return tab->slots && tab->groups && tab->by_name && tab->by_module;
}

/* While groups are counted, `first` is the index of the first symbol itself. */
static const char *counted_name(const struct symtab *tab, size_t group)
{
	return tab->syms[tab->groups[group].first].name;
}

/* Assign each symbol to a group, and count the symbols of each group. */
static void count_groups(struct symtab *tab, uint32_t *group_of)
{
	for (size_t i = 0; i < tab->nr; i++) {
		uint32_t hash = hash_name(tab->syms[i].name);
		struct name_slot *slot = find_slot(tab, tab->syms[i].name, hash, counted_name);

		if (!slot->group) {
			tab->groups[tab->nr_groups] = (struct name_group){ .first = i };
			*slot = (struct name_slot){ hash, ++tab->nr_groups };
		}
		group_of[i] = slot->group - 1;
		tab->groups[group_of[i]].nr++;
	}
}

static void fill_groups(struct symtab *tab, const uint32_t *group_of)
{
	uint32_t first = 0;
	size_t i;

	for (i = 0; i < tab->nr_groups; i++) {
		tab->groups[i].first = first;
		first += tab->groups[i].nr;
		tab->groups[i].nr = 0;
	}
	for (i = 0; i < tab->nr; i++) {
		struct name_group *group = &tab->groups[group_of[i]];

		tab->by_name[group->first + group->nr++] = &tab->syms[i];
	}
}

/* A stable sort; a group is usually in order already, unless modules are interleaved. */
static void order_by_module(const struct sym **syms, size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		const struct sym *sym = syms[i];
		size_t at = i;

		for (; at > 0 && strcmp(syms[at - 1]->module, sym->module) > 0; at--)
			syms[at] = syms[at - 1];
		syms[at] = sym;
	}
}

static int by_full_name(const void *a, const void *b)
{
	const struct sym *x = *(const struct sym *const *)a, *y = *(const struct sym *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->addr > y->addr) - (x->addr < y->addr);
}

static bool index_dotted(struct symtab *tab)
{
	size_t n = 0, i;

	tab->dotted = malloc(tab->nr * sizeof(*tab->dotted));
	if (!tab->dotted)
		return false;
	for (i = 0; i < tab->nr; i++)
		if (sym_is_text(&tab->syms[i]) && strchr(tab->syms[i].name, '.'))
			tab->dotted[n++] = &tab->syms[i];
	tab->nr_dotted = n;
	qsort(tab->dotted, n, sizeof(*tab->dotted), by_full_name);
	return true;
}

bool symtab_has_module(const struct symtab *tab, const char *module)
{
	for (size_t i = 0; i < tab->nr_modules; i++)
		if (!strcmp(tab->modules[i], module))
			return true;
	return false;
}

size_t symtab_modules(const struct symtab *tab)
{
	return tab->nr_modules;
}

static bool add_module(struct symtab *tab, const char *module)
{
	const char **more;

	if (symtab_has_module(tab, module))
		return true;
	more = realloc(tab->modules, (tab->nr_modules + 1) * sizeof(*more));
	if (!more)
		return false;
	more[tab->nr_modules++] = module;
	tab->modules = more;
	return true;
}

static bool list_modules(struct symtab *tab)
{
	const char *last = NULL;

	for (size_t i = 0; i < tab->nr; last = tab->syms[i++].module)
		if (tab->syms[i].module != last && !add_module(tab, tab->syms[i].module))
			return false;
	return true;
}

bool symtab_index(struct symtab *tab)
{
	uint32_t *group_of = malloc(tab->nr * sizeof(*group_of));

	if (!group_of || !alloc_index(tab)) {
		free(group_of);
		return false;
	}
	count_groups(tab, group_of);
	fill_groups(tab, group_of);
	free(group_of);
	memcpy(tab->by_module, tab->by_name, tab->nr * sizeof(*tab->by_module));
	for (size_t i = 0; i < tab->nr_groups; i++)
		order_by_module(tab->by_module + tab->groups[i].first, tab->groups[i].nr);
	for (size_t i = 0; i < tab->nr_groups; i++)
		tab->groups[i].nr_meant = tab->groups[i].nr;
	return index_dotted(tab) && list_modules(tab);
}

/*
 * Move the symbols of a module behind the others, without changing the order within both.  Returns the number
 * of the others.
 */
static uint32_t put_last(const struct sym **syms, uint32_t nr, const char *module)
{
	uint32_t others = 0;

	for (uint32_t i = 0; i < nr; i++) {
		const struct sym *sym = syms[i];

		if (!strcmp(sym->module, module))
			continue;
		memmove(syms + others + 1, syms + others, (i - others) * sizeof(*syms));
		syms[others++] = sym;
	}
	return others;
}

void symtab_yield(struct symtab *tab, const char *module)
{
	for (size_t i = 0; i < tab->nr_groups; i++) {
		struct name_group *group = &tab->groups[i];
		const uint32_t others = group->nr > 1 ? put_last(tab->by_name + group->first, group->nr, module) : 0;

		group->nr_meant = others ? others : group->nr;
	}
}

/* The part of a group (ordered by module) that belongs to one module. */
static size_t of_module(const struct sym *const *syms, size_t nr, const char *module,
			const struct sym *const **first)
{
	size_t from = 0, to;

	while (from < nr && strcmp(syms[from]->module, module))
		from++;
	for (to = from; to < nr && !strcmp(syms[to]->module, module);)
		to++;
	*first = syms + from;
	return to - from;
}

size_t symtab_by_name(const struct symtab *tab, const char *name, const char *module,
		      const struct sym *const **first)
{
	const struct name_slot *slot = find_slot(tab, name, hash_name(name), group_name);
	const struct name_group *group;

	*first = NULL;
	if (!slot->group)
		return 0;
	group = &tab->groups[slot->group - 1];
	if (module)
		return of_module(tab->by_module + group->first, group->nr, module, first);
	*first = tab->by_name + group->first;
	return group->nr_meant;
}
