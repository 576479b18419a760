/* SPDX-License-Identifier: GPL-2.0-or-later */
/* confirm.h - ask before a command does what may be too much. */
#ifndef KTRACE_CONFIRM_H
#define KTRACE_CONFIRM_H

#include "ctl/base/error.h"
#include "ctl/live/session/session.h"

/* At a prompt, unless --yes is given, ask whether to `trace` or `measure` all n places.  False: err is set. */
bool confirm_many(struct session *s, const char *what, size_t n, struct error *err);

/* Is there a terminal with somebody to ask? */
bool confirm_is_possible(void);
/* Ask there; the answer is yes or no. */
bool confirm(struct session *s, const char *question);

#endif
