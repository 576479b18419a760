/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shell.h - output that a shell command takes, at once or when it is longer than the screen.
 *
 * From the start of the command to its end Ctrl-C does not end this program, and neither does a command that takes no
 * more output: the rest is dropped.
 */
#ifndef KTRACE_SHELL_H
#define KTRACE_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "ctl/base/error.h"

struct shell;

/*
 * rows 0: start the command now.  Else it starts when the output has more lines than a screen of that size; before
 * that the output is kept, and shell_close() writes it to `out`.  NULL: it cannot be started; err is set.
 */
struct shell *shell_open(const char *command, FILE *out, size_t rows, size_t columns, struct error *err);
FILE *shell_stream(struct shell *shell);
/* Wait for the command to end.  Its status is as from waitpid(); 0: it was not started. */
int shell_close(struct shell *shell);

/* Did a shell command end well?  False: err is set. */
bool shell_result(int status, struct error *err);

/* Returns $PAGER or, if it is not set, a pager that is installed.  Returns NULL if the user wants none, or none is installed. */
const char *shell_pager(void);

#endif
