// SPDX-License-Identifier: GPL-2.0-or-later
/* debug_error.c - see debug_error.h. */
#include "symbols/base/debug_error.h"

#include <stdarg.h>
#include <stdio.h>

bool debug_fail(struct debug_error *err, const char *fmt, ...)
{
	va_list args;

	if (!err)
		return false;
	err->is_absence = err->is_unwritten = false;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return false;
}
