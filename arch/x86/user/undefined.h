/* SPDX-License-Identifier: GPL-2.0-or-later */
/* undefined.h - an instruction that is not defined, for tests. */
#ifndef KTRACE_UNDEFINED_H
#define KTRACE_UNDEFINED_H

#define UNDEFINED	"ud2"

/* Let a signal handler go on behind it; context: that of the handler (ucontext_t). */
#define SKIP_UNDEFINED(context)	((context)->uc_mcontext.gregs[REG_RIP] += 2)

#endif
