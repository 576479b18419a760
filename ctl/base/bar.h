/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bar.h - a bar of a histogram in text. */
#ifndef KTRACE_BAR_H
#define KTRACE_BAR_H

#include <stdbool.h>
#include <stdio.h>

/* Does the terminal take bars as UTF-8?  Otherwise print them as ASCII. */
bool bar_is_utf8(void);
/* Print a bar with a width in eighths of a column.  Returns the columns that it takes. */
int bar_print(double columns, bool ascii, FILE *out);

#endif
