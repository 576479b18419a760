/* SPDX-License-Identifier: GPL-2.0-or-later */
/* style.h - the few colours of text output. */
#ifndef KTRACE_STYLE_H
#define KTRACE_STYLE_H

#include <stdbool.h>
#include <stdio.h>

enum style {
	STYLE_PLAIN,
	STYLE_NAME,		/* names of tracepoints */
	STYLE_DIM,		/* times, labels, headings */
	STYLE_WARNING,
	STYLE_GOOD,
	STYLE_BAD,
};

/* Without colour it does nothing. */
void style_set(FILE *out, bool colour, enum style style);
/* Print text on one line in a style (see escape_shown()), then plain blanks up to width (0: none). */
void style_put(FILE *out, bool colour, enum style style, const char *text, int width);

#endif
