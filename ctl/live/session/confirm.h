/* SPDX-License-Identifier: GPL-2.0-or-later */
/* confirm.h - ask before a command works on all that a pattern names. */
#ifndef KTRACE_CONFIRM_H
#define KTRACE_CONFIRM_H

#include "ctl/base/error.h"
#include "ctl/live/session/session.h"

/* At a prompt, unless --yes is given, ask whether to `trace` or `measure` all n places.  False: err is set. */
bool confirm_many(struct session *s, const char *what, size_t n, struct error *err);

#endif
