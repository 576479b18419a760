/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exits.h - every way out of a function: its return instructions and its tail jumps. */
#ifndef KTRACE_EXITS_H
#define KTRACE_EXITS_H

#include "ctl/resolve/probe_point.h"

/* Where a call of the function ends; nothing where it never does.  On failure what is in out is still to be freed. */
bool exits_find(const struct target *target, const struct sym *function, struct probe_points *out, struct error *err);
/*
 * Does an instruction of a function make a tail call: does control go to another function, which returns to the
 * caller of this one?  A conditional branch may do so, too.
 */
bool exits_leave(const struct target *target, const struct sym *function, const struct arch_insn *insn);

#endif
