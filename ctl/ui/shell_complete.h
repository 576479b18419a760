/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shell_complete.h - `ktrace --complete WORD...`: what a shell offers for the last of the words. */
#ifndef KTRACE_SHELL_COMPLETE_H
#define KTRACE_SHELL_COMPLETE_H

#include <stddef.h>

#include "ctl/session/session.h"

/* One a line; ":files" where it is the name of a file. */
void shell_complete(struct session *s, char *const *words, size_t n);

#endif
