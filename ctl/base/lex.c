// SPDX-License-Identifier: GPL-2.0-or-later
/* lex.c - split text into words.  See lex.h. */
#include "ctl/base/lex.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"

void words_add(struct words *words, const char *text, size_t len)
{
	words->v = MEM_MORE(words->v, words->n);
	words->v[words->n++] = mem_strndup(text, len);
}

void words_move(struct words *words, struct words *more)
{
	for (size_t i = 0; i < more->n; i++) {
		words->v = MEM_MORE(words->v, words->n);
		words->v[words->n++] = more->v[i];
	}
	more->n = 0;
	words_free(more);
}

void words_free(struct words *words)
{
	for (size_t i = 0; i < words->n; i++)
		free(words->v[i]);
	free(words->v);
	free(words->pipe);
	*words = (struct words){ 0 };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool ends_word(char c)
{
	return !c || c == '\n' || c == ';' || is_blank(c);
}

static const char *end_of_line(const char *p)
{
	return p + strcspn(p, "\n");
}

/* Skip blanks, continued lines and comments. */
static const char *skip_blank(const char *p)
{
	for (;;) {
		if (is_blank(*p))
			p++;
		else if (p[0] == '\\' && p[1] == '\n')
			p += 2;
		else if (*p == '#')
			p = end_of_line(p);
		else
			return p;
	}
}

/* A word as far as it is read. */
struct word {
	char *v;
	size_t n;
};

#define WORD_ROOM	32	/* bytes for a word; a longer one gets more, in powers of two */

static void put(struct word *word, char c)
{
	if (!word->n)
		word->v = mem_grow(NULL, WORD_ROOM, 1);
	else if (word->n >= WORD_ROOM)
		word->v = MEM_MORE(word->v, word->n);
	word->v[word->n++] = c;
}

/* Copy the text between quotes.  NULL: the closing quote is missing. */
static const char *quoted(const char *p, struct word *word)
{
	char quote = *p++;

	for (; *p && *p != quote; p++) {
		if (quote == '"' && *p == '\\' && p[1])
			p++;
		put(word, *p);
	}
	return *p ? p + 1 : NULL;
}

static const char *plain(const char *p, struct word *word)
{
	if (*p == '\\' && p[1])
		p++;
	if (*p != '\n')
		put(word, *p);
	return p + 1;
}

/* Does a value of an expression stand here, in a command that begins at start? */
static bool is_compared(const char *start, const char *p)
{
	while (p > start && is_blank(p[-1]))
		p--;
	return p - start >= 2 && strchr("=~", p[-1]) && strchr("=!", p[-2]);
}

/* Copy a quoted text of an expression, with its quotes and backslashes. */
static const char *text_of_expression(const char *p, struct word *word)
{
	put(word, *p++);
	for (; *p && *p != '"'; p++) {
		if (*p == '\\' && p[1])
			put(word, *p++);
		put(word, *p);
	}
	if (*p)
		put(word, *p);
	return *p ? p + 1 : NULL;
}

static const char *take_word(const char *start, const char *p, struct words *out)
{
	struct word word = { 0 };

	while (p && !ends_word(*p)) {
		if (*p == '"' && is_compared(start, p))
			p = text_of_expression(p, &word);
		else
			p = *p == '"' || *p == '\'' ? quoted(p, &word) : plain(p, &word);
	}
	if (p)
		words_add(out, word.v ? word.v : "", word.n);
	free(word.v);
	return p;
}

/* `!` and the rest of its line. */
static void shell_command(const char **text, struct words *out)
{
	const char *start = *text + 1, *end = end_of_line(start);

	while (start < end && is_blank(*start))
		start++;
	words_add(out, "!", 1);
	words_add(out, start, end - start);
	*text = end;
}

/* !| and the rest of its line. */
static const char *take_pipe(const char *p, struct words *out)
{
	const char *end = end_of_line(p);

	for (p += 2; p < end && is_blank(*p); p++)
		;
	out->pipe = mem_strndup(p, end - p);
	return end;
}

static const char *skip_separators(const char *p)
{
	for (;;) {
		p = skip_blank(p);
		if (*p != ';' && *p != '\n')
			return p;
		p++;
	}
}

enum lex_result lex_command(const char **text, struct words *out, struct error *err)
{
	const char *const start = skip_separators(*text), *p = start;

	*out = (struct words){ 0 };
	if (*p == '!') {
		shell_command(&p, out);
		*text = p;
		return LEX_COMMAND;
	}
	while (*p && *p != ';' && *p != '\n') {
		p = out->n && !strncmp(p, "!|", 2) ? take_pipe(p, out) : take_word(start, p, out);
		if (!p) {
			words_free(out);
			error_set(err, STATUS_USAGE, "a closing quote is missing");
			return LEX_ERROR;
		}
		p = skip_blank(p);
	}
	*text = p;
	return out->n ? LEX_COMMAND : LEX_END;
}
