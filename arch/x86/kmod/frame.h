/* SPDX-License-Identifier: GPL-2.0-only */
/* frame.h - offsets that the assembler code needs.  arch.c compares them with the structures. */
#ifndef KTRACE_X86_FRAME_H
#define KTRACE_X86_FRAME_H

/* struct pt_regs (asm/ptrace.h).  The registers from r11 on are the scratch registers and what follows them. */
#define KT_REGS_BYTES		168
#define KT_REGS_SCRATCH		48
#define KT_REGS_ORIG_AX		120

#define KT_FLAGS_IF		0x200	/* interrupts are on */
#define KT_FLAGS_OF		0x800	/* overflow */

/* Members of struct kt_site and struct kt_desc. */
#define KT_SITE_DESC		24
#define KT_SITE_DIRECT		32
#define KT_DESC_ALL_REGS	20
#define KT_DESC_HIT		32
#define KT_DESC_CONSUMER	56
#define KT_COUNTS_MISSED	8
#define KT_CONSUMER_SITE	48

/* In a direct trampoline: from the address of a member of the site to the return address. */
#define KT_DIRECT_SITE		13

#define KT_CPU_FAILED		144

#endif
