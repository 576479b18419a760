/* SPDX-License-Identifier: GPL-2.0-only */
/* generate.h - machine code for capture programs.  See kmod/text/code.h. */
#ifndef KTRACE_ARM64_GENERATE_H
#define KTRACE_ARM64_GENERATE_H

#include "core/capture.h"

struct kt_hit_code;

/*
 * Each function writes the code to out[room]; CPUs execute it at the address `at`.  It returns the bytes of the code, also if there
 * is not so much room: then `out` is not complete.  -EOPNOTSUPP: no code for this program, or none at this address; -ENOMEM.
 * Sleepable.
 */

/* The code of a verified program, from `insns` to KT_OP_END. */
int kt_arm64_generate(const struct kt_insn *insns, u32 len, u8 *out, u32 room, unsigned long at);

/* The code of a hit. */
int kt_arm64_generate_hit(const struct kt_hit_code *what, u8 *out, u32 room, unsigned long at);
/* The code of a hit that chooses one of hits[nr] by the number of the system call.  There are kt_hits_room(nr). */
int kt_arm64_generate_cases(const struct kt_hit_code *what, void *const *hits, u32 nr, u8 *out, u32 room, unsigned long at);

/* What the code of hits has to know of the kernel. */
struct kt_arm64_layout {
	unsigned long cpus;		/* the per-CPU address of kt_cpus */
	u32 busy, loads_at, others;	/* its members */
	unsigned long last_ticks;	/* the per-CPU address of the last value of a clock that is slow; 0: it is not */
	u32 tgid;			/* members of struct task_struct: */
	u32 stack, task_flags, thread_flags;
	u32 no_program;			/* bits of its flags: a thread of the kernel */
	u32 compat;			/* the number of the bit of thread_flags: the program is a 32-bit one; 64: there are none */
	u32 call, number;		/* from the stack to the registers of the system call; from there to its number */
	bool atomics;			/* the CPUs have instructions that add to memory (LSE) */
};

void kt_arm64_layout(struct kt_arm64_layout *out);

/*
 * Functions of generate_calls.S that only generated code calls, in its own convention: see generate.c.  The loads are
 * those of 1, 2, 4 and 8 bytes.
 */
extern const char kt_arm64_code_load8[], kt_arm64_code_load16[], kt_arm64_code_load32[], kt_arm64_code_load64[];
extern const char kt_arm64_code_call[];

#endif
