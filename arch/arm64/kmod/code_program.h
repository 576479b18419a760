/* SPDX-License-Identifier: GPL-2.0-only */
/* code_program.h - the code of programs (generate.c), for the code of whole hits (generate_hit.c). */
#ifndef KTRACE_ARM64_CODE_PROGRAM_H
#define KTRACE_ARM64_CODE_PROGRAM_H

#include "code_put.h"
#include "frame.h"
#include "generate.h"

#define NEEDS_LOADS	1	/* it reads memory, so that it can give up */
#define NEEDS_CALL	2	/* it reads arguments of the system call */

/* What the code of a program needs.  -EOPNOTSUPP: there is no code for it. */
int kt_arm64_needs(const struct kt_insn *insns, u32 len);

/* Registers that loads need. */
void kt_arm64_begin_loads(struct code *c);

/*
 * The code of a program.  Its payload, if it has one, begins `header` bytes behind the address in c->out.  False: there is no
 * code for it.
 */
bool kt_arm64_program(struct code *c, struct part *part, u32 header);

#endif
