// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kallsyms.c - load /proc/kallsyms: read it into one buffer and split that into names in place.  The kernel's
 * own symbols are sorted in the file, those of modules are not.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/symtab/symtab.h"

#define FIRST_ROOM	(8U << 20)
#define LINE_GUESS	24	/* bytes of a usual short line */

/* ----------------------------------------------------------------- reading */

struct asked {
	symtab_go_on *go_on;
	void *arg;
};

static bool stops(const struct asked *asked)
{
	return asked->go_on && !asked->go_on(asked->arg);
}

/* Read the whole file, and add a NUL. */
static enum symtab_status read_fd(int fd, const struct asked *asked, char **out, size_t *len)
{
	size_t room = FIRST_ROOM, n = 0;
	char *text = malloc(room), *more;
	ssize_t got;

	while (text) {
		got = read(fd, text + n, room - n - 1);
		if (got < 0 && errno != EINTR) {
			free(text);
			return SYMTAB_UNREADABLE;
		}
		if (stops(asked)) {
			free(text);
			return SYMTAB_STOPPED;
		}
		n += got > 0 ? got : 0;
		if (!got) {
			text[n] = '\0';
			*out = text;
			*len = n;
			return SYMTAB_OK;
		}
		if (n + 1 < room)
			continue;
		room *= 2;
		more = realloc(text, room);
		if (!more)
			free(text);
		text = more;
	}
	return SYMTAB_NOMEM;
}

static enum symtab_status read_file(const char *path, const struct asked *asked, char **out, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	enum symtab_status status;
	int saved;

	if (fd < 0)
		return SYMTAB_UNREADABLE;
	status = read_fd(fd, asked, out, len);
	saved = errno;
	close(fd);
	errno = saved;
	return status;
}

/* ----------------------------------------------------------------- parsing */

static const int8_t hex_value[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8,
	['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15,
	['f'] = 16, ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static bool parse_addr(char **at, uint64_t *addr)
{
	const char *start = *at;
	uint64_t v = 0;
	int digit;

	while ((digit = hex_value[(unsigned char)**at])) {
		v = v << 4 | (digit - 1);
		(*at)++;
	}
	*addr = v;
	return *at > start && *at - start <= 16;
}

/* The module at the end of the line, "\t[ext4]", cut out in place.  "": there is none. */
static const char *parse_module(char *at, char *end, const char *last)
{
	if (at == end)
		return "";
	*at++ = '\0';
	if (end - at < 3 || *at != '[' || end[-1] != ']')
		return NULL;
	end[-1] = '\0';
	/* Symbols of a module follow each other: let them share the pointer. */
	return strcmp(last, at + 1) ? at + 1 : last;
}

/* "ffffffff81000000 T _text" [ "\t[module]" ] */
static bool parse_line(char *at, char *end, const char *last, struct sym *sym)
{
	char *tab;

	if (!parse_addr(&at, &sym->addr) || end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return false;
	sym->type = at[1];
	sym->name = at + 3;
	sym->size = 0;
	tab = memchr(at + 3, '\t', end - at - 3);
	*end = '\0';
	sym->module = parse_module(tab ? tab : end, end, last);
	return sym->module && *sym->name;
}

static bool grow(struct symtab *tab, size_t *room, size_t text_len)
{
	size_t want = *room ? *room * 2 : text_len / LINE_GUESS + 64;
	struct sym *syms = realloc(tab->syms, want * sizeof(*syms));

	if (!syms)
		return false;
	tab->syms = syms;
	*room = want;
	return true;
}

/*
 * $x, $d.1: mapping symbols of code and data in modules (ELF for the Arm 64-bit Architecture, "Mapping
 * symbols").
 */
static bool is_mapping(const char *name)
{
	return name[0] == '$' && name[1] && (!name[2] || name[2] == '.');
}

/* Pages of the kernel's own kprobes and function tracing come and go, and nothing tells when: they are left out. */
static bool is_passing(const char *module)
{
	return *module == '_' && !strncmp(module, "__builtin__", 11);
}

static enum symtab_status parse(struct symtab *tab, size_t len)
{
	char *at = tab->text, *end = tab->text + len, *eol;
	const char *last = "";
	size_t room = 0;

	while (at < end) {
		eol = memchr(at, '\n', end - at);
		if (!eol)
			eol = end;
		if (tab->nr == room && !grow(tab, &room, len))
			return SYMTAB_NOMEM;
		if (!parse_line(at, eol, last, &tab->syms[tab->nr]))
			return SYMTAB_MALFORMED;
		last = tab->syms[tab->nr].module;
		tab->nr += !is_mapping(tab->syms[tab->nr].name) && !is_passing(last);
		at = eol + 1;
	}
	return tab->nr ? SYMTAB_OK : SYMTAB_MALFORMED;
}

static bool hidden(const struct symtab *tab)
{
	for (size_t i = 0; i < tab->nr; i++)
		if (tab->syms[i].addr)
			return false;
	return true;
}

/* ----------------------------------------------------------------- sorting */

/* A stable order: the names are in the buffer in the order of the file. */
static int by_addr(const void *a, const void *b)
{
	const struct sym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* Sort the part behind the sorted beginning, together with the part of the beginning that it overlaps. */
static void sort(struct symtab *tab)
{
	uint64_t least = UINT64_MAX;
	size_t sorted = 1, i;

	while (sorted < tab->nr && tab->syms[sorted - 1].addr <= tab->syms[sorted].addr)
		sorted++;
	for (i = sorted; i < tab->nr; i++)
		if (tab->syms[i].addr < least)
			least = tab->syms[i].addr;
	for (i = sorted; i && tab->syms[i - 1].addr > least; i--)
		;
	qsort(tab->syms + i, tab->nr - i, sizeof(*tab->syms), by_addr);
}

/* ----------------------------------------------------------------- repairing */

static uint64_t addr_of(const struct symtab *tab, const char *name)
{
	for (size_t i = 0; i < tab->nr; i++)
		if (!*tab->syms[i].module && !strcmp(tab->syms[i].name, name))
			return tab->syms[i].addr;
	return 0;
}

/*
 * If the ELF flags of the kernel's .data allow execution, as in 7.2, its symbols are listed as text: mark them
 * as data.
 */
static void mark_data(struct symtab *tab)
{
	uint64_t first = addr_of(tab, "_sdata"), end = addr_of(tab, "_edata");

	for (struct sym *sym = tab->syms; sym < tab->syms + tab->nr; sym++)
		if (sym->addr >= first && sym->addr < end && sym_is_text(sym))
			sym->type = sym->type == 't' ? 'd' : 'D';
}

/* ---------------------------------------------------------------- the table */

static enum symtab_status load(struct symtab *tab, const char *path, const struct asked *asked)
{
	enum symtab_status status;
	size_t len;

	status = read_file(path, asked, &tab->text, &len);
	if (status == SYMTAB_OK)
		status = symtab_unpack(&tab->text, &len);
	if (status != SYMTAB_OK)
		return status;
	status = parse(tab, len);
	if (status != SYMTAB_OK)
		return status;
	if (hidden(tab))
		return SYMTAB_HIDDEN;
	sort(tab);
	mark_data(tab);
	if (stops(asked))
		return SYMTAB_STOPPED;
	return symtab_measure(tab) && symtab_index(tab) ? SYMTAB_OK : SYMTAB_NOMEM;
}

enum symtab_status symtab_load(const char *path, symtab_go_on *go_on, void *arg, struct symtab **out)
{
	struct symtab *tab = calloc(1, sizeof(*tab));
	enum symtab_status status;
	int saved;

	if (!tab)
		return SYMTAB_NOMEM;
	status = load(tab, path, &(struct asked){ go_on, arg });
	if (status == SYMTAB_OK) {
		*out = tab;
		return status;
	}
	saved = errno;
	symtab_free(tab);
	errno = saved;
	return status;
}

void symtab_free(struct symtab *tab)
{
	if (!tab)
		return;
	if (tab->map) {
		munmap(tab->map, tab->map_size);
		free(tab);
		return;
	}
	free(tab->modules);
	free(tab->dotted);
	free(tab->slots);
	free(tab->groups);
	free(tab->by_module);
	free(tab->by_name);
	free(tab->covering);
	free(tab->syms);
	free(tab->text);
	free(tab);
}

size_t symtab_count(const struct symtab *tab)
{
	return tab->nr;
}

const struct sym *symtab_at(const struct symtab *tab, size_t i)
{
	return &tab->syms[i];
}
