/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * capture.h - the capture program and its verifier.  capture_run.h has the interpreter, ktrace_abi.h the
 * instructions.
 *
 * Also compiled in user space (unit tests, fuzzers).
 */
#ifndef KTRACE_CAPTURE_H
#define KTRACE_CAPTURE_H

#include "core/env.h"
#include "core/ktrace_abi.h"
#include KT_CAPTURE_ENV

struct kt_program {
	u16 len;		/* instructions */
	u16 bytes;		/* that it emits; an even number */
	u16 filter;		/* number of instructions before the first that emits; 0: it records every hit */
	bool all_regs;		/* these fields as in struct kt_verdict */
	bool filter_saved, uses_call, varies;
	u16 saved;
	struct kt_insn insns[];	/* the filter, with KT_OP_END at its end, then the rest */
};

/* Properties of a program that the verifier finds. */
struct kt_verdict {
	u32 filter;		/* number of instructions in its filter */
	bool all_regs;		/* it reads a register that is not a scratch register (kt_reg_is_scratch()) */
	bool filter_saved;	/* the filter reads data of the call that is closed */
	bool uses_call;		/* some instruction does */
	bool varies;		/* the payload of its records varies (KT_OP_EMITTEXT, KT_OP_EMITOBJECT); the verifier returns its most bytes */
	/* bytes of saved data that the program reads */
	u32 saved;
};

/*
 * Verify a program and prepare it for the interpreter.  A valid program ends on every path, writes each
 * register before it reads it, and emits the same items and bytes on every path that records: at most
 * KT_MAX_PAYLOAD bytes in at most KT_MAX_ITEMS items.  The instructions up to the last KT_OP_DROP are its
 * filter.  The filter emits nothing, no jump crosses its end, and no register keeps a value across it.  The
 * function replaces registers, properties of the task and items in place by what the interpreter uses.  Returns
 * the bytes of payload, -EINVAL or -ENOMEM.
 * Context: sleepable.
 */
int kt_capture_verify(struct kt_insn *insns, u32 len, struct kt_verdict *verdict);

/*
 * Confine a verified program to the memory of the program in which it runs (KT_SITE_USER): each load of another address
 * gives "unreadable" from now on.  Returns 1 if the program reads memory, 0 if not, -EINVAL if it walks the stack of the
 * kernel, or knows the kernel's objects.  Any context.
 */
int kt_capture_confine(struct kt_insn *insns, u32 len);

/*
 * In instructions that read memory, aux of a confined program has this bit.  So their usual fast paths, which compare
 * aux, do not apply to them.
 */
#define KT_AUX_USER	0x80

#endif
