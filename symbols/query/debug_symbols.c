// SPDX-License-Identifier: GPL-2.0-or-later
/* debug_symbols.c - the symbols of a unit at their live addresses, and whether it has a source file.  See debug.h. */
#include "symbols/query/debug.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct listing {
	struct debug_unit *unit;
	FILE *out;
};

/* Labels that tools generate are not names: $x, .L12. */
static bool list_symbol(const struct image_symbol *symbol, void *arg)
{
	struct listing *listing = arg;
	uint64_t addr;

	if (strpbrk(symbol->name, " \t\n$") || *symbol->name == '.' ||
	    !debug_live_address(listing->unit, symbol->addr, &addr))
		return true;
	fprintf(listing->out, "%016llx %c %s\n", (unsigned long long)addr, symbol->is_text ? 't' : 'd', symbol->name);
	return true;
}

static void list_one(struct listing *listing, uint32_t offset, const char *name)
{
	uint64_t addr;

	if (debug_to_live(listing->unit, offset, &addr))
		fprintf(listing->out, "%016llx t %s\n", (unsigned long long)addr, name);
}

/* An index has functions only; code that is not in the index may follow each of them. */
static void list_functions(struct listing *listing, const struct dbindex *ix)
{
	size_t nr;
	const struct ix_func *funcs = dbindex_rows(ix, PART_FUNCS, struct ix_func, &nr);

	for (size_t i = 0; i < nr; i++) {
		const char *name = dbindex_string(ix, funcs[i].name);
		uint32_t end = funcs[i].low + funcs[i].size;

		if (*name)
			list_one(listing, funcs[i].low, name);
		if (i + 1 == nr || funcs[i + 1].low > end)
			list_one(listing, end, "(unknown)");
	}
}

/* Write a table in the format of /proc/kallsyms and load it. */
struct symtab *debug_symbols(struct debug_unit *unit)
{
	struct listing listing = { .unit = unit };
	const struct image *image;
	struct symtab *tab = NULL;
	char path[64];
	int fd = memfd_create("ktrace-symbols", MFD_CLOEXEC);

	listing.out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!listing.out)
		return NULL;
	image = debug_unit_image(unit);
	if (image)
		image_symbols(image, list_symbol, &listing);
	else
		list_functions(&listing, debug_index_ready(unit));
	fflush(listing.out);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (symtab_load(path, NULL, NULL, &tab) != SYMTAB_OK)
		tab = NULL;
	fclose(listing.out);
	return tab;
}

bool debug_may_have_file(struct debug_unit *unit, const char *file)
{
	const struct image *image = debug_unit_is_btf(unit) || debug_index_ready(unit) ? NULL : debug_unit_image(unit);

	return !image || image_may_have_source(image, file);
}
