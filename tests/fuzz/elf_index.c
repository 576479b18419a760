// SPDX-License-Identifier: GPL-2.0-or-later
/* elf_index.c - a damaged index with a correct header; ask it everything. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf.h"
#include "symbols/index/calling.h"
#include "symbols/index/line.h"
#include "symbols/index/location.h"
#include "symbols/index/type.h"

#define MOST	256	/* the most of anything */

static size_t most(size_t n)
{
	return n < MOST ? n : MOST;
}

/* ------------------------------------------------------------------- types */

static void walk_type(const struct dbindex *ix, uint32_t number, struct type type)
{
	uint64_t counts[TYPE_DIMENSIONS];
	struct type_member member, found;
	const char *name;
	int64_t value;

	if (type.kind == TYPE_ARRAY)
		type_dimensions(&type, counts);
	else if (type.kind == TYPE_ENUM)
		while (type_next_value(ix, &type, &name, &value))
			;
	else if (type.kind == TYPE_STRUCT || type.kind == TYPE_UNION)
		for (unsigned int i = 0; i < MOST && type_next_member(ix, &type, &member); i++)
			if (*member.name && !(i % 8))
				type_member(ix, type.number, member.name, &found);
}

static void ask_type(const struct dbindex *ix, uint32_t number)
{
	struct type_member found;
	struct type type;
	char text[300], tiny[5];

	type_size(ix, number);
	type_spell(ix, number, text, sizeof(text));
	type_spell(ix, number, tiny, sizeof(tiny));
	type_member(ix, number, "no such member", &found);
	if (!type_resolve(ix, number, &type))
		return;
	type_by_name(ix, type.name);
	walk_type(ix, number, type);
}

/* --------------------------------------------------------------- functions */

static void ask_var(const struct dbindex *ix, const struct scope *scope, const struct var *var, uint32_t addr)
{
	static const uint16_t args[] = { 5, 4, 1, 2, 8, 9 };
	/* Of both conventions. */
	const struct calling calling = { .args = args, .nr_args = 6, .first_vector = 17, .nr_vectors = 8, .is_aapcs = addr & 1 };
	const struct loc_at at = { .addr = addr, .is_entry = addr & 2, .calling = &calling, .name = elf_reg };
	struct loc_refusal refusal;
	struct location where;
	char words[200];

	if (location_of(ix, scope, var, &at, &where, &refusal) == LOC_OK)
		location_words(&where, elf_reg, words, sizeof(words));
	location_everywhere(ix, scope, var, &at, words, sizeof(words));
	ask_type(ix, var->type);
}

static void ask_scope(const struct dbindex *ix, const struct scope *scope, uint32_t addr)
{
	scope_function(scope);
	for (size_t i = 0; i < most(scope->nr_vars); i++)
		ask_var(ix, scope, &scope->vars[i], addr);
	for (size_t i = 0; i < most(scope->nr_inner); i++)
		ask_scope(ix, &scope->inner[i], scope->inner[i].entry);
}

static void ask_function(const struct dbindex *ix, const struct ix_func *func)
{
	struct scope *scope = scope_read(ix, func);
	const struct ix_inline *copies;
	const uint32_t *all;

	dbindex_funcs(ix, dbindex_string(ix, func->name), &all);
	dbindex_inlines(ix, dbindex_string(ix, func->name), &copies);
	if (!scope)
		return;
	scope_at(scope, func->low + 4);
	ask_scope(ix, scope, func->low);
	scope_free(scope);
}

/* ------------------------------------------------------------------- lines */

static void ask_file(const struct dbindex *ix, uint32_t file)
{
	uint32_t *addrs, before, after, found[4];

	dbindex_files(ix, dbindex_file_name(ix, file), found, 4);
	for (uint32_t line = 1; line < 40; line += 3) {
		dbindex_line_addrs(ix, file, line, &addrs);
		free(addrs);
		dbindex_lines_around(ix, file, line, &before, &after);
	}
}

static void ask_address(const struct dbindex *ix, uint32_t addr)
{
	struct ix_line line;

	dbindex_func_at(ix, addr);
	dbindex_cfa_at(ix, addr);
	if (dbindex_line_at(ix, addr, &line))
		dbindex_file_name(ix, line.file);
}

void elf_ask(const struct dbindex *ix)
{
	const struct ix_global *globals, *same;
	size_t n;

	dbindex_rows(ix, PART_FUNCS, struct ix_func, &n);
	for (size_t i = 0; i < most(n); i++)
		ask_function(ix, dbindex_func(ix, i));
	dbindex_rows(ix, PART_TYPES, uint64_t, &n);
	for (size_t i = 0; i < most(n); i++)
		ask_type(ix, i);
	globals = dbindex_rows(ix, PART_GLOBALS, struct ix_global, &n);
	for (size_t i = 0; i < most(n); i++) {
		dbindex_globals(ix, dbindex_string(ix, globals[i].name), &same);
		ask_type(ix, globals[i].type - 1);
	}
	dbindex_rows(ix, PART_FILES, uint32_t, &n);
	for (size_t i = 0; i < most(n) + 1; i++)
		ask_file(ix, i);
	for (uint32_t addr = 0; addr < 400; addr += 3)
		ask_address(ix, addr);
	ask_address(ix, UINT32_MAX);
}

/* Correct the checksum, as an attacker would. */
void elf_index(const uint8_t *data, size_t size)
{
	struct dbindex_header header;
	struct debug_error err;
	struct dbindex *ix;
	int fd;

	if (size < sizeof(header))
		return;
	memcpy(&header, data, sizeof(header));
	memcpy(header.magic, DBINDEX_MAGIC, sizeof(header.magic));
	header.version = DBINDEX_VERSION;
	header.header_size = sizeof(header);
	header.size = size;
	header.sum = dbindex_sum(&header);
	fd = elf_file(data, size);
	if (pwrite(fd, &header, sizeof(header), 0) != sizeof(header))
		abort();
	ix = dbindex_map(fd, "index", &err);
	if (ix)
		elf_ask(ix);
	else if (!*err.text || strchr(err.text, '\n'))
		abort();
	dbindex_close(ix);
	close(fd);
}
