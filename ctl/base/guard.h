/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guard.h - what keeps terminals from obeying text of strangers.
 *
 * Names of tasks, files and symbols may contain any bytes.  Everything that ktrace prints passes a guard: it writes each
 * byte that escape_is_harmful() names as \xNN or \uNNNN, whoever printed it.  The guard lets the program's own colours
 * pass: guard_put_own() marks them with a number drawn at random, which is never printed, so nobody else can write them.
 */
#ifndef KTRACE_GUARD_H
#define KTRACE_GUARD_H

#include <stdio.h>

/* A stream that writes to `to`.  fclose() does not close `to`.  NULL: no memory. */
FILE *guard_open(FILE *to);
/* The file descriptor behind a stream, be it guarded or not; -1: none. */
int guard_fd(FILE *stream);

/* Write a text as a guard does; `text` may have colours. */
void guard_text(const char *text, FILE *to);

/* The sequences of the program itself. */
enum own {
	OWN_PLAIN, OWN_BOLD, OWN_DIM, OWN_YELLOW, OWN_GREEN, OWN_RED,
	OWN_ERASE_LINE,		/* and go to its begin */
	NR_OWN,
};

/* Write one.  Until the first guard is open, it is written as terminals read it. */
void guard_put_own(FILE *out, enum own own);

#endif
