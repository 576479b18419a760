/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debug_error.h - why debug information cannot be had. */
#ifndef KTRACE_DEBUG_ERROR_H
#define KTRACE_DEBUG_ERROR_H

#include <stdbool.h>

/* Libraries say what is wrong and what to do in one line; ctl prints it. */
struct debug_error {
	char text[768];
	bool is_absence;	/* nothing is wrong, there is nothing */
};

/* Returns false; err may be NULL. */
bool debug_fail(struct debug_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
