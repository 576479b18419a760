// SPDX-License-Identifier: GPL-2.0-or-later
/* escape.c - escape arbitrary text.  See escape.h. */
#include "ctl/base/escape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/put.h"

#define ONES	0x0101010101010101ULL
#define HIGHS	0x8080808080808080ULL

/* Are all eight bytes ASCII without control characters?  Each sum and difference sets the highest bit of a byte that is not. */
static bool are_plain(uint64_t word)
{
	return !((word | (word + ONES) | (word - ' ' * ONES)) & HIGHS);
}

/* False: none of the eight plain bytes is that character.  True: one of them may be. */
static bool may_have(uint64_t word, char c)
{
	return ((word ^ c * ONES) - ONES) & HIGHS;
}

/* See escape_plain_length(); in_quotes: the text ends also at a double quote or a backslash, which need an escape there. */
static __attribute__((always_inline)) inline size_t plain_length(const char *text, size_t len, bool in_quotes)
{
	uint64_t word;
	size_t n = 0;

	for (; n + sizeof(word) <= len; n += sizeof(word)) {
		memcpy(&word, text + n, sizeof(word));
		if (!are_plain(word) || (in_quotes && (may_have(word, '"') || may_have(word, '\\'))))
			break;
	}
	while (n < len && text[n] >= ' ' && text[n] <= '~' && !(in_quotes && (text[n] == '"' || text[n] == '\\')))
		n++;
	return n;
}

size_t escape_plain_length(const char *text, size_t len)
{
	return plain_length(text, len, false);
}

size_t escape_quotable_length(const char *text, size_t len)
{
	return plain_length(text, len, true);
}

size_t escape_utf8_length(const uint8_t *text, size_t len)
{
	static const struct {
		uint8_t mask, value;
		uint32_t least;
	} leads[] = { { 0x80, 0, 0 }, { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 } };
	uint32_t c;

	for (size_t n = 1; n <= 4; n++) {
		if ((*text & leads[n - 1].mask) != leads[n - 1].value)
			continue;
		c = *text & (uint8_t)~leads[n - 1].mask;
		if (n > len)
			return 0;
		for (size_t i = 1; i < n; i++) {
			if ((text[i] & 0xc0) != 0x80)
				return 0;
			c = c << 6 | (text[i] & 0x3f);
		}
		return c < leads[n - 1].least || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : n;
	}
	return 0;
}

/* The code point of a character of n bytes. */
static uint32_t decode(const uint8_t *text, size_t n)
{
	uint32_t c = n == 1 ? *text : *text & (0x7f >> n);

	for (size_t i = 1; i < n; i++)
		c = c << 6 | (text[i] & 0x3f);
	return c;
}

bool escape_is_quotable(const char *text, size_t len)
{
	return escape_quotable_length(text, len) == len;
}

bool escape_is_harmful(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0, 0x1f }, { 0x7f, 0x9f },		/* control characters: terminals obey those of C1, too */
		{ 0x61c, 0x61c }, { 0x200e, 0x200f },	/* marks of direction */
		{ 0x2028, 0x202e },			/* ends of lines and paragraphs; embeddings and overrides */
		{ 0x2066, 0x2069 },			/* isolates */
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

static bool put_short(FILE *out, uint8_t c)
{
	static const char escapes[] = "\nn\tt\rr\\\\";

	for (size_t i = 0; i < sizeof(escapes) - 1; i += 2) {
		if (c != escapes[i])
			continue;
		fprintf(out, "\\%c", escapes[i + 1]);
		return true;
	}
	return false;
}

static void put_character(FILE *out, const uint8_t *text, size_t n, bool json)
{
	const uint32_t c = decode(text, n);

	if (!escape_is_harmful(c))
		fwrite(text, 1, n, out);
	else
		fprintf(out, n == 1 && !json ? "\\x%02" PRIx32 : "\\u%04" PRIx32, c);
}

size_t escape_put_harmless(FILE *out, const uint8_t *text, size_t len)
{
	const size_t n = escape_utf8_length(text, len);

	if (n == 1 && (*text == '\n' || *text == '\t'))
		fputc(*text, out);
	else if (n)
		put_character(out, text, n, false);
	else
		fprintf(out, "\\x%02x", *text);
	return n ? n : 1;
}

void escape_text(FILE *out, const uint8_t *text, size_t len, bool json, const char *quote)
{
	size_t n;

	put_text(out, quote);
	for (; len; text += n, len -= n) {
		n = escape_quotable_length((const char *)text, len);
		if (n) {
			put_bytes(out, text, n);
			continue;
		}
		n = escape_utf8_length(text, len);
		if (!n) {
			n = 1;
			fprintf(out, json ? "\\ufffd" : "\\x%02x", *text);
		} else if (*text == '"') {
			fprintf(out, *quote ? "\\%s" : "\"\"", quote);
		} else if (!put_short(out, *text)) {
			put_character(out, text, n, json);
		}
	}
	put_text(out, quote);
}

/* ------------------------------------------------------------------ one line */

/* Most names are harmless: they are printed as they are. */
static bool is_line(const char *text)
{
	size_t len = strlen(text), n;

	for (const uint8_t *at = (const uint8_t *)text; len; at += n, len -= n) {
		n = escape_plain_length((const char *)at, len);
		if (n)
			continue;
		n = escape_utf8_length(at, len);
		if (!n || escape_is_harmful(decode(at, n)))
			return false;
	}
	return true;
}

static size_t put_on_line(FILE *out, const uint8_t *text, size_t len)
{
	const size_t plain = escape_quotable_length((const char *)text, len);

	if (plain) {
		put_bytes(out, text, plain);
		return plain;
	}
	return *text != '\\' && put_short(out, *text) ? 1 : escape_put_harmless(out, text, len);
}

void escape_line(FILE *out, const char *text)
{
	size_t len = strlen(text), n;

	for (const uint8_t *at = (const uint8_t *)text; len; at += n, len -= n)
		n = put_on_line(out, at, len);
}

const char *escape_shown(const char *text)
{
	static _Thread_local char *kept[16];
	static _Thread_local size_t at;
	char *line = NULL;
	size_t len;
	FILE *out;

	if (!text || is_line(text))
		return text;
	out = open_memstream(&line, &len);
	if (!out)
		return "?";
	escape_line(out, text);
	fclose(out);
	at = (at + 1) % (sizeof(kept) / sizeof(*kept));
	free(kept[at]);
	return kept[at] = line;
}

/* ------------------------------------------------------------- JSON, CSV, HTML */

void escape_json(FILE *out, const char *text)
{
	escape_text(out, (const uint8_t *)text, strlen(text), true, "\"");
}

/* Does a spreadsheet take the text for a number, which it is? */
static bool is_number(const char *text)
{
	char *end;

	strtod(text, &end);
	return *text && !*end;
}

void escape_csv_part(FILE *out, const char *text)
{
	size_t len = strlen(text), n;

	for (const uint8_t *at = (const uint8_t *)text; len; at += n, len -= n) {
		n = put_on_line(out, at, len);
		if (*at == '"')
			fputc('"', out);
	}
}

bool escape_is_formula(const char *text)
{
	return *text && strchr(ESCAPE_FORMULA, *text) && !is_number(text);
}

void escape_csv(FILE *out, const char *text)
{
	if (escape_is_formula(text))
		fputc('\'', out);
	escape_csv_part(out, text);
}

void escape_html(FILE *out, const char *text)
{
	static const char *const entities[128] = {
		['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;", ['\''] = "&#39;",
	};
	size_t len = strlen(text), n;

	for (const uint8_t *at = (const uint8_t *)text; len; at += n, len -= n) {
		n = 1;
		if (*at < 128 && entities[*at])
			fputs(entities[*at], out);
		else
			n = escape_put_harmless(out, at, len);
	}
}
