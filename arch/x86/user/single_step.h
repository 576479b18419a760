/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * single_step.h - SIGTRAP after every instruction of this thread, for tests that interrupt code at each of
 * them.  The handlers run without single steps.
 */
#ifndef KTRACE_SINGLE_STEP_H
#define KTRACE_SINGLE_STEP_H

#include <ucontext.h>

#define KT_TRAP_FLAG	0x100

static inline __attribute__((always_inline)) void single_step_on(void)
{
	/* Skip the red zone, which the compiler may use. */
	__asm__ __volatile__("lea -128(%%rsp), %%rsp\n\tpushfq\n\torq %0, (%%rsp)\n\tpopfq\n\t"
			     "lea 128(%%rsp), %%rsp"
			     : : "i"(KT_TRAP_FLAG) : "memory", "cc");
}

static inline __attribute__((always_inline)) void single_step_off(void)
{
	__asm__ __volatile__("lea -128(%%rsp), %%rsp\n\tpushfq\n\tandq %0, (%%rsp)\n\tpopfq\n\t"
			     "lea 128(%%rsp), %%rsp"
			     : : "i"(~KT_TRAP_FLAG) : "memory", "cc");
}

/* End single steps in the code that the handler interrupted. */
static inline void single_step_end(ucontext_t *context)
{
	context->uc_mcontext.gregs[REG_EFL] &= ~KT_TRAP_FLAG;
}

#endif
