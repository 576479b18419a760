// SPDX-License-Identifier: GPL-2.0-or-later
/* complete_source.c - completions from debug information: files, lines, inlined functions. */
#include "ctl/ui/complete_int.h"

#include <stdio.h>
#include <string.h>

#include "ctl/ask/resolve/source.h"
#include "ctl/base/memory.h"
#include "ctl/live/session/session_target.h"
#include "symbols/index/line.h"

#define MOST_FILES	8		/* of one name */
#define MOST_LINES	(1U << 20)	/* of one file */

struct target complete_target(const struct offer *o)
{
	struct target target = session_target(o->s);

	if (target.debug)
		debug_hurry(target.debug, true);
	return target;
}

/* The index of a module, if it is at hand.  NULL: it would take too long, or there is none. */
static struct dbindex *index_of(const struct offer *o, const char *module)
{
	struct target target;
	struct debug_unit *unit;

	if (!session_symbols(o->s, NULL))
		return NULL;
	target = complete_target(o);
	unit = target.debug ? debug_unit_casual(target.debug, module, NULL) : NULL;
	return unit ? debug_index_ready(unit) : NULL;
}

/* The module in front of the last part of the text, which *rest then points to. */
static char *module_of(const char *text, const char *end, const char **rest)
{
	const char *colon = memchr(text, ':', end - text);
	AUTO_FREE char *module = mem_strndup(text, colon ? colon - text : 0);

	*rest = colon ? colon + 1 : text;
	return mem_strdup(strcmp(module, "vmlinux") ? module : "");
}

/* ------------------------------------------------------------------- files */

/* Offer complete paths, and names without their directory if the word has no slash. */
static void offer_path(const struct offer *o, const char *path)
{
	const char *name = strrchr(path, '/');
	AUTO_FREE char *word = mem_printf("%s:", path);

	offer_one(o, word);
	if (name && !strchr(o->word, '/'))
		offer_one(o, word + (name + 1 - path));
}

void offer_files(const struct offer *o)
{
	struct dbindex *ix = strlen(o->word) < 2 ? NULL : index_of(o, "");
	size_t n = 0;

	if (ix)
		dbindex_rows(ix, PART_FILES, uint32_t, &n);
	for (size_t i = 0; i < n; i++)
		offer_path(o, dbindex_file_name(ix, i));
}

/* ------------------------------------------------------------------- lines */

struct seen {
	uint32_t file;
	bool *lines;
};

static void see_lines(const struct line_block *block, void *arg)
{
	const struct seen *seen = arg;

	for (size_t i = 0; i < block->n; i++) {
		const uint32_t line = block->rows[i].line;

		if (block->rows[i].file == seen->file && line & LINE_IS_STMT && !(line & LINE_END) && (line & LINE_MASK) < MOST_LINES)
			seen->lines[line & LINE_MASK] = true;
	}
}

/* The lines of a file at which statements begin: lines[number]. */
static bool *lines_of(const struct dbindex *ix, uint32_t file)
{
	struct seen seen = { file, mem_zalloc(MOST_LINES, sizeof(*seen.lines)) };

	line_file_blocks(ix, file, see_lines, &seen);
	return seen.lines;
}

static void offer_lines_of(const struct offer *o, int before, const struct dbindex *ix, uint32_t file)
{
	AUTO_FREE bool *seen = lines_of(ix, file);
	char number[16];

	for (uint32_t line = 1; line < MOST_LINES; line++) {
		if (!seen[line])
			continue;
		snprintf(number, sizeof(number), "%u", line);
		offer_behind(o, before, number);
	}
}

void offer_lines(const struct offer *o)
{
	const char *colon = strrchr(o->word, ':'), *rest;
	AUTO_FREE char *module = module_of(o->word, colon, &rest);
	AUTO_FREE char *file = mem_strndup(rest, colon - rest);
	struct dbindex *ix = *file ? index_of(o, module) : NULL;
	uint32_t files[MOST_FILES];
	const size_t n = ix ? dbindex_files(ix, file, files, MOST_FILES) : 0;

	for (size_t i = 0; i < n && i < MOST_FILES; i++)
		if (n == 1 || !strcmp(dbindex_file_name(ix, files[i]), file))
			offer_lines_of(o, colon + 1 - o->word, ix, files[i]);
}

/* ----------------------------------------------------------------- inlined */

void offer_inlined(const struct offer *o)
{
	const char *start = o->word + strlen(INLINE), *rest;
	AUTO_FREE char *module = module_of(start, start + strlen(start), &rest);
	struct dbindex *ix = index_of(o, module);
	const struct ix_inline *copies = NULL;
	size_t n = 0;

	if (ix)
		copies = dbindex_rows(ix, PART_INLINES, struct ix_inline, &n);
	for (size_t i = 0; i < n; i++)
		if (!i || copies[i].name != copies[i - 1].name)
			offer_behind(o, rest - o->word, dbindex_string(ix, copies[i].name));
}
