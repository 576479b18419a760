/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.h - execute the real bytes of user/x86/section.S one instruction after the other, on threads that exist only
 * here.  Memory is that of the test, but for what the register fs leads to.
 */
#ifndef KTRACE_MACHINE_H
#define KTRACE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15, NR_REGS };

struct thread {
	uint64_t regs[NR_REGS];
	uint64_t ip;
	bool zero, carry;	/* flags */
	uint64_t fs;		/* the thread's pointer */
};

/* An instruction that is left out, or a jump that is never taken; 0: none. */
extern uint64_t machine_skipped;
/* What rdtsc reads. */
uint64_t machine_clock(void);

/* Execute one instruction.  False: it returned to an address that is 0. */
bool machine_step(struct thread *t);

/* The instruction behind the one at ip.  *is_conditional: it is a conditional jump. */
uint64_t machine_next(uint64_t ip, bool *is_conditional);
/* The first instruction at or behind ip with that text, "rdtsc", "mov qword ptr [r10], rdx".  0: none in 100. */
uint64_t machine_find(uint64_t ip, const char *text);

#endif
