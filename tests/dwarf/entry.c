// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * entry.c - print for each function of an index where its parameters are at the entry, so that tests/dwarf/entry can
 * compare that with their types: entry INDEX IMAGE < SYMBOLS, as from nm. Each line is an object of JSON.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "symbols/index/calling.h"
#include "symbols/index/location.h"
#include "symbols/index/type.h"

struct symbol {
	uint64_t addr;
	char name[128];
};

static struct symbol *symbols;
static size_t nr_symbols;

static bool is_code(char kind)
{
	return kind == 't' || kind == 'T' || kind == 'w' || kind == 'W';
}

static void read_symbols(void)
{
	struct symbol one;
	char kind, line[512];

	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%" SCNx64 " %c %127s", &one.addr, &kind, one.name) != 3 || !is_code(kind))
			continue;
		if (!(nr_symbols & (nr_symbols - 1)))
			symbols = realloc(symbols, (nr_symbols ? 2 * nr_symbols : 1) * sizeof(*symbols));
		if (!symbols)
			exit(1);
		symbols[nr_symbols++] = one;
	}
}

static int by_addr(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* "": none is there. */
static const char *name_at(uint64_t addr)
{
	const struct symbol key = { .addr = addr };
	const struct symbol *found = nr_symbols ? bsearch(&key, symbols, nr_symbols, sizeof(key), by_addr) : NULL;

	return found ? found->name : "";
}

/* The first own instruction of a function; kernels are linked at fixed addresses. */
static uint32_t first_own(const struct image *image, uint32_t low)
{
	const uint64_t addr = image->base + low;

	for (size_t i = 0; i < image->nr_sections; i++) {
		const struct image_section *section = &image->sections[i];

		if (section->is_text && section->data && addr >= section->addr && addr - section->addr < section->data_size)
			return low + arch_native.prologue(section->data + (addr - section->addr),
							  section->data_size - (addr - section->addr), addr);
	}
	return low;
}

static const char *reg_name(uint16_t dwarf)
{
	return arch_reg_name(&arch_native, dwarf);
}

static const char *const kinds[] = {
	[TYPE_VOID] = "void", [TYPE_BASE] = "base", [TYPE_POINTER] = "pointer", [TYPE_STRUCT] = "struct",
	[TYPE_UNION] = "struct", [TYPE_ENUM] = "base", [TYPE_ARRAY] = "array", [TYPE_FUNCTION] = "function",
};

static void put_type(const struct dbindex *ix, uint32_t number)
{
	struct type type;

	if (number == NO_TYPE || !type_resolve(ix, number, &type))
		printf("\"kind\":\"void\",\"size\":0");
	else
		printf("\"kind\":\"%s\",\"size\":%" PRIu64, kinds[type.kind], type.kind == TYPE_POINTER ? 8 : type.size);
}

/* What the debug information itself has at the address, without what is known of entries. */
static void put_plain(const struct dbindex *ix, const struct scope *function, const struct var *var, uint32_t addr)
{
	struct scope other = *function;
	const struct loc_at at = { .addr = addr, .name = reg_name };
	struct loc_refusal refusal;
	struct location location;
	char words[256] = "";

	other.flags &= ~SCOPE_CALLED;
	if (location_of(ix, &other, var, &at, &location, &refusal) == LOC_OK)
		location_words(&location, reg_name, words, sizeof(words));
	printf("\"plain\":\"%s\",", words);
}

static void put_parameter(const struct dbindex *ix, const struct scope *function, const struct var *var,
			  const struct loc_at *at, bool is_first)
{
	struct loc_refusal refusal = { .why = "" };
	struct location location;
	char words[256] = "";

	if (location_of(ix, function, var, at, &location, &refusal) == LOC_OK)
		location_words(&location, reg_name, words, sizeof(words));
	printf("%s{\"name\":\"%s\",\"missing\":%d,\"place\":\"%s\",\"why\":\"%s\",", is_first ? "" : ",", var->name,
	       var->form == VAR_NOWHERE || var->flags & VAR_MISSING, words, refusal.why);
	put_plain(ix, function, var, at->addr);
	put_type(ix, var->type);
	putchar('}');
}

static void put_function(const struct dbindex *ix, const struct image *image, const struct ix_func *func, const struct calling *calling)
{
	struct scope *function = scope_read(ix, func);
	const char *name = name_at(dbindex_header(ix)->base + func->low);
	struct loc_at at = { .is_entry = true, .is_clone = calling_is_clone(name), .calling = calling, .name = reg_name };
	bool is_first = true;

	if (!function) {
		fputs("entry: a function cannot be read\n", stderr);
		exit(1);
	}
	at.addr = first_own(image, function->entry);
	printf("{\"name\":\"%s\",\"symbol\":\"%s\",\"flags\":%u,\"result\":{", function->name, name, function->flags);
	put_type(ix, function->type);
	printf("},\"parameters\":[");
	for (size_t i = 0; i < function->nr_vars; i++) {
		if (!(function->vars[i].flags & VAR_PARAMETER))
			continue;
		put_parameter(ix, function, &function->vars[i], &at, is_first);
		is_first = false;
	}
	printf("]}\n");
	scope_free(function);
}

int main(int argc, char **argv)
{
	const struct calling calling = {
		.args = arch_native.dwarf_args, .nr_args = arch_native.nr_dwarf_args,
		.first_vector = arch_native.dwarf_vector_arg, .nr_vectors = arch_native.nr_dwarf_vector_args,
		.is_aapcs = arch_native.args_by_reference,
	};
	struct debug_error err;
	struct dbindex *ix = argc == 3 ? dbindex_open(argv[1], &err) : NULL;
	struct image *image = ix ? image_open(argv[2], &err) : NULL;
	const struct ix_func *funcs;
	size_t nr;

	if (!image) {
		fprintf(stderr, "%s\n", argc == 3 ? err.text : "usage: entry INDEX IMAGE < SYMBOLS");
		return 2;
	}
	read_symbols();
	qsort(symbols, nr_symbols, sizeof(*symbols), by_addr);
	funcs = dbindex_rows(ix, PART_FUNCS, struct ix_func, &nr);
	for (size_t i = 0; i < nr; i++)
		put_function(ix, image, &funcs[i], &calling);
	free(symbols);
	image_close(image);
	dbindex_close(ix);
	return 0;
}
