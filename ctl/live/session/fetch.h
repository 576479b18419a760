/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch.h - may debug information be fetched from debuginfod servers?  Nothing is, without consent: the option --debuginfod,
 * the variable KTRACE_DEBUGINFOD, or the answer to a question, which is asked once.
 */
#ifndef KTRACE_FETCH_H
#define KTRACE_FETCH_H

#include "ctl/live/session/session.h"
#include "symbols/query/debug_wish.h"

struct debug_fetch session_fetch(struct session *s);

#endif
