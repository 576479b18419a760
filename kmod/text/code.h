/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * code.h - machine code for the recording part of a capture program.
 *
 * The interpreter (core/capture_run.c) defines what a program does.  The code handles the usual case only: every load
 * succeeds, every argument is there.  In any other case it gives up: it calls the interpreter, which writes the whole
 * payload again.  An architecture without a generator, or a program that the generator does not support, has no code.
 *
 * The code runs in a hit, where preemption is off.  So it is freed under the same rule as the descriptor that owns it:
 * after an RCU grace period.
 */
#ifndef KTRACE_CODE_H
#define KTRACE_CODE_H

#include <linux/types.h>

struct kt_insn;
struct pt_regs;
struct task_struct;

/*
 * Write the payload of a hit to `out`, any even address.  me: the current task.  call: the registers of its system call;
 * NULL: not known, the code looks for them if it needs them.  A payload whose length varies: returns its end, which may be
 * odd; NULL: the code gives up without calling the interpreter.  Any other payload: returns nothing.  In a hit.
 */
typedef void *(*kt_code_fn)(const struct pt_regs *regs, void *out, const struct task_struct *me,
			   const struct pt_regs *call);

struct kt_code {
	kt_code_fn run;		/* NULL: use the interpreter */
	u32 bytes;
};

/* Make the code of len instructions, which the verifier has accepted.  They must live as long as the code.  Sleepable. */
void kt_code_make(struct kt_code *code, const struct kt_insn *insns, u32 len);

/* No hit can run it any more.  Sleepable. */
void kt_code_free(struct kt_code *code);

#endif
