// SPDX-License-Identifier: GPL-2.0-or-later
/* fit.c - see fit.h. */
#include "ctl/base/fit.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "ctl/base/bar.h"
#include "ctl/base/escape.h"
#include "ctl/base/memory.h"

#define INDENT	4	/* of the rest of a line without columns, besides that of its begin */

/* ------------------------------------------------------------------- columns */

/* The bytes of an escape sequence at text, which ends at `end`; 0: there is none. */
static size_t escape_length(const char *text, const char *end)
{
	size_t n = 1;

	if (*text != '\033')
		return 0;
	while (text + n < end && !isalpha((unsigned char)text[n]))
		n++;
	return n + (text + n < end);
}

/* The bytes of the escape sequence or character at text, and the columns that it takes. */
static size_t next(const char *text, const char *end, size_t *columns)
{
	size_t n = escape_length(text, end);
	wchar_t c;
	int width;

	*columns = 0;
	if (n)
		return n;
	n = escape_utf8_length((const uint8_t *)text, end - text);
	/* Wide characters take two, combining ones none.  A locale without UTF-8 knows no character's width. */
	width = n > 1 && mbtowc(&c, text, n) == (int)n ? wcwidth(c) : 1;
	*columns = width < 0 ? 1 : width;
	return n ? n : 1;
}

static size_t count_columns(const char *text, size_t len)
{
	const char *end = text + len;
	size_t columns = 0, width;

	while (text < end) {
		const size_t plain = escape_plain_length(text, end - text);

		text += plain;
		columns += plain;
		if (text == end)
			break;
		text += next(text, end, &width);
		columns += width;
	}
	return columns;
}

size_t fit_length(const char *text)
{
	return count_columns(text, strlen(text));
}

/* ------------------------------------------------------------------- cutting */

/* One line of len bytes.  Of what is cut off, escape sequences stay: they may end a colour. */
static void cut_line(const char *line, size_t len, size_t columns, const char *mark, FILE *out)
{
	const char *end = line + len;
	size_t at = 0, n, width;

	if (count_columns(line, len) <= columns) {
		fwrite(line, 1, len, out);
		return;
	}
	for (; line < end; line += n) {
		n = next(line, end, &width);
		at += width;
		if (*line == '\033' || at < columns)
			fwrite(line, 1, n, out);
	}
	fputs(mark, out);
}

static const char *mark_of_cut(void)
{
	return bar_is_utf8() ? "\342\200\246" : ">";
}

void fit_cut(const char *text, size_t columns, FILE *out)
{
	for (size_t len; *text; text += len + 1) {
		len = strcspn(text, "\n");
		cut_line(text, len, columns, mark_of_cut(), out);
		fputc('\n', out);
		if (!text[len])
			return;
	}
}

char *fit_cut_text(const char *text, size_t columns)
{
	char *cut = NULL;
	size_t len;
	FILE *out = open_memstream(&cut, &len);

	if (!out)
		return mem_strdup(text);
	cut_line(text, strlen(text), columns, mark_of_cut(), out);
	fclose(out);
	return cut;
}

/* ------------------------------------------------------------------ breaking */

struct fit {
	FILE *out;
	size_t columns;
	/* The line: */
	size_t at;		/* columns written */
	size_t blanks;		/* blanks that follow, not written yet */
	size_t rest;		/* indentation of the new line if this one breaks */
	bool is_broken;		/* it has been broken already */
	/* The word behind the blanks, which is not complete.  It has blanks only in quotes: */
	char *word;
	size_t len, room;
};

/* A word begins a column at the begin of a line, or behind two blanks. */
static void note_column(struct fit *fit)
{
	const size_t begin = fit->at + fit->blanks;

	if (fit->is_broken || begin > fit->columns / 2)
		return;
	if (!fit->at)
		fit->rest = begin + INDENT;
	else if (fit->blanks > 1)
		fit->rest = begin;
}

/* Start a new line, because the next word, of this width, does not fit into the present one. */
static void break_line(struct fit *fit, size_t width)
{
	fputc('\n', fit->out);
	fit->at = 0;
	fit->blanks = fit->rest;
	if (fit->blanks + width > fit->columns)
		fit->blanks = INDENT + width > fit->columns ? 0 : INDENT;
	fit->is_broken = true;
}

static void put_word(struct fit *fit, const char *word, size_t len)
{
	const size_t width = count_columns(word, len);

	note_column(fit);
	if (width && fit->at && fit->at + fit->blanks + width > fit->columns)
		break_line(fit, width);
	fprintf(fit->out, "%*s", (int)fit->blanks, "");
	fwrite(word, 1, len, fit->out);
	fit->at += fit->blanks + width;
	fit->blanks = 0;
}

/* Blanks are in quotes: break there only if a line is too short for all. */
static void end_word(struct fit *fit)
{
	const char *word = fit->word, *end = word + fit->len, *blank;
	const bool fits = INDENT + count_columns(word, fit->len) <= fit->columns;

	while (!fits && (blank = memchr(word, ' ', end - word))) {
		put_word(fit, word, blank - word);
		fit->blanks = 1;
		word = blank + 1;
	}
	put_word(fit, word, end - word);
	fit->len = 0;
}

/* Is the word the begin of a text in quotes, such as a command? */
static bool is_in_quotes(const struct fit *fit)
{
	return fit->len && *fit->word == '\'' && !memchr(fit->word + 1, '\'', fit->len - 1);
}

static void end_line(struct fit *fit)
{
	if (fit->len)
		end_word(fit);
	fputc('\n', fit->out);
	fit->at = fit->blanks = fit->rest = 0;
	fit->is_broken = false;
}

static void put(struct fit *fit, char c)
{
	if (c == '\n') {
		end_line(fit);
	} else if (c == ' ' && !is_in_quotes(fit)) {
		if (fit->len)
			end_word(fit);
		fit->blanks++;
	} else {
		if (fit->len == fit->room)
			fit->word = mem_grow(fit->word, fit->room = 2 * fit->room + 32, 1);
		fit->word[fit->len++] = c;
	}
}

void fit_text(const char *text, size_t columns, FILE *out)
{
	struct fit fit = { .out = out, .columns = columns };

	for (; *text; text++)
		put(&fit, *text);
	if (fit.len)
		end_word(&fit);
	free(fit.word);
}

/* -------------------------------------------------------------------- stream */

/* The open streams, the newest first. */
static struct opened {
	struct fit fit;
	FILE *stream;
	struct opened *next;
} *all;

/* The last word waits until it is complete. */
static ssize_t take(void *cookie, const char *text, size_t len)
{
	struct opened *opened = cookie;

	for (size_t i = 0; i < len; i++)
		put(&opened->fit, text[i]);
	return fflush(opened->fit.out) || ferror(opened->fit.out) ? 0 : (ssize_t)len;
}

static int forget(void *cookie)
{
	struct opened *opened = cookie, **at = &all;

	if (opened->fit.len)
		end_word(&opened->fit);
	while (*at != opened)
		at = &(*at)->next;
	*at = opened->next;
	free(opened->fit.word);
	free(opened);
	return 0;
}

FILE *fit_open(FILE *out, size_t columns)
{
	struct opened *opened = mem_zalloc(1, sizeof(*opened));

	*opened = (struct opened){ .fit = { .out = out, .columns = columns }, .next = all };
	opened->stream = fopencookie(opened, "w", (cookie_io_functions_t){ .write = take, .close = forget });
	if (!opened->stream) {
		free(opened);
		return NULL;
	}
	all = opened;
	return opened->stream;
}

size_t fit_columns(const FILE *stream)
{
	const struct opened *opened = all;

	while (opened && opened->stream != stream)
		opened = opened->next;
	return opened ? opened->fit.columns : 0;
}
