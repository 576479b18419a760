/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h - the functions of the kernel and its modules, from /proc/kallsyms, and the addresses without
 * functions.
 *
 * A function has the same number in every boot of a kernel with the same modules, wherever it is loaded: first
 * the kernel's functions by address, then those of each module, with modules sorted by name.
 */
#ifndef SWEEP_SYMBOLS_H
#define SWEEP_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t addr;
	uint64_t size;		/* to the next symbol; functions only */
	char type;		/* the letter of nm */
	char module[56];	/* "" for the kernel */
	char name[120];
};

struct symbols {
	struct symbol *functions;
	size_t nr_functions;
	uint32_t *by_addr;	/* numbers of functions, sorted by address */
	struct symbol *others;	/* data and init text: nothing there can be traced */
	size_t nr_others;
};

/* Load the symbols. The core text of the kernel is from text_start to text_end. */
void symbols_load(struct symbols *out, uint64_t text_start, uint64_t text_end);

/* The function that contains addr; NULL: none. */
const struct symbol *symbols_at(const struct symbols *symbols, uint64_t addr);

/* Is it text of ktrace that changes while it works: its slots? */
bool symbol_is_area(const struct symbol *symbol);

/* "module:name+0xoff" of an address. The buffer is reused by the fourth call after this one. */
const char *symbols_name(const struct symbols *symbols, uint64_t addr);

#endif
