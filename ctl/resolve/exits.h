/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exits.h - all exits of a function: its return instructions and tail jumps. */
#ifndef KTRACE_EXITS_H
#define KTRACE_EXITS_H

#include "ctl/resolve/probe_point.h"

/* Find the exits of a function; none if it never returns.  On failure the caller still frees *out. */
bool exits_find(const struct target *target, const struct sym *function, struct probe_points *out, struct error *err);
/*
 * Is this instruction of a function a tail call?  It passes control to another function, which returns to the
 * caller of this one.  A conditional branch can be one, too.
 */
bool exits_leave(const struct target *target, const struct sym *function, const struct arch_insn *insn);

#endif
