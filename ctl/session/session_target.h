/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_target.h - what a session resolves addresses against: the running kernel, or the file of one. */
#ifndef KTRACE_SESSION_TARGET_H
#define KTRACE_SESSION_TARGET_H

#include "ctl/resolve/probe_point.h"
#include "ctl/session/session.h"

/* With the debug information that session_debug() finds. */
struct target session_target(struct session *s);
/* That of the running kernel; nothing is opened yet.  NULL where none is to be used. */
struct debug *session_debug(struct session *s);
/*
 * No kernel runs: symbols and debug information are those of a file, which is
 * kept; until session_online(), also where it fails.
 */
bool session_offline(struct session *s, const char *vmlinux, struct error *err);
void session_online(struct session *s);

#endif
