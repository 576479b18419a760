/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symtab.h - the inside of a symbol table, shared by the files of this folder. */
#ifndef KTRACE_SYMTAB_H
#define KTRACE_SYMTAB_H

#include "symbols/symtab/symbols.h"

struct symtab {
	char *text;		/* the file; names and modules point into it */
	struct sym *syms;	/* by address, then by place in the file */
	size_t nr;

	/*
	 * Symbols that cover addresses, in address order: those of the kernel's
	 * half of the address space that are not absolute.
	 */
	const struct sym **covering;
	size_t nr_covering;

	/*
	 * Every symbol, grouped by name, a group in address order; names are found
	 * by open addressing in slots.  by_module is the same with each group
	 * ordered by module first.
	 */
	const struct sym **by_name;
	const struct sym **by_module;
	struct name_group {
		uint32_t first;
		uint32_t nr;
		uint32_t nr_meant;	/* of by_name, without a module: see symtab_yield() */
	} *groups;
	size_t nr_groups;
	struct name_slot {
		uint32_t hash;
		uint32_t group;		/* its index + 1, 0 in an empty slot */
	} *slots;
	uint32_t slot_mask;

	const struct sym **dotted;	/* text symbols with a suffix, in alphabetical order */
	size_t nr_dotted;
};

/* What kallsyms.c parsed is in address order: measure it, then index it.  False: no memory. */
bool symtab_measure(struct symtab *tab);
bool symtab_index(struct symtab *tab);

static inline const char *group_name(const struct symtab *tab, size_t group)
{
	return tab->by_name[tab->groups[group].first]->name;
}

#endif
