/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debug_error.h - errors of the symbol libraries. */
#ifndef KTRACE_DEBUG_ERROR_H
#define KTRACE_DEBUG_ERROR_H

#include <stdbool.h>

/* One line with cause and remedy; the libraries set it, ctl prints it. */
struct debug_error {
	char text[768];
	bool is_absence;	/* not an error: there is no debug information */
	bool is_unwritten;	/* the result is there, but the file that should keep it is not */
};

/* Set err, which may be NULL.  Returns false. */
bool debug_fail(struct debug_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
