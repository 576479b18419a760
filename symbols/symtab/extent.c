// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extent.c - the extent of each symbol.  /proc/kallsyms has no sizes: a symbol extends to the next one, but not
 * into another module, and from text into data only to the start of the data's page.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/symtab/symtab.h"

#define PAGE		4096ULL
#define LONGEST_TAIL	(64ULL << 10)	/* of a symbol that is the last of its module */

bool sym_is_text(const struct sym *sym)
{
	char lower = sym->type | 0x20;

	return lower == 't' || lower == 'w';
}

bool symtab_has_data(const struct symtab *tab)
{
	for (size_t i = 0; i < tab->nr; i++)
		if (strchr("bBd", tab->syms[i].type))
			return true;
	return false;
}

/* Is it an address in memory?  Absolute symbols and offsets into per-CPU areas are not. */
static bool has_address(const struct sym *sym)
{
	return sym->type != 'A' && sym->type != 'a' && sym->addr >> 63;
}

static bool same_module(const struct sym *a, const struct sym *b)
{
	return a->module == b->module || !strcmp(a->module, b->module);
}

/* The size of a symbol; `next` is the first symbol at a higher address, NULL if there is none. */
static uint64_t reach(const struct sym *sym, const struct sym *next)
{
	uint64_t gap = next ? next->addr - sym->addr : LONGEST_TAIL;
	uint64_t page = next ? next->addr & ~(PAGE - 1) : 0;

	if (next && same_module(sym, next)) {
		if (sym_is_text(sym) == sym_is_text(next) || page <= sym->addr || !*sym->module)
			return gap;
		return page - sym->addr;
	}
	if (!*sym->module)
		return 0;	/* the kernel's own image ends with a label */
	return gap < LONGEST_TAIL ? gap : LONGEST_TAIL;
}

bool symtab_measure(struct symtab *tab)
{
	const struct sym *next = NULL;
	uint64_t size = 0;
	size_t i, n = 0;

	tab->covering = malloc(tab->nr * sizeof(*tab->covering));
	if (!tab->covering)
		return false;
	for (i = 0; i < tab->nr; i++)
		if (has_address(&tab->syms[i]))
			tab->covering[n++] = &tab->syms[i];
	tab->nr_covering = n;
	/* Backwards: `next` is the first symbol at a higher address; aliases have the same size. */
	for (i = n; i-- > 0;) {
		struct sym *sym = (struct sym *)tab->covering[i];

		if (i + 1 == n || tab->covering[i + 1]->addr != sym->addr) {
			next = i + 1 < n ? tab->covering[i + 1] : NULL;
			size = reach(sym, next);
		}
		sym->size = size;
	}
	return true;
}

static bool is_global(const struct sym *sym)
{
	return sym->type >= 'A' && sym->type <= 'Z';
}

static bool ends_in(const char *name, const char *end)
{
	size_t len = strlen(name), end_len = strlen(end);

	return len > end_len && !strcmp(name + len - end_len, end);
}

/* A label of the linker script, such as __softirqentry_text_end: the function behind it has its own symbol. */
static bool is_mark(const struct sym *sym)
{
	return *sym->name == '_' && (ends_in(sym->name, "_end") || ends_in(sym->name, "_start"));
}

/* Is a preferred to b, a symbol at the same address? */
static bool preferred(const struct sym *a, const struct sym *b)
{
	if (is_mark(a) != is_mark(b))
		return is_mark(b);
	if (is_global(a) != is_global(b))
		return is_global(a);
	return strlen(a->name) < strlen(b->name);
}

/* The number of covering symbols that begin at or below addr. */
static size_t count_below(const struct symtab *tab, uint64_t addr)
{
	size_t low = 0, high = tab->nr_covering;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (tab->covering[middle]->addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct sym *symtab_by_addr(const struct symtab *tab, uint64_t addr)
{
	size_t i = count_below(tab, addr);
	const struct sym *best, *sym;

	if (!i)
		return NULL;
	best = tab->covering[--i];
	if (addr - best->addr >= best->size)
		return NULL;
	while (i > 0 && (sym = tab->covering[--i])->addr == best->addr)
		if (preferred(sym, best))
			best = sym;
	return best;
}

/* Returns the new length.  What has no room is cut off. */
static size_t append(char *buf, size_t size, size_t at, const char *text)
{
	const size_t len = strnlen(text, size - 1 - at);

	memcpy(buf + at, text, len);
	buf[at + len] = '\0';
	return at + len;
}

bool symtab_describe(const struct symtab *tab, uint64_t addr, char *buf, size_t size)
{
	const struct sym *sym = symtab_by_addr(tab, addr);
	char offset[24] = "";
	size_t len, n;

	*buf = '\0';
	if (!sym)
		return false;
	if (addr > sym->addr)
		snprintf(offset, sizeof(offset), "+0x%" PRIx64, addr - sym->addr);
	len = append(buf, size, 0, sym->module);
	len = append(buf, size, len, *sym->module ? ":" : "");
	len = append(buf, size, len, sym->name);
	n = strlen(offset);
	append(buf, size, len + n < size ? len : size > n ? size - 1 - n : 0, offset);
	return true;
}
