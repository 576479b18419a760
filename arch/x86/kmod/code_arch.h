/* SPDX-License-Identifier: GPL-2.0-only */
/* code_arch.h - registers of generated code: see kmod/code/code.h. */
#ifndef KTRACE_CODE_ARCH_H
#define KTRACE_CODE_ARCH_H

#include "core/ktrace_abi.h"
#include "frame.h"

enum reg { AX, CX, DX, BX, SP, BP, SI, DI, R8, R9, R10, R11, R12, R13, R14, R15, NO_REG };

/* VALUE has the result of a load; otherwise it is scratch.  WORK1 to WORK4 are scratch within one step of a hit. */
enum { VALUE = AX, WORK1 = CX, WORK2 = DX, WORK3 = DI, WORK4 = SI, STACK = SP };
/* Scratch registers of programs that have chains of pointers or names of tasks. */
enum { PROGRAM1 = CX, PROGRAM2 = DI };

#define HIT_SAVES_FIRST	false	/* the code saves registers after the filter */
#define DRAFT_AT	0	/* offset of the key and the value of a table from the stack pointer */

#define MOST_CHAINS	8

/* An argument in its machine register, plus a number.  NO_REG: it is something else. */
struct pointer {
	u8 base;
	bool pending;	/* the register of the program does not have it yet */
	s32 offset;
};

struct code_regs {
	u32 live;			/* arguments that the program reads where they are; no others may be read */
	u8 second;			/* where the argument of rdx is */
	u8 moved[NO_REG];		/* of a hit with texts: where the code has put the argument of a register */
	u32 pool;			/* for the program, not taken yet */
	u32 preserved;			/* those of them that the code must save */
	u32 saved;			/* those that it has to save */
	u8 regs[KT_NR_REGS];		/* the machine register of each register; NO_REG: none so far */
	struct pointer known[KT_NR_REGS];	/* what is known of the values of registers */
	bool lacks_regs;

	bool is_hit;			/* the code of a whole hit */
	bool is_direct;			/*  of a direct jump: the registers of the hit are in the machine's, or on the stack */
	bool call_given;		/* of an event with cases: see struct kt_hit_code */
	s32 stacked[NO_REG];		/* the offset from the stack pointer of such a register, plus 1; 0: it is in the machine's */
	s32 stack_at;			/* from the stack pointer to that of the hit */
	/* Its loads: */
	u16 loads[NO_REG + 1];		/* how many are on all paths, from the argument in this machine register */
	s32 last[NO_REG + 1];		/* the last byte that they read, from there */
	u32 checked;			/* the arguments that the code checks once for all loads */
	bool any_load;			/* it must look whether a load failed */
	/* Of a direct jump: */
	u32 nr_chains;
	const struct kt_insn *chains[MOST_CHAINS];
	u32 chain_tables[MOST_CHAINS];	/* where the table of each begins: known after the first pass */
};

/* What generated code needs to know about the running kernel. */
struct kt_layout {
	/* Addresses of per-CPU variables.  cpu_offset: what the CPU adds to such an address. */
	s32 nest, context, others, failed, faults, preempt_count, current_task, cpu_offset, loads_at;
	s32 flags, status, stack;	/* members of struct task_struct */
	s32 tgid, pid, start_time, comm;	/* likewise */
	u32 thread_size;		/* bytes of the stack of a task */
	u32 no_program, compat;		/* bits of the first two: the task is in no 64-bit system call */
	s32 call, number;		/* from the stack to the registers of the call; from there to its number */
	bool clock_traps;		/* reading the clock may be an exception */
	bool no_faults;			/* the probes of an event are called with preemption off: no page fault is handled */
	bool checks_branches;		/* the CPU wants endbr64 where an indirect branch leads to (IBT) */
};

/* Registers of the code of texts, besides those of other hits. */
struct text_regs {
	u8 draft;
	u8 out;			/* where the next item is in it */
	u8 call;		/* the registers of the system call: where they are, or their stack */
	u8 ctl;			/* the control structure of the ring */
	u8 units;		/* the number of units of the payload */
	u8 shifted;		/* the same number, where the word of the ring has it */
	u8 bytes;		/* bytes of the payload before its last eight */
	u8 at;			/* the byte that is copied now */
	u32 saved;
};

/* Of a hit, besides. */
struct hit_regs {
	u8 ring;			/* the address of the ring, where it has more than 32 bits */
	u8 ctl;				/* the control structure of the ring */
	u8 record;			/* the sub-buffer, later the record */
	u8 commit;			/* the address of the commit count; NO_REG: it is on the stack */
	bool early_task;		/* the code reads the current task into c.task before it checks anything */
	bool loads;			/* the payload has loads, after which it looks whether one has failed */
	u32 saved, far[NO_REG], back[NO_REG];	/* the last two: for an argument that is not in the direct map */
	u32 failed;			/* where the code goes if a load has failed */
	const struct text_regs *text;	/* of texts */
};

#endif
