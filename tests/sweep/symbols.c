// SPDX-License-Identifier: GPL-2.0-or-later
/* symbols.c - see symbols.h. */
#include "symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

#define PAGE 4096

struct all {
	struct symbol *v;
	size_t n;
};

static void *grow(void *v, size_t n, size_t size)
{
	/* Grow by powers of two. */
	if (n & (n - 1))
		return v;
	v = realloc(v, (n ? 2 * n : 1) * size);
	if (!v)
		die("out of memory");
	return v;
}

static void read_all(struct all *all)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		struct symbol symbol = { 0 };
		unsigned long long addr;

		if (sscanf(line, "%llx %c %119s [%55[^]]]", &addr, &symbol.type, symbol.name, symbol.module) < 3)
			continue;
		/* Mapping symbols, which separate code and data within a section. */
		if (symbol.name[0] == '$')
			continue;
		symbol.addr = addr;
		all->v = grow(all->v, all->n, sizeof(symbol));
		all->v[all->n++] = symbol;
	}
	if (!all->n)
		die("/proc/kallsyms cannot be read");
	fclose(file);
}

/* If an address has several names, the first in this order is used. */
static int by_place(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	int modules = strcmp(x->module, y->module);

	if (modules)
		return modules;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return strcmp(x->name, y->name);
}

static bool is_text(const struct symbol *symbol)
{
	return strchr("tTwW", symbol->type);
}

static bool is_function(const struct symbol *symbol, uint64_t text_start, uint64_t text_end)
{
	return is_text(symbol) && (symbol->module[0] || (symbol->addr >= text_start && symbol->addr < text_end));
}

/* The last symbol of a module ends at the end of its page. */
static uint64_t end_of(const struct all *all, size_t i, uint64_t text_end)
{
	const struct symbol *symbol = &all->v[i];
	size_t next = i + 1;

	while (next < all->n && all->v[next].addr == symbol->addr)
		next++;
	if (next < all->n && !strcmp(all->v[next].module, symbol->module) &&
	    (symbol->module[0] ? is_text(&all->v[next]) : all->v[next].addr < text_end))
		return all->v[next].addr;
	return symbol->module[0] ? (symbol->addr | (PAGE - 1)) + 1 : text_end;
}

static const struct symbol *sorting;

static int by_addr(const void *a, const void *b)
{
	uint64_t x = sorting[*(const uint32_t *)a].addr, y = sorting[*(const uint32_t *)b].addr;

	return x < y ? -1 : x > y;
}

static void index_by_addr(struct symbols *symbols)
{
	symbols->by_addr = malloc(symbols->nr_functions * sizeof(*symbols->by_addr));
	if (!symbols->by_addr)
		die("out of memory");
	for (size_t i = 0; i < symbols->nr_functions; i++)
		symbols->by_addr[i] = i;
	sorting = symbols->functions;
	qsort(symbols->by_addr, symbols->nr_functions, sizeof(*symbols->by_addr), by_addr);
}

void symbols_load(struct symbols *out, uint64_t text_start, uint64_t text_end)
{
	struct all all = { 0 };

	*out = (struct symbols){ 0 };
	read_all(&all);
	qsort(all.v, all.n, sizeof(*all.v), by_place);
	for (size_t i = 0; i < all.n; i++) {
		struct symbol *symbol = &all.v[i];
		const struct symbol *last = out->nr_functions ? &out->functions[out->nr_functions - 1] : NULL;

		if (!is_function(symbol, text_start, text_end)) {
			out->others = grow(out->others, out->nr_others, sizeof(*symbol));
			out->others[out->nr_others++] = *symbol;
		} else if (!last || last->addr != symbol->addr) {
			symbol->size = end_of(&all, i, text_end) - symbol->addr;
			out->functions = grow(out->functions, out->nr_functions, sizeof(*symbol));
			out->functions[out->nr_functions++] = *symbol;
		}
	}
	free(all.v);
	index_by_addr(out);
}

/* The last symbol that does not begin behind addr. */
const struct symbol *symbols_at(const struct symbols *symbols, uint64_t addr)
{
	size_t low = 0, high = symbols->nr_functions;
	const struct symbol *symbol;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (symbols->functions[symbols->by_addr[middle]].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	symbol = &symbols->functions[symbols->by_addr[low - 1]];
	return addr < symbol->addr + symbol->size ? symbol : NULL;
}

bool symbol_is_area(const struct symbol *symbol)
{
	size_t len = strlen(symbol->name);

	return !strcmp(symbol->module, "ktrace") && len > 5 && !strcmp(symbol->name + len - 5, "_area");
}

const char *symbols_name(const struct symbols *symbols, uint64_t addr)
{
	static char names[4][256];
	static unsigned int turn;
	const struct symbol *symbol = symbols_at(symbols, addr);
	char *name = names[turn++ % 4];

	if (symbol)
		snprintf(name, sizeof(names[0]), "%s%s%s+0x%llx", symbol->module, symbol->module[0] ? ":" : "",
			 symbol->name, (unsigned long long)(addr - symbol->addr));
	else
		snprintf(name, sizeof(names[0]), "0x%llx", (unsigned long long)addr);
	return name;
}
