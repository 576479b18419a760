/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind.h - what core/unwind.c needs to know of this architecture.  Registers have their DWARF numbers. */
#ifndef KTRACE_UNWIND_ARCH_H
#define KTRACE_UNWIND_ARCH_H

#include <linux/types.h>

#define KT_UNWIND_FP		6
#define KT_UNWIND_SP		7
#define KT_UNWIND_PC		16
#define KT_UNWIND_RETURN	16	/* the column of the return address */
/* What a function gives back to its caller unchanged: rbx, rbp, r12 .. r15. */
#define KT_UNWIND_SAVED		0xf048ULL
/* An instruction of call frames that changes no address; 0, which changes nothing: there is none. */
#define KT_UNWIND_IGNORED	0

/* mov $15,%rax; syscall: to this code a signal handler returns. */
static const __u8 kt_sigreturn[] = { 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05 };

/*
 * From the stack pointer there: where the interrupted registers are (struct sigcontext in struct ucontext), and the
 * places of those from rax on, in words.
 */
#define KT_SIGNAL_REGS		40
static const __u8 kt_signal_slot[] = { 13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7, 16 };

/* The bytes before a return address.  Do they end in a call? */
#define KT_CALL_BYTES		7
static inline bool kt_ends_in_call(const __u8 *code)
{
	static const __u8 lengths[] = { 2, 3, 4, 6, 7 };	/* of a call through a register or a word in memory */
	__u32 i;

	if (code[KT_CALL_BYTES - 5] == 0xe8)
		return true;
	for (i = 0; i < sizeof(lengths); i++)
		if (code[KT_CALL_BYTES - lengths[i]] == 0xff && (code[KT_CALL_BYTES - lengths[i] + 1] & 0x38) == 0x10)
			return true;
	return false;
}

#endif
