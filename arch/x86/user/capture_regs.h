/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture_regs.h - registers of the capture interpreter in user space, by DWARF number. */
#ifndef KTRACE_CAPTURE_REGS_H
#define KTRACE_CAPTURE_REGS_H

#include "arch/x86/unwind.h"

#define KT_NR_GENERAL	17
/* The registers that a trampoline saves at every hit: rax, rdx, rcx, rsi, rdi, r8 .. r11. */
#define KT_SCRATCH_REGS	0xf37ULL

#endif
