// SPDX-License-Identifier: GPL-2.0-or-later
/* style.c - see style.h. */
#include "ctl/base/style.h"

#include <string.h>

void style_set(FILE *out, bool colour, enum style style)
{
	static const char *const codes[] = {
		[STYLE_PLAIN] = "\033[0m",
		[STYLE_NAME] = "\033[1m",
		[STYLE_DIM] = "\033[2m",
		[STYLE_WARNING] = "\033[33m",
		[STYLE_GOOD] = "\033[32m",
		[STYLE_BAD] = "\033[31m",
	};

	if (colour)
		fputs(codes[style], out);
}

void style_put(FILE *out, bool colour, enum style style, const char *text, int width)
{
	int len = strlen(text);

	style_set(out, colour, style);
	fputs(text, out);
	style_set(out, colour, STYLE_PLAIN);
	fprintf(out, "%*s", width > len ? width - len : 0, "");
}
