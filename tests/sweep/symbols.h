/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h - what /proc/kallsyms tells: the functions of kernel and modules, and where there is none.
 *
 * A function has the same number in every boot of a kernel with the same modules, wherever it was loaded: first
 * the kernel's own in the order of their addresses, then each module's, modules by name.
 */
#ifndef SWEEP_SYMBOLS_H
#define SWEEP_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t addr;
	uint64_t size;		/* up to the next symbol; functions only */
	char type;		/* as nm prints it */
	char module[56];	/* "" for the kernel */
	char name[120];
};

struct symbols {
	struct symbol *functions;
	size_t nr_functions;
	uint32_t *by_addr;	/* their numbers in the order of addresses */
	struct symbol *others;	/* data, init text: nothing that can be traced */
	size_t nr_others;
};

/* Core kernel text is from text_start to text_end. */
void symbols_load(struct symbols *out, uint64_t text_start, uint64_t text_end);

/* The function that addr is in, NULL when there is none. */
const struct symbol *symbols_at(const struct symbols *symbols, uint64_t addr);

/* Text of the module itself that changes while it works: its slots. */
bool symbol_is_area(const struct symbol *symbol);

/* "module:name+0xoff" of an address, in a buffer that the next call but three uses again. */
const char *symbols_name(const struct symbols *symbols, uint64_t addr);

#endif
