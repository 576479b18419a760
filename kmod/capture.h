/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture.h - the capture program and its verifier; capture_run.h interprets it.  Instructions:
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
	u16 words;		/* of four bytes that it emits */
	u16 filter;		/* instructions before the first that emits, 0: records always */
	struct kt_insn insns[];	/* the filter, ended by KT_OP_END, then what is recorded */
};

/*
 * Is this a program that ends on every path, reads no register before it was
 * written, emits as many items and bytes on every path that records, at most
 * KT_MAX_PAYLOAD bytes in at most KT_MAX_ITEMS items?  What stands before the last
 * KT_OP_DROP is its filter: that part emits nothing, no jump leads across its
 * end, and no register carries a value across.  Returns the bytes of
 * payload, -EINVAL or -ENOMEM; *filter the number of instructions of the
 * filter.  Registers, properties of the task and items are translated in
 * place to what the interpreter uses.
 */
int kt_capture_verify(struct kt_insn *insns, u32 len, u32 *filter);

#endif
