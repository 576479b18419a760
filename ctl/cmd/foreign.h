/* SPDX-License-Identifier: GPL-2.0-or-later */
/* foreign.h - the commands that people know from other tools, and which of ours they mean. */
#ifndef KTRACE_FOREIGN_H
#define KTRACE_FOREIGN_H

#include "ctl/base/suggestion.h"

/* If the word is a command of another tool, suggest ours, and nothing else. */
void foreign_offer(struct suggestions *similar);

#endif
