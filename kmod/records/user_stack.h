/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * user_stack.h - the callers in a program at a hit of a uprobe.
 *
 * A walk (core/unwind.h) looks for mapped files and brings in their tables, which the hit itself cannot do.  So it is done
 * before, when the capture programs run for the first time, as far as they ask for callers; the hit takes what was found.
 */
#ifndef KTRACE_USER_STACK_H
#define KTRACE_USER_STACK_H

#include "core/unwind.h"

struct kt_user_stack {
	struct pt_regs regs;	/* of the hit; programs that bring in memory get a pointer to these */
	struct kt_unwind unwind;
};

static inline void kt_user_stack_begin(struct kt_user_stack *stack, const struct pt_regs *regs)
{
	stack->regs = *regs;
	stack->unwind.n = 0;
	stack->unwind.over = false;
}

/* The hit follows, in which nobody asked for callers before. */
extern const struct kt_user_stack kt_user_stack_none;

/* kt_user_callers() before the hit, where regs are those of a walk: walk on as far as necessary.  Task context, sleepable. */
u32 kt_user_stack_on(const struct pt_regs *regs, u64 *to, u32 most);

/* kt_user_callers() in the hit.  Where the walk was not continued, the rest is unknown.  Any context. */
u32 kt_user_stack_take(const struct kt_user_stack *stack, u64 *to, u32 most);

#endif
