/* SPDX-License-Identifier: GPL-2.0-or-later */
/* undefined.h - an instruction that is not defined, for tests. */
#ifndef KTRACE_UNDEFINED_H
#define KTRACE_UNDEFINED_H

#define UNDEFINED	".inst 0"

/* Let a signal handler go on behind it; context: that of the handler (ucontext_t). */
#define SKIP_UNDEFINED(context)	((context)->uc_mcontext.pc += 4)

#endif
