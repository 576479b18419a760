// SPDX-License-Identifier: GPL-2.0-or-later
/* escape.c - escape arbitrary text.  See escape.h. */
#include "ctl/base/escape.h"

#include <string.h>

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
	/* Control characters of C1 are as dangerous to a terminal as those of ASCII. */
	const bool control = (n == 1 && (*text < ' ' || *text == 0x7f)) ||
			     (n == 2 && *text == 0xc2 && text[1] < 0xa0);

	if (put_short(out, *text))
		return;
	if (control && json)
		fprintf(out, "\\u%04x", n == 1 ? *text : text[1]);
	else if (control)
		fprintf(out, n == 1 ? "\\x%02x" : "\\u%04x", n == 1 ? *text : text[1]);
	else
		fwrite(text, 1, n, out);
}

void escape_text(FILE *out, const uint8_t *text, size_t len, bool json, const char *quote)
{
	size_t n;

	fputs(quote, out);
	for (; len; text += n, len -= n) {
		n = escape_utf8_length(text, len);
		if (!n) {
			n = 1;
			fprintf(out, json ? "\\ufffd" : "\\x%02x", *text);
		} else if (*text == '"') {
			fprintf(out, *quote ? "\\%s" : "\"\"", quote);
		} else {
			put_character(out, text, n, json);
		}
	}
	fputs(quote, out);
}

void escape_json(FILE *out, const char *text)
{
	escape_text(out, (const uint8_t *)text, strlen(text), true, "\"");
}

void escape_doubled(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
}

void escape_html(FILE *out, const char *text)
{
	static const char *const entities[256] = {
		['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;", ['\''] = "&#39;",
	};

	for (; *text; text++) {
		if (entities[(unsigned char)*text])
			fputs(entities[(unsigned char)*text], out);
		else
			fputc(*text, out);
	}
}
