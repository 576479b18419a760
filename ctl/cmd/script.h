/* SPDX-License-Identifier: GPL-2.0-or-later */
/* script.h - run commands from a text or a file; the first error ends it. */
#ifndef KTRACE_SCRIPT_H
#define KTRACE_SCRIPT_H

#include <stdbool.h>
#include <stdio.h>

#include "ctl/base/error.h"
#include "ctl/live/session/session.h"

/*
 * Run a text of several commands.  At the prompt several lines come only from pasting; there a line that does
 * not begin with a command continues the command before.
 */
bool script_text(struct session *s, const char *text, struct error *err);
/* Run a stream line by line; errors begin with "name:line". */
bool script_stream(struct session *s, FILE *stream, const char *name, struct error *err);
/* Run a file by name; "-": standard input. */
bool script_file(struct session *s, const char *path, struct error *err);

#endif
