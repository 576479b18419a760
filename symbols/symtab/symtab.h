/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symtab.h - internals of a symbol table, shared by the files of this folder. */
#ifndef KTRACE_SYMTAB_H
#define KTRACE_SYMTAB_H

#include "symbols/symtab/symbols.h"

struct symtab {
	char *text;		/* the file; names and modules point into it */
	char *map;		/* the mapped file of a kept table, with all its arrays; NULL: the table was not mapped */
	size_t map_size;
	struct sym *syms;	/* by address, then by position in the file */
	size_t nr;

	/*
	 * Symbols that can cover an address, in address order: those in the kernel's half of the address space
	 * that are not absolute.
	 */
	const struct sym **covering;
	size_t nr_covering;

	/*
	 * Every symbol, grouped by name, each group in address order; slots finds a group by open addressing.
	 * by_module is the same with each group ordered by module first.
	 */
	const struct sym **by_name;
	const struct sym **by_module;
	struct name_group {
		uint32_t first;
		uint32_t nr;
		uint32_t nr_meant;	/* symbols of by_name found without a module: see symtab_yield() */
	} *groups;
	size_t nr_groups;
	struct name_slot {
		uint32_t hash;
		uint32_t group;		/* index + 1; 0: the slot is empty */
	} *slots;
	uint32_t slot_mask;

	const char **modules;	/* each name once; "" is the kernel */
	size_t nr_modules;

	const struct sym **dotted;	/* text symbols with a suffix, in alphabetical order */
	size_t nr_dotted;
};

/* The parsed table is in address order: first measure the symbols, then index them.  False: no memory. */
bool symtab_measure(struct symtab *tab);
bool symtab_index(struct symtab *tab);

static inline const char *group_name(const struct symtab *tab, size_t group)
{
	return tab->by_name[tab->groups[group].first]->name;
}

/*
 * If the text is compressed by zstd, as in saved traces, replace it by what it says, with a NUL behind.  SYMTAB_MALFORMED:
 * damaged, or larger than 256 MiB.  SYMTAB_NOMEM.  The text stays the caller's.
 */
enum symtab_status symtab_unpack(char **text, size_t *len);

#endif
