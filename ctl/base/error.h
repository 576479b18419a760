/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error.h - errors carry cause and remedy: `ktrace: what is wrong: what to do`.  ctl prints them, only main
 * exits.
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
	STATUS_NEVER = 5,	/* the event to be measured never happened */
	STATUS_NOT_EXECUTABLE = 126,	/* the command of a measurement; the same status as in shells */
	STATUS_NOT_FOUND = 127,
};

/* What a command failed for, if `doctor` can tell more about it. */
enum lack {
	LACK_NOTHING,
	LACK_MODULE,		/* the module, or the right to use it */
	LACK_USER_MODULE,	/* that of programs with libktrace */
	LACK_SYMBOLS,
};

struct error {
	enum exit_status status;
	enum lack lack;
	char text[1024];	/* one line: "what is wrong: what to do" */
	bool again;		/* the kernel's code changed meanwhile: the same command may succeed now */
};

/* Fill err (NULL is allowed) and reset `again` and `lack`.  Always returns false, so that a caller can return it. */
bool error_set(struct error *err, enum exit_status status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Behind error_set(): what is missing.  Returns false. */
bool error_lacks(struct error *err, enum lack lack);

#endif
