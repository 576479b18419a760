/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind.h - what core/unwind.c needs to know of this architecture.  Registers have their DWARF numbers. */
#ifndef KTRACE_UNWIND_ARCH_H
#define KTRACE_UNWIND_ARCH_H

#include <linux/types.h>

#define KT_UNWIND_FP		29
#define KT_UNWIND_SP		31
#define KT_UNWIND_PC		32
#define KT_UNWIND_RETURN	30	/* the column of the return address */
/* What a function gives back to its caller unchanged: x19 .. x29. */
#define KT_UNWIND_SAVED		0x3ff80000ULL
/* An instruction of call frames that changes no address: the return address is signed from here on, or not. */
#define KT_UNWIND_IGNORED	0x2d

/* mov x8, #139; svc #0: to this code a signal handler returns. */
static const __u8 kt_sigreturn[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 };

/*
 * From the stack pointer there: where the interrupted registers are (struct sigcontext in struct rt_sigframe), and the
 * places of those from x0 on, in words.
 */
#define KT_SIGNAL_REGS		312
static const __u8 kt_signal_slot[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
				      22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 };

/* The bytes before a return address.  Do they end in a call: bl, blr, blraa ...? */
#define KT_CALL_BYTES		4
static inline bool kt_ends_in_call(const __u8 *code)
{
	const __u32 insn = code[0] | code[1] << 8 | code[2] << 16 | (__u32)code[3] << 24;

	return (insn & 0xfc000000) == 0x94000000 || (insn & 0xfefff000) == 0xd63f0000;
}

#endif
