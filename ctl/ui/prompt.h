/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prompt.h - the interactive prompt. */
#ifndef KTRACE_PROMPT_H
#define KTRACE_PROMPT_H

#include <stdbool.h>

#include "ctl/live/session/session.h"

/* Run until `quit` or Ctrl-D.  use_rc: run the start file first. */
void prompt_run(struct session *s, bool use_rc);

#endif
