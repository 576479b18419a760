/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_target.h - the kernel against which a session resolves addresses: the running one, or a file. */
#ifndef KTRACE_SESSION_TARGET_H
#define KTRACE_SESSION_TARGET_H

#include "ctl/ask/resolve/probe_point.h"
#include "ctl/live/session/session.h"

/* The target with the debug information of session_debug(). */
struct target session_target(struct session *s);
/* The source line of an address in short, "sess.c:39", for printer_lines(); the session is arg.  "" for a saved trace. */
const char *session_line(void *session, uint64_t addr, char *buf, size_t size);
/* For printer_programs().  NULL: for a saved trace, which may be of another machine. */
struct user_code *session_code(struct session *s);
/* Debug information of the running kernel; nothing is opened yet.  NULL: none is used. */
struct debug *session_debug(struct session *s);
/* Use the symbols and debug information of a kernel file, until session_online(); call that also on failure. */
bool session_offline(struct session *s, const char *vmlinux, struct error *err);
void session_online(struct session *s);

/* To show how far the index of debug information is that is being built. */
struct dbindex_watch session_watch(struct session *s);

#endif
