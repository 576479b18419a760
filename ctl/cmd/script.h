/* SPDX-License-Identifier: GPL-2.0-or-later */
/* script.h - commands from a text or a file; the first that fails ends it. */
#ifndef KTRACE_SCRIPT_H
#define KTRACE_SCRIPT_H

#include <stdbool.h>
#include <stdio.h>

#include "ctl/base/error.h"
#include "ctl/session/session.h"

/*
 * One text: several commands.  At the prompt, where more lines than one come by
 * pasting only, lines that begin with no command go on with the one before.
 */
bool script_text(struct session *s, const char *text, struct error *err);
/* A stream, line by line; errors begin with "name:line". */
bool script_stream(struct session *s, FILE *stream, const char *name, struct error *err);
/* A file by name, "-" for standard input. */
bool script_file(struct session *s, const char *path, struct error *err);

#endif
