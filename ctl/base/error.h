/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error.h - errors carry cause and remedy; ctl prints them, main exits.
 * Printed as `ktrace: what is wrong: what to do`.
 */
#ifndef KTRACE_ERROR_H
#define KTRACE_ERROR_H

#include <stdbool.h>

enum exit_status {
	STATUS_OK = 0,
	STATUS_FAILURE = 1,
	STATUS_USAGE = 2,
	STATUS_NO_ACCESS = 3,	/* no permission or no module */
	STATUS_CONDITION = 4,	/* --fail-if: the condition holds */
	STATUS_NEVER = 5,	/* what was to be measured never happened */
	STATUS_NOT_EXECUTABLE = 126,	/* the command of a measurement, as shells have it */
	STATUS_NOT_FOUND = 127,
};

struct error {
	enum exit_status status;
	char text[1024];	/* one line: "what is wrong: what to do" */
	bool again;		/* the kernel's code changed meanwhile: the command may succeed if it is run again */
};

/* Fill err (which may be NULL), without `again`; always returns false, so that a caller can return it. */
bool error_set(struct error *err, enum exit_status status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
