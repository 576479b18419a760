/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * capture_run.h - the interpreter of capture programs: what is inline in the hit path.
 */
#ifndef KTRACE_CAPTURE_RUN_H
#define KTRACE_CAPTURE_RUN_H

#include "core/capture.h"

/*
 * May the hit be recorded, as the filter in front of the program has it?
 * Context: any, NMI included.
 */
bool kt_capture_wants(const struct kt_program *program, const struct pt_regs *regs);

/*
 * The rest of a program from `in` on; faults is where the mask of KT_OP_FAULTS is, NULL without so far.  Kept out of
 * line: the registers that it needs would be saved at every hit.
 */
void kt_capture_rest(const struct kt_insn *in, const struct pt_regs *regs, u32 *out, u32 *faults);

/* The same from a KT_OP_FAULTS on. */
void kt_capture_marked(const struct kt_insn *in, const struct pt_regs *regs, u32 *out);

static __always_inline u32 *kt_emit(u32 *out, u64 v)
{
	__builtin_memcpy(out, &v, sizeof(v));
	return out + 2;
}

/*
 * What is recorded: as many units of four bytes as the program has words at out, which may be the ring
 * itself.  in: the program behind its filter.  The usual items are done here.
 */
static __always_inline void kt_capture_run(const struct kt_insn *in, const struct pt_regs *regs,
					   u32 *out)
{
	for (;; in++) {
		if (likely(in->op == KT_OP_EMITCUR))
			*out++ = kt_current_word(in->imm);
		else if (likely(in->op == KT_OP_END))
			return;
		else if (in->op == KT_OP_FAULTS)
			return kt_capture_marked(in, regs, out);
		else if (in->op == KT_OP_EMITREG)
			out = kt_emit(out, kt_regs_get(regs, in->imm));
		else
			return kt_capture_rest(in, regs, out, NULL);
	}
}

#endif
