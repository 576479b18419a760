// SPDX-License-Identifier: GPL-2.0-or-later
/* explain_vars.c - the variables around a place, and its source lines. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/show/explain/explain.h"

/* --------------------------------------------------------------- variables */

struct found {
	struct explain_var *v;
	size_t n;
};

static void add_scope(struct found *found, const struct scope *scope)
{
	for (size_t i = 0; i < scope->nr_vars; i++) {
		if (!*scope->vars[i].name)
			continue;
		found->v = MEM_MORE(found->v, found->n);
		found->v[found->n++] = (struct explain_var){ scope, &scope->vars[i] };
	}
}

/* Variables of blocks belong to the function; inlined copies have their own. */
static void add_blocks(struct found *found, const struct scope *scope)
{
	add_scope(found, scope);
	for (size_t i = 0; i < scope->nr_inner; i++)
		if (scope->inner[i].kind == SCOPE_BLOCK)
			add_blocks(found, &scope->inner[i]);
}

struct explain_var *explain_vars(const struct explain *e, bool all, size_t *n)
{
	struct found found = { 0 };

	if (e->scope && all)
		add_blocks(&found, e->scope);
	else if (e->scope)
		for (const struct scope *scope = scope_at(e->scope, e->info.offset); scope; scope = scope->outer)
			add_scope(&found, scope);
	*n = found.n;
	return found.v;
}

const char *explain_inlined(const struct explain *e, char *buf, size_t size)
{
	const struct scope *scope = e->scope ? scope_at(e->scope, e->info.offset) : NULL;
	size_t n = 0;

	buf[0] = '\0';
	for (; scope && scope->outer; scope = scope->outer)
		if (scope->kind == SCOPE_INLINED && n < size)
			n += snprintf(buf + n, size - n, "%s%s", n ? ", in " : "", scope->name);
	return buf;
}

/* ------------------------------------------------------------------ source */

const char *explain_line(const char *file, uint32_t line, char *buf, size_t size)
{
	buf[0] = '\0';
	if (line)
		snprintf(buf, size, "%s:%u", file, line);
	return buf;
}

static char *nth_line(FILE *file, uint32_t line)
{
	char *text = NULL;
	size_t room = 0;

	for (; line; line--) {
		if (getline(&text, &room, file) < 0) {
			free(text);
			return mem_strdup("");
		}
	}
	text[strcspn(text, "\r\n")] = '\0';
	return text;
}

static void trim(char *text)
{
	size_t blanks = 0;

	while (isspace((unsigned char)text[blanks]))
		blanks++;
	memmove(text, text + blanks, strlen(text + blanks) + 1);
	for (char *p = text; *p; p++)
		if (iscntrl((unsigned char)*p))
			*p = ' ';
}

char *explain_source(const struct explain *e, const char *file, uint32_t line)
{
	AUTO_FREE char *path = e->sources ? mem_printf("%s/%s", e->sources, file) : NULL;
	AUTO_CLOSE FILE *in = path && line ? fopen(path, "re") : NULL;
	char *text;

	if (!in)
		return mem_strdup("");
	text = nth_line(in, line);
	trim(text);
	return text;
}
