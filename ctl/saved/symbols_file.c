// SPDX-License-Identifier: GPL-2.0-or-later
/* symbols_file.c - see symbols_file.h. */
#include "ctl/saved/symbols_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/ctf/frame.h"
#include "ctl/saved/save_dir.h"
#include "ctl/saved/symbols_used.h"

#define PAST_LAST	65536	/* bytes of the last symbol */

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

/* "ffffffff81000000 T _stext" */
struct line {
	uint64_t address;
	char type;
	bool kept;
	const char *text;
	size_t len;		/* with its end of line */
};

struct lines {
	struct line *v;		/* as in the file */
	struct line **by_address;
	size_t n;
};

static int by_address(const void *a, const void *b)
{
	const struct line *const *x = a, *const *y = b;

	return (*x)->address < (*y)->address ? -1 : (*x)->address > (*y)->address;
}

static void split(const struct text *text, struct lines *out)
{
	for (size_t at = 0, len; at < text->len; at += len) {
		const char *start = text->bytes + at, *end = memchr(start, '\n', text->len - at);
		struct line line = { .text = start };
		char *rest;

		len = line.len = end ? (size_t)(end - start) + 1 : text->len - at;
		line.address = strtoull(start, &rest, 16);
		if (rest == start || rest + 1 >= start + len || *rest != ' ')
			continue;
		line.type = rest[1];
		out->v = MEM_MORE(out->v, out->n);
		out->v[out->n++] = line;
	}
	out->by_address = mem_zalloc(out->n + 1, sizeof(*out->by_address));
	for (size_t i = 0; i < out->n; i++)
		out->by_address[i] = &out->v[i];
	qsort(out->by_address, out->n, sizeof(*out->by_address), by_address);
}

/* Keep all symbols at the address of by_address[i]. Returns the first that is higher. */
static size_t keep_same(struct lines *lines, size_t i)
{
	const uint64_t address = lines->by_address[i]->address;

	for (; i < lines->n && lines->by_address[i]->address == address; i++)
		lines->by_address[i]->kept = true;
	return i;
}

/* Keep the symbols that cover the addresses, and the next ones, with which they end. */
static void keep_covering(struct lines *lines, const struct addresses *used)
{
	size_t first = 0, next = 0;	/* the symbols at one address, and those behind them */

	for (size_t n = 0; n < used->n; n++) {
		while (next < lines->n && lines->by_address[next]->address <= used->v[n]) {
			if (lines->by_address[next]->address != lines->by_address[first]->address)
				first = next;
			next++;
		}
		if (next && keep_same(lines, first) < lines->n)
			keep_same(lines, next);
	}
}

static void keep_code(struct lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		lines->v[i].kept = strchr("tTwW", lines->v[i].type);
}

/* The lowest address of the kernel; those below are offsets in the data of a CPU. */
static size_t first_of_kernel(const struct lines *lines)
{
	size_t i = 0;

	while (i < lines->n && !(lines->by_address[i]->address >> 63))
		i++;
	return i;
}

static void choose(struct lines *lines, const char *dir, const struct symbols_source *from)
{
	const size_t first = first_of_kernel(lines);
	struct addresses used = { 0 };

	if (first < lines->n &&
	    symbols_used(dir, lines->by_address[first]->address, lines->by_address[lines->n - 1]->address + PAST_LAST, &used)) {
		keep_same(lines, first);
		keep_covering(lines, &used);
	} else if (from->only_code) {
		keep_code(lines);
	} else {
		for (size_t i = 0; i < lines->n; i++)
			lines->v[i].kept = true;
	}
	free(used.v);
}

/* Leave out lines of symbols that the trace does not refer to. */
static void reduce(struct text *text, const char *dir, const struct symbols_source *from)
{
	struct lines lines = { 0 };
	char *to = text->bytes;

	split(text, &lines);
	choose(&lines, dir, from);
	for (size_t i = 0; i < lines.n; i++) {
		if (!lines.v[i].kept)
			continue;
		memmove(to, lines.v[i].text, lines.v[i].len);
		to += lines.v[i].len;
	}
	text->len = to - text->bytes;
	free(lines.v);
	free(lines.by_address);
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
	bool is_packed, ok = false;

	if (!read_all(from->path, &text)) {
		error_set(err, STATUS_FAILURE, "%s: %s", from->path, strerror(errno));
		free(text.bytes);
		return false;
	}
	is_packed = frame_is(text.bytes, text.len);
	if (from->reduce && !is_packed)
		reduce(&text, dir, from);
	if (!is_packed && !frame_pack(&text.bytes, &text.len))
		error_set(err, STATUS_FAILURE, "no memory to compress the symbols");
	else
		ok = save_dir_put(dir, SAVE_SYMBOLS, write_text, &text, err);
	free(text.bytes);
	return ok;
}
