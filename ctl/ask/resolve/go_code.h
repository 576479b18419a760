/* SPDX-License-Identifier: GPL-2.0-or-later */
/* go_code.h - functions of Go, whose stacks move. */
#ifndef KTRACE_GO_CODE_H
#define KTRACE_GO_CODE_H

#include "ctl/ask/resolve/probe_point.h"

bool go_code_is(const struct target *target, const struct sym *function);
/*
 * A function of Go begins with a look at its stack.  If the stack is too small, it grows, and the function begins again, so
 * a call may pass its first instruction twice.  Returns the number of bytes behind which each call passes once, with the
 * stack pointer and the arguments of its entry; 0: the function begins in another way.
 */
uint64_t go_code_look(const struct target *target, const struct sym *function);
/*
 * The instruction that is executed once where the code at addr is: Go begins some short sequences again when a signal comes
 * inside them, so that the first instruction is executed twice, and the last one is taken instead.  Else addr.
 */
uint64_t go_code_once(const struct target *target, uint64_t addr);

#endif
