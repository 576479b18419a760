/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture_regs.h - registers of the capture interpreter in user space, by DWARF number. */
#ifndef KTRACE_CAPTURE_REGS_H
#define KTRACE_CAPTURE_REGS_H

#include "arch/arm64/unwind.h"

#define KT_NR_GENERAL	33
/* The registers that a trampoline saves at every hit: x0 .. x18, x29, x30. */
#define KT_SCRATCH_REGS	0x6007ffffULL

#endif
