/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * capture.h - the capture program: verifier and interpreter.  Instructions:
 * ktrace_abi.h.  Also compiled in user space (unit tests, fuzzers), where
 * capture_env.h is replaced by the test's own.
 */
#ifndef KTRACE_CAPTURE_H
#define KTRACE_CAPTURE_H

#ifdef __KERNEL__
#include "capture_env.h"
#else
#include "capture_user.h"
#endif
#include "ktrace_abi.h"

struct kt_program {
	u16 len;		/* instructions */
	u16 payload;		/* bytes it emits at most */
	struct kt_insn insns[];
};

/*
 * Is this a program that ends on every path, reads no register before it was
 * written, emits the same number of bytes on every path that records, at most
 * KT_MAX_PAYLOAD in at most KT_MAX_ITEMS items?  Returns the bytes of payload, or -EINVAL.  Register
 * numbers are translated in place to what the interpreter uses.
 */
int kt_capture_verify(struct kt_insn *insns, u32 len);

#define KT_CAPTURE_DROP	(-1)

/*
 * Run a verified program.  out has room for its payload.  Returns the bytes
 * emitted, or KT_CAPTURE_DROP.
 * Context: any, NMI included; memory is read with page faults disabled.
 */
int kt_capture_run(const struct kt_program *program, const struct pt_regs *regs, u32 *out);

#endif
