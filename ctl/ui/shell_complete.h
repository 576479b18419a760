/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shell_complete.h - `ktrace --complete WORD...`: completions of the last word, for a shell. */
#ifndef KTRACE_SHELL_COMPLETE_H
#define KTRACE_SHELL_COMPLETE_H

#include <stddef.h>

#include "ctl/live/session/session.h"

/* Print one completion a line; ":files" for the name of a file. */
void shell_complete(struct session *s, char *const *words, size_t n);

#endif
