/* SPDX-License-Identifier: GPL-2.0-or-later */
/* complete.h - completions of the word being typed; independent of readline. */
#ifndef KTRACE_COMPLETE_H
#define KTRACE_COMPLETE_H

#include <stdbool.h>
#include <stddef.h>

#include "ctl/live/session/flag.h"
#include "ctl/live/session/session.h"

typedef void complete_fn(const char *word, void *arg);

/*
 * Call `each` with every completion.  before: the line up to the word; word: its typed part.  False: complete
 * file names.
 */
bool complete(struct session *s, const char *before, const char *word, complete_fn *each,
	      void *arg);
/* The same for the argument of an option. */
bool complete_flag(const struct flag *flag, const char *word, complete_fn *each, void *arg);

#endif
