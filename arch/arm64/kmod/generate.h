/* SPDX-License-Identifier: GPL-2.0-only */
/* generate.h - machine code for capture programs.  See kmod/text/code.h. */
#ifndef KTRACE_ARM64_GENERATE_H
#define KTRACE_ARM64_GENERATE_H

#include "core/capture.h"

/*
 * Write the code of a verified program, from `insns` to KT_OP_END, to out[room]; CPUs execute it at the address `at`.  Returns the
 * bytes of the code, also if there is not so much room: then `out` is not complete.  -EOPNOTSUPP: no code for this program, or none
 * at this address; -ENOMEM.  Sleepable.
 */
int kt_arm64_generate(const struct kt_insn *insns, u32 len, u8 *out, u32 room, unsigned long at);

/*
 * Functions of generate_calls.S that only generated code calls, in its own convention: see generate.c.  The loads are
 * those of 1, 2, 4 and 8 bytes.
 */
extern const char kt_arm64_code_load8[], kt_arm64_code_load16[], kt_arm64_code_load32[], kt_arm64_code_load64[];
extern const char kt_arm64_code_call[];

#endif
