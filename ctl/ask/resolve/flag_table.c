// SPDX-License-Identifier: GPL-2.0-or-later
/* flag_table.c - see flag_table.h. */
#include "ctl/ask/resolve/flag_table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/device/memory_read.h"
#include "ctl/base/memory.h"

#define MOST	128	/* names of a table */
#define LONGEST	40	/* characters of a name */

/* Those of fmode_t that all kernels have alike: the kernel has no table of them. */
static const struct flag_name file_modes[] = {
	{ 1, "FMODE_READ" }, { 2, "FMODE_WRITE" }, { 4, "FMODE_LSEEK" }, { 8, "FMODE_PREAD" }, { 0x10, "FMODE_PWRITE" },
	{ 0x20, "FMODE_EXEC" },
};

/* The tables, each read once: they do not change while the kernel runs. */
static struct known {
	const char *type;
	const char *symbol;	/* the kernel's table; NULL: the kernel has none, and the table is in this file */
	struct flag_table table;
} all[] = {
	{ "gfp_t", "gfpflag_names", { NULL, 0 } },
	{ "vm_flags_t", "vmaflag_names", { NULL, 0 } },
	{ "pageflags", "pageflag_names", { NULL, 0 } },
	{ "fmode_t", NULL, { file_modes, ARRAY_SIZE(file_modes) } },
};

static struct known *find(const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (!strcmp(all[i].type, type))
			return &all[i];
	return NULL;
}

bool flag_table_has(const char *type)
{
	return find(type);
}

/* NULL: there is no name at the address.  The caller frees it. */
static char *read_name(const struct memory *memory, uint64_t addr)
{
	char text[LONGEST + 1] = "";
	size_t len = 0;

	/* Byte by byte: what follows the name may be unreadable. */
	while (len < LONGEST && memory_read(memory, addr + len, &text[len], 1) && (isalnum((unsigned char)text[len]) || text[len] == '_'))
		len++;
	return len && !text[len] ? mem_strdup(text) : NULL;
}

/* An element is a mask and the address of its name; both of the last one are 0.  False: it is no such table. */
static bool read_table(const struct memory *memory, uint64_t addr, struct flag_name **out, size_t *n)
{
	uint64_t element[2];
	char *name;

	for (*n = 0; *n < MOST && memory_read(memory, addr + *n * sizeof(element), element, sizeof(element)); (*n)++) {
		if (!element[1])
			return *n && !element[0];
		name = read_name(memory, element[1]);
		if (!name)
			return false;
		*out = MEM_MORE(*out, *n);
		(*out)[*n] = (struct flag_name){ element[0], name };
	}
	return false;
}

static void forget(struct flag_name *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free((char *)names[i].name);
	free(names);
}

static bool load(struct known *known, uint64_t addr, struct error *err)
{
	struct memory *memory = memory_open("", err);
	struct flag_name *names = NULL;
	size_t n = 0;
	bool ok;

	if (!memory)
		return false;
	ok = read_table(memory, addr, &names, &n);
	memory_close(memory);
	if (ok) {
		known->table = (struct flag_table){ names, n };
		return true;
	}
	forget(names, n);
	return error_set(err, STATUS_FAILURE, "the kernel's names of the flags of %s cannot be read: show them in hex, by :x", known->type);
}

bool flag_table_of(const struct target *target, const char *type, struct flag_table *out, struct error *err)
{
	struct known *known = find(type);
	const struct sym *const *first;

	if (!known->table.n) {
		if (!target->tab || target->program || !symtab_by_name(target->tab, known->symbol, NULL, &first))
			return error_set(err, STATUS_FAILURE, "the names of the flags of %s are unknown, because the kernel does not list its symbols of data (CONFIG_KALLSYMS_ALL): show them in hex, by :x",
					 type);
		if (!load(known, first[0]->addr, err))
			return false;
	}
	*out = known->table;
	return true;
}

/* ------------------------------------------------------------------- by name */

/* VM_DONTEXPAND is "dontexpand" in the kernel's table. */
static bool same_word(const char *name, const char *listed)
{
	for (; *name; name++)
		if (*name != '_' && tolower((unsigned char)*name) != *listed++)
			return false;
	return !*listed;
}

static bool same_name(const char *name, const char *listed)
{
	return !strcmp(name, listed);
}

static const struct {
	const char *prefix;
	size_t skip;		/* characters that the table leaves out */
	const char *type;
	bool (*same)(const char *name, const char *listed);
} spellings[] = {
	{ "GFP_", 0, "gfp_t", same_name }, { "__GFP_", 0, "gfp_t", same_name }, { "VM_", 3, "vm_flags_t", same_word },
};

bool flag_table_named(const struct target *target, const char *name, uint64_t *mask, struct error *err)
{
	struct flag_table table;
	size_t i = 0;

	*err = (struct error){ .status = STATUS_OK };
	while (i < ARRAY_SIZE(spellings) && strncmp(name, spellings[i].prefix, strlen(spellings[i].prefix)))
		i++;
	if (i == ARRAY_SIZE(spellings) || !flag_table_of(target, spellings[i].type, &table, err))
		return false;
	for (size_t n = 0; n < table.n; n++) {
		if (!spellings[i].same(name + spellings[i].skip, table.v[n].name))
			continue;
		*mask = table.v[n].mask;
		return true;
	}
	return error_set(err, STATUS_USAGE, "'%s' is no flag that this kernel's table of %s has", name, spellings[i].type);
}
