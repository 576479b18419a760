// SPDX-License-Identifier: GPL-2.0-or-later
/* style.c - see style.h. */
#include "ctl/base/style.h"

#include <string.h>

#include "ctl/base/escape.h"
#include "ctl/base/fit.h"
#include "ctl/base/guard.h"
#include "ctl/base/put.h"

void style_set(FILE *out, bool colour, enum style style)
{
	static const enum own codes[] = {
		[STYLE_PLAIN] = OWN_PLAIN,
		[STYLE_NAME] = OWN_BOLD,
		[STYLE_DIM] = OWN_DIM,
		[STYLE_WARNING] = OWN_YELLOW,
		[STYLE_GOOD] = OWN_GREEN,
		[STYLE_BAD] = OWN_RED,
	};

	if (colour)
		guard_put_own(out, codes[style]);
}

void style_put(FILE *out, bool colour, enum style style, const char *text, int width)
{
	const size_t bytes = strlen(text);
	const bool is_plain = escape_plain_length(text, bytes) == bytes;
	const char *shown = is_plain ? text : escape_shown(text);
	const int len = (int)(is_plain ? bytes : fit_length(shown));
	char line[128];

	if (!colour && is_plain && bytes <= sizeof(line) && width <= (int)sizeof(line)) {
		put_bytes(out, line, put_pad(mempcpy(line, text, bytes), width - len) - line);
		return;
	}
	style_set(out, colour, style);
	put_text(out, shown);
	style_set(out, colour, STYLE_PLAIN);
	put_blanks(out, width - len);
}
