// SPDX-License-Identifier: GPL-2.0-or-later
/* bar.c - see bar.h. */
#include "ctl/base/bar.h"

#include <langinfo.h>
#include <math.h>
#include <string.h>

bool bar_is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

int bar_print(double columns, bool ascii, FILE *out)
{
	static const char *const eighths[] = { "", "\342\226\217", "\342\226\216", "\342\226\215", "\342\226\214",
					       "\342\226\213", "\342\226\212", "\342\226\211" };
	int n = ascii ? (int)ceil(columns - 0.5) : (int)(columns * 8 + 0.5);

	/* Show at least something for a value above 0. */
	if (columns > 0 && !n)
		n = 1;
	for (int i = 0; i < (ascii ? n : n / 8); i++)
		fputs(ascii ? "#" : "\342\226\210", out);
	if (!ascii)
		fputs(eighths[n % 8], out);
	return ascii ? n : (n + 7) / 8;
}
