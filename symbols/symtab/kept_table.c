// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kept_table.c - keep a table of symbols in a file, from which it is mapped as it is, with its pointers: they are right at
 * the address BASE, where it is usually mapped. Elsewhere the distance is added to each.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "symbols/symtab/symtab.h"

#define NAME	"symbols"
/* Nothing else is mapped there by itself: neither the stack, nor programs, libraries and heap, also with 39 bits. */
#define BASE	0x2000000000ULL

enum part { PART_HEAD, PART_SYMS, PART_COVERING, PART_BY_NAME, PART_BY_MODULE, PART_GROUPS, PART_SLOTS, PART_DOTTED, PART_MODULES, PART_TEXT, NR_PARTS };

struct head {
	uint64_t nr, nr_covering, nr_groups, nr_dotted, nr_modules, nr_slots;
	uint64_t parts[NR_PARTS];	/* where they begin */
	uint64_t size;
};

/* ---------------------------------------------------------------- writing */

/* The names one behind the other; those of modules only where they change. */
static size_t text_size(const struct symtab *tab)
{
	const char *last = "";
	size_t size = 1;

	for (size_t i = 0; i < tab->nr; i++) {
		size += strlen(tab->syms[i].name) + 1;
		if (tab->syms[i].module != last)
			size += strlen(tab->syms[i].module) + 1;
		last = tab->syms[i].module;
	}
	for (size_t i = 0; i < tab->nr_modules; i++)
		size += strlen(tab->modules[i]) + 1;
	return size;
}

static void lay_out(const struct symtab *tab, struct head *head)
{
	const size_t sizes[NR_PARTS] = {
		[PART_HEAD] = sizeof(*head),
		[PART_SYMS] = tab->nr * sizeof(*tab->syms),
		[PART_COVERING] = tab->nr_covering * sizeof(*tab->covering),
		[PART_BY_NAME] = tab->nr * sizeof(*tab->by_name),
		[PART_BY_MODULE] = tab->nr * sizeof(*tab->by_module),
		[PART_GROUPS] = tab->nr_groups * sizeof(*tab->groups),
		[PART_SLOTS] = (tab->slot_mask + 1ULL) * sizeof(*tab->slots),
		[PART_DOTTED] = tab->nr_dotted * sizeof(*tab->dotted),
		[PART_MODULES] = tab->nr_modules * sizeof(*tab->modules),
		[PART_TEXT] = text_size(tab),
	};

	*head = (struct head){
		.nr = tab->nr, .nr_covering = tab->nr_covering, .nr_groups = tab->nr_groups, .nr_dotted = tab->nr_dotted,
		.nr_modules = tab->nr_modules, .nr_slots = tab->slot_mask + 1ULL,
	};
	for (size_t i = 0; i < NR_PARTS; i++) {
		head->parts[i] = head->size;
		head->size += (sizes[i] + 7) & ~7ULL;
	}
}

struct image_out {
	char *bytes;
	struct head head;
};

/* The address that a byte of the image has where it is mapped. */
static void *later(const struct image_out *out, const void *at)
{
	return (void *)(uintptr_t)(BASE + ((const char *)at - out->bytes));
}

static const char *put_text(const struct image_out *out, char **at, const char *text)
{
	const size_t size = strlen(text) + 1;
	char *const here = *at;

	memcpy(here, text, size);
	*at += size;
	return later(out, here);
}

static void put_modules(const struct image_out *out, const struct symtab *tab, char **at)
{
	const char **modules = (void *)(out->bytes + out->head.parts[PART_MODULES]);

	for (size_t i = 0; i < tab->nr_modules; i++)
		modules[i] = put_text(out, at, tab->modules[i]);
}

static void put_syms(const struct image_out *out, const struct symtab *tab)
{
	struct sym *syms = (void *)(out->bytes + out->head.parts[PART_SYMS]);
	char *at = out->bytes + out->head.parts[PART_TEXT];
	const char *last = "", *last_later = put_text(out, &at, "");

	for (size_t i = 0; i < tab->nr; i++) {
		syms[i] = tab->syms[i];
		syms[i].name = put_text(out, &at, tab->syms[i].name);
		if (tab->syms[i].module != last)
			last_later = put_text(out, &at, tab->syms[i].module);
		last = tab->syms[i].module;
		syms[i].module = last_later;
	}
	put_modules(out, tab, &at);
}

static void put_pointers(const struct image_out *out, const struct symtab *tab, enum part part,
			 const struct sym *const *from, size_t nr)
{
	const struct sym *syms = later(out, out->bytes + out->head.parts[PART_SYMS]);
	const struct sym **to = (void *)(out->bytes + out->head.parts[part]);

	for (size_t i = 0; i < nr; i++)
		to[i] = syms + (from[i] - tab->syms);
}

static void put(const struct image_out *out, enum part part, const void *from, size_t size)
{
	memcpy(out->bytes + out->head.parts[part], from, size);
}

bool symtab_keep(const struct symtab *tab, const char *dir, const char key[KEPT_KEY])
{
	struct image_out out;
	bool ok;

	lay_out(tab, &out.head);
	out.bytes = calloc(1, out.head.size);
	if (!out.bytes)
		return false;
	put(&out, PART_HEAD, &out.head, sizeof(out.head));
	put_syms(&out, tab);
	put_pointers(&out, tab, PART_COVERING, tab->covering, tab->nr_covering);
	put_pointers(&out, tab, PART_BY_NAME, tab->by_name, tab->nr);
	put_pointers(&out, tab, PART_BY_MODULE, tab->by_module, tab->nr);
	put_pointers(&out, tab, PART_DOTTED, tab->dotted, tab->nr_dotted);
	put(&out, PART_GROUPS, tab->groups, tab->nr_groups * sizeof(*tab->groups));
	put(&out, PART_SLOTS, tab->slots, (tab->slot_mask + 1ULL) * sizeof(*tab->slots));
	ok = kept_write(dir, NAME, key, out.bytes, out.head.size);
	free(out.bytes);
	return ok;
}

/* ---------------------------------------------------------------- mapping */

static void move_pointers(const struct sym **pointers, size_t nr, ptrdiff_t distance)
{
	for (size_t i = 0; i < nr; i++)
		pointers[i] = (const void *)((const char *)pointers[i] + distance);
}

static void move_table(struct symtab *tab, ptrdiff_t distance)
{
	for (size_t i = 0; i < tab->nr; i++) {
		tab->syms[i].name += distance;
		tab->syms[i].module += distance;
	}
	for (size_t i = 0; i < tab->nr_modules; i++)
		tab->modules[i] += distance;
	move_pointers(tab->covering, tab->nr_covering, distance);
	move_pointers(tab->by_name, tab->nr, distance);
	move_pointers(tab->by_module, tab->nr, distance);
	move_pointers(tab->dotted, tab->nr_dotted, distance);
}

/* What is mapped is what symtab_keep() wrote: kept_map() has compared its checksum. */
struct symtab *symtab_map(const char *dir, const char key[KEPT_KEY])
{
	struct symtab *tab = calloc(1, sizeof(*tab));
	const struct head *head;
	char *map;

	if (!tab)
		return NULL;
	map = kept_map(dir, NAME, key, (void *)BASE, &tab->map_size);
	if (!map) {
		free(tab);
		return NULL;
	}
	head = (const void *)map;
	*tab = (struct symtab){
		.map = map, .map_size = tab->map_size, .nr = head->nr, .nr_covering = head->nr_covering,
		.nr_groups = head->nr_groups, .nr_dotted = head->nr_dotted, .nr_modules = head->nr_modules,
		.slot_mask = head->nr_slots - 1,
		.syms = (void *)(map + head->parts[PART_SYMS]), .covering = (void *)(map + head->parts[PART_COVERING]),
		.by_name = (void *)(map + head->parts[PART_BY_NAME]),
		.by_module = (void *)(map + head->parts[PART_BY_MODULE]),
		.groups = (void *)(map + head->parts[PART_GROUPS]), .slots = (void *)(map + head->parts[PART_SLOTS]),
		.dotted = (void *)(map + head->parts[PART_DOTTED]),
		.modules = (void *)(map + head->parts[PART_MODULES]),
	};
	if (map == (char *)BASE)
		return tab;
	if (!mprotect(map, tab->map_size, PROT_READ | PROT_WRITE)) {
		move_table(tab, map - (char *)BASE);
		return tab;
	}
	symtab_free(tab);
	return NULL;
}
