/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * truth_arch.h - code that takes a known number of instructions; addresses in every machine of this
 * architecture.
 */
#ifndef KTRUTH_ARCH_H
#define KTRUTH_ARCH_H

#include <asm/nmi.h>
#include <asm/vsyscall.h>

#include "truth.h"

#define TRUTH_DEVICE		0xfec00000	/* an interrupt controller */
#define TRUTH_DEVICE_COMBINING	0xfed00000	/* a timer */
#define TRUTH_END_OF_USER	TASK_SIZE_MAX
#define TRUTH_FIXED		VSYSCALL_ADDR	/* mapped by the kernel for user space */

static inline int truth_nmi_came(unsigned int type, struct pt_regs *regs)
{
	ktruth_in_nmi(type);
	this_cpu_inc(ktruth_nmis);
	return NMI_DONE;
}

/* 2 n + 1 instructions; n is a constant up to 65535. */
#define TRUTH_TAKES(n)		\
	asm volatile("mov %0, %%ecx; 1: sub $1, %%ecx; jnz 1b" : : "i"(n) : "ecx", "cc", "memory")

/* jumps.c */
#define TRUTH_ARCH_CALLS	{ "jumps", ktruth_jumps, 0 },
long ktruth_jumps(void);

/* A macro, because it defines a variable. */
#define truth_nmi_init()	register_nmi_handler(NMI_LOCAL, truth_nmi_came, 0, "ktruth")

static inline void truth_nmi_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "ktruth");
}

#endif
