/* SPDX-License-Identifier: GPL-2.0-or-later */
/* complete.h - what the word being typed may become; knows nothing of readline. */
#ifndef KTRACE_COMPLETE_H
#define KTRACE_COMPLETE_H

#include <stdbool.h>
#include <stddef.h>

#include "ctl/session/flag.h"
#include "ctl/session/session.h"

typedef void complete_fn(const char *word, void *arg);

/*
 * before: the line up to the word, word: what is typed of it.  Calls each with
 * every completion.  False where file names are wanted instead.
 */
bool complete(struct session *s, const char *before, const char *word, complete_fn *each,
	      void *arg);
/* The same of the argument of an option. */
bool complete_flag(const struct flag *flag, const char *word, complete_fn *each, void *arg);

#endif
