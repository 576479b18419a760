/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compat_call.h - the functions of system calls that 32-bit programs call. */
#ifndef KTRACE_RESOLVE_COMPAT_CALL_H
#define KTRACE_RESOLVE_COMPAT_CALL_H

#include <stdbool.h>

#include "ctl/ask/resolve/probe_point.h"

#define ADDRESS_COMPAT	"compat_syscall:"

/*
 * Add the functions by which 32-bit programs make the call of text: "syscall:chown" is their chown and chown32,
 * "compat_syscall:chown16" only that function.  %return may follow.  Returns false if there is none.
 */
bool compat_call_add(const struct target *target, const char *text, struct probe_points *out);

/* The name behind the prefix of such a function: "chown16".  NULL: it is no such function. */
const char *compat_call_of(const struct target *target, const char *function);

#endif
