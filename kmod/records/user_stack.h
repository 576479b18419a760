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
	const struct kt_user_stack *self;	/* tells these registers from others */
	struct pt_regs regs;	/* of the hit; programs that bring in memory get a pointer to these */
	struct kt_unwind unwind;
};

static inline void kt_user_stack_begin(struct kt_user_stack *stack, const struct pt_regs *regs)
{
	stack->self = stack;
	stack->regs = *regs;
	stack->unwind.n = 0;
	stack->unwind.over = false;
}

static inline void kt_user_stack_end(struct kt_user_stack *stack)
{
	WRITE_ONCE(stack->self, NULL);
}

/* That with these registers; NULL: they are others, on a stack of the kernel.  Any context. */
static __always_inline struct kt_user_stack *kt_user_stack_of(const struct pt_regs *regs)
{
	struct kt_user_stack *stack = container_of((struct pt_regs *)regs, struct kt_user_stack, regs);

	return READ_ONCE(stack->self) == stack ? stack : NULL;
}

/* The hit follows, in which nobody asked for callers before. */
extern const struct kt_user_stack kt_user_stack_none;

/* kt_user_callers() before the hit: walk on as far as necessary.  Task context, sleepable. */
u32 kt_user_stack_on(struct kt_user_stack *stack, u64 *to, u32 most);

/* kt_user_callers() in the hit.  Where the walk was not continued, the rest is unknown.  Any context. */
u32 kt_user_stack_take(const struct kt_user_stack *stack, u64 *to, u32 most);

#endif
