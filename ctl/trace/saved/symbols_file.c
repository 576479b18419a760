// SPDX-License-Identifier: GPL-2.0-or-later
/* symbols_file.c - see symbols_file.h. */
#include "ctl/trace/saved/symbols_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/trace/ctf/frame.h"
#include "ctl/trace/saved/save_dir.h"
#include "ctl/trace/saved/symbols_used.h"

#define PAST_LAST	65536	/* bytes of the last symbol */
#define LINE_REST	(16 + 3 + 3 + 1)	/* characters of a line beside the names: address, type, "\t[]", end */

struct text {
	char *bytes;
	size_t len;
};

static bool read_all(const char *path, struct text *text)
{
	AUTO_CLOSE FILE *in = fopen(path, "re");
	size_t room = 8U << 20, n;

	if (!in)
		return false;
	text->bytes = mem_zalloc(1, room);
	while ((n = fread(text->bytes + text->len, 1, room - text->len, in))) {
		text->len += n;
		if (text->len == room)
			text->bytes = mem_grow(text->bytes, room *= 2, 1);
	}
	text->bytes[text->len] = '\0';
	return !ferror(in);
}

/* ------------------------------------------------------------------ what is kept */

/* Keep all symbols at the address of symbol i. Returns the first that is higher. */
static size_t keep_same(const struct symtab *tab, bool *kept, size_t i)
{
	const size_t n = symtab_count(tab);
	const uint64_t address = symtab_at(tab, i)->addr;

	for (; i < n && symtab_at(tab, i)->addr == address; i++)
		kept[i] = true;
	return i;
}

/* Keep the symbols that cover the addresses, and the next ones, with which they end. */
static void keep_covering(const struct symtab *tab, bool *kept, const struct addresses *used)
{
	const size_t nr = symtab_count(tab);
	size_t first = 0, next = 0;	/* the symbols at one address, and those behind them */

	for (size_t n = 0; n < used->n; n++) {
		while (next < nr && symtab_at(tab, next)->addr <= used->v[n]) {
			if (symtab_at(tab, next)->addr != symtab_at(tab, first)->addr)
				first = next;
			next++;
		}
		if (next && keep_same(tab, kept, first) < nr)
			keep_same(tab, kept, next);
	}
}

/* The lowest address of the kernel; those below are offsets in the data of a CPU. */
static size_t first_of_kernel(const struct symtab *tab)
{
	size_t i = 0;

	while (i < symtab_count(tab) && !(symtab_at(tab, i)->addr >> 63))
		i++;
	return i;
}

/* Which symbols are kept.  The caller frees the array. */
static bool *choose(const char *dir, const struct symbols_source *from)
{
	const struct symtab *tab = from->tab;
	const size_t n = symtab_count(tab), first = first_of_kernel(tab);
	bool *kept = mem_zalloc(n + 1, sizeof(*kept));
	struct addresses used = { 0 };

	if (from->reduce && first < n &&
	    symbols_used(dir, from->info, symtab_at(tab, first)->addr, symtab_at(tab, n - 1)->addr + PAST_LAST, &used)) {
		keep_same(tab, kept, first);
		keep_covering(tab, kept, &used);
	} else {
		for (size_t i = 0; i < n; i++)
			kept[i] = !from->only_code || sym_is_text(symtab_at(tab, i));
	}
	free(used.v);
	return kept;
}

/* "ffffffffc0100000 t ext4_write\t[ext4]" */
static char *put_line(char *to, const struct sym *sym)
{
	for (int shift = 60; shift >= 0; shift -= 4)
		*to++ = "0123456789abcdef"[sym->addr >> shift & 15];
	*to++ = ' ';
	*to++ = sym->type;
	*to++ = ' ';
	to = stpcpy(to, sym->name);
	if (*sym->module) {
		to = stpcpy(stpcpy(to, "\t["), sym->module);
		*to++ = ']';
	}
	*to++ = '\n';
	return to;
}

/* Lines of the symbols that the trace may refer to. */
static void put_lines(struct text *text, const char *dir, const struct symbols_source *from)
{
	AUTO_FREE bool *kept = choose(dir, from);
	const size_t n = symtab_count(from->tab);
	size_t room = 1;
	char *to;

	for (size_t i = 0; i < n; i++)
		if (kept[i])
			room += strlen(symtab_at(from->tab, i)->name) + strlen(symtab_at(from->tab, i)->module) + LINE_REST;
	to = text->bytes = mem_zalloc(1, room);
	for (size_t i = 0; i < n; i++)
		if (kept[i])
			to = put_line(to, symtab_at(from->tab, i));
	text->len = to - text->bytes;
}

/* --------------------------------------------------------------------- the file */

static void write_text(const void *arg, FILE *out)
{
	const struct text *text = arg;

	fwrite(text->bytes, 1, text->len, out);
}

bool symbols_file_put(const char *dir, const struct symbols_source *from, struct error *err)
{
	struct text text = { 0 };
	bool ok = false;

	if (from->tab) {
		put_lines(&text, dir, from);
	} else if (!read_all(from->path, &text)) {
		error_set(err, STATUS_FAILURE, "%s: %s", from->path, strerror(errno));
		free(text.bytes);
		return false;
	}
	if (!frame_is(text.bytes, text.len) && !frame_pack(&text.bytes, &text.len, FRAME_SMALL))
		error_set(err, STATUS_FAILURE, "no memory to compress the symbols");
	else
		ok = save_dir_put(dir, SAVE_SYMBOLS, write_text, &text, err);
	free(text.bytes);
	return ok;
}
