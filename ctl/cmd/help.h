/* SPDX-License-Identifier: GPL-2.0-or-later */
/* help.h - the list of all commands and options, and the topics of `help`. */
#ifndef KTRACE_HELP_H
#define KTRACE_HELP_H

#include <stdio.h>

void help_all(FILE *out);
/* Every command, option and topic whose name begins with start. */
void help_topics(const char *start, void (*each)(const char *name, void *arg), void *arg);

#endif
