/* SPDX-License-Identifier: GPL-2.0-only */
/* code_arch.h - registers of generated code: see kmod/code/code.h. */
#ifndef KTRACE_CODE_ARCH_H
#define KTRACE_CODE_ARCH_H

#include "core/ktrace_abi.h"
#include "encode.h"
#include "frame.h"

#define SP	31		/* as the base of an address; elsewhere the number is that of KT_ZERO */

/*
 * What has the same use in all code: a value that a load finds, or scratch; scratch of programs, and of loads; where the direct map
 * begins, and its size, if a program loads; otherwise those two are scratch, as x30 is.
 */
enum { VALUE = 12, SCRATCH, DIRECT_START = 16, DIRECT_BYTES, TEMP1 = 16, TEMP2, TEMP3 = 30 };

/* Four more that a hit may change between its parts; two of programs. */
enum { WORK1 = 13, WORK2, WORK3, WORK4 = 0, STACK = SP, PROGRAM1 = SCRATCH, PROGRAM2 = TEMP3 };

/* What the entry of a hit has left: PSTATE, the kt_cpus of this CPU, the current task, the offset of per-CPU variables. */
enum { PSTATE = 8, CPU, ME, OFFSET };

#define HIT_SAVES_FIRST	true	/* the code saves registers before the filter */
#define DRAFT_AT	KT_FRAME_KEEP	/* offset of the key and the value of a table from the stack pointer */

struct code_regs {
	u8 first;			/* register 0 of the program; the others follow */
	u8 scratch;			/* of offsets that are no operand: as the code of a program, or between programs */
	u32 used;			/* those that the code of programs has written to so far */
	bool is_hit, is_direct;		/* the code of a whole hit; it is one whose programs may have names of tasks */
	bool atomics;			/* the CPUs have instructions that add to memory (LSE) */
	bool too_far;			/* no branch reaches what the code calls */
	/* Of a hit: */
	u32 live;			/* registers of the hit that the code does not change: a program reads the machine register */
	u64 in_memory;			/* registers of the hit whose values are in the frame */
	u64 read;			/* registers that the programs read */
	bool lacks;			/* a program reads a register that is in neither */
};

/* What generated code needs to know about the running kernel. */
struct kt_layout {
	unsigned long cpus;		/* the per-CPU address of kt_cpus */
	u32 busy, loads_at, others, context, faults;	/* its members */
	unsigned long last_ticks;	/* the per-CPU address of the last value of a clock that is slow; 0: it is not */
	u32 tgid, pid, start_time, comm;	/* members of struct task_struct: */
	u32 stack, task_flags, thread_flags, preempt_count;
	u32 thread_size;		/* bytes of the stack of a task */
	u32 no_program;			/* bits of its flags: a thread of the kernel */
	u32 compat;			/* the number of the bit of thread_flags: the program is a 32-bit one; 64: there are none */
	u32 call, number;		/* from the stack to the registers of the system call; from there to its number */
	bool atomics;			/* the CPUs have instructions that add to memory (LSE) */
};

/* Of the code of texts: the draft; units of the payload; its bytes without the last eight; the byte that is copied now. */
struct text_regs {
	u8 draft, units, bytes, at;
};

/* Of a hit, besides. */
struct hit_regs {
	u8 record;			/* the sub-buffer, later the record */
	u32 kept;			/* registers that the code stores in the frame before it changes them */
	const struct text_regs *text;
};

#endif
