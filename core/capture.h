/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * capture.h - the capture program and its verifier; capture_run.h interprets it.  Instructions:
 * ktrace_abi.h.  Also compiled in user space (unit tests, fuzzers).
 */
#ifndef KTRACE_CAPTURE_H
#define KTRACE_CAPTURE_H

#include "core/env.h"
#include "core/ktrace_abi.h"
#include KT_CAPTURE_ENV

struct kt_program {
	u16 len;		/* instructions */
	u16 words;		/* of four bytes that it emits */
	u16 filter;		/* instructions before the first that emits, 0: records always */
	bool all_regs;		/* these as in struct kt_verdict */
	bool filter_saved, uses_call;
	u16 saved;
	struct kt_insn insns[];	/* the filter, ended by KT_OP_END, then what is recorded */
};

/* What the verifier finds out about a program. */
struct kt_verdict {
	u32 filter;		/* instructions of its filter */
	bool all_regs;		/* it reads some register that is no scratch register (kt_reg_is_scratch()) */
	bool filter_saved;	/* the filter asks for what is known of a call that is closed */
	bool uses_call;		/* anything does; so many bytes that were saved must be there: */
	u32 saved;
};

/*
 * Is this a program that ends on every path, reads no register before it was
 * written, emits as many items and bytes on every path that records, at most
 * KT_MAX_PAYLOAD bytes in at most KT_MAX_ITEMS items?  What stands before the last
 * KT_OP_DROP is its filter: that part emits nothing, no jump leads across its
 * end, and no register carries a value across.  Returns the bytes of
 * payload, -EINVAL or -ENOMEM.  Registers, properties of the task and items are
 * translated in place to what the interpreter uses.
 */
int kt_capture_verify(struct kt_insn *insns, u32 len, struct kt_verdict *verdict);

#endif
