/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptrace.h - registers in the kernel's order and with its names (arch/x86/include/asm/ptrace.h). */
#ifndef SHIM_LINUX_PTRACE_H
#define SHIM_LINUX_PTRACE_H

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx;
	unsigned long r11, r10, r9, r8, ax, cx, dx, si, di;
	unsigned long orig_ax, ip, cs, flags, sp, ss;
};

#endif
