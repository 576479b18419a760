// SPDX-License-Identifier: GPL-2.0-or-later
/* error.c - errors carry cause and remedy.  See error.h. */
#include "ctl/base/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "ctl/base/escape.h"

bool error_set(struct error *err, enum exit_status status, const char *fmt, ...)
{
	va_list args;
	const char *shown;

	if (!err)
		return false;
	err->status = status;
	err->again = false;
	err->lack = LACK_NOTHING;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	shown = escape_shown(err->text);
	if (shown != err->text)
		snprintf(err->text, sizeof(err->text), "%s", shown);
	return false;
}

bool error_lacks(struct error *err, enum lack lack)
{
	if (err)
		err->lack = lack;
	return false;
}
