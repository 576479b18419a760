/* SPDX-License-Identifier: GPL-2.0-or-later */
/* style.h - the few colours of the text output. */
#ifndef KTRACE_STYLE_H
#define KTRACE_STYLE_H

#include <stdbool.h>
#include <stdio.h>

enum style {
	STYLE_PLAIN,
	STYLE_NAME,		/* of a tracepoint */
	STYLE_DIM,		/* times, labels, headings */
	STYLE_WARNING,
	STYLE_GOOD,
	STYLE_BAD,
};

/* Does nothing unless colour is wanted. */
void style_set(FILE *out, bool colour, enum style style);
/* text, padded with blanks to width (0: as it is), which are left plain. */
void style_put(FILE *out, bool colour, enum style style, const char *text, int width);

#endif
