/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* capture_run.h - the interpreter of capture programs: the part that is inline in the hit path. */
#ifndef KTRACE_CAPTURE_RUN_H
#define KTRACE_CAPTURE_RUN_H

#include "core/capture.h"

/* Run the filter of a program: may this hit be recorded? Context: any, NMI included. */
bool kt_capture_wants(const struct kt_program *program, const struct pt_regs *regs);

/*
 * Run the rest of a program from `in` on.  faults is the mask of KT_OP_FAULTS, NULL if there was none so far.
 * Not inline: every hit would save the registers that this function needs.
 */
void kt_capture_rest(const struct kt_insn *in, const struct pt_regs *regs, kt_item *out, kt_item *faults);

/* The same from a KT_OP_FAULTS on. */
void kt_capture_marked(const struct kt_insn *in, const struct pt_regs *regs, kt_item *out);

/*
 * The same for a program whose payload varies (see struct kt_verdict): out has room for program->bytes.  Returns the bytes of
 * payload, an even number.  The bytes behind them may have changed, too.
 */
u32 kt_capture_varying(const struct kt_insn *in, const struct pt_regs *regs, void *out);

/*
 * Emit again what an instruction could not read, with the arguments of kt_read_failed().  out has room for in->imm bytes.
 * Returns the bytes that the item has; 0: a byte is still unreadable.  Any context.
 */
u32 kt_capture_again(const struct kt_insn *in, u64 addr, u64 length, void *out);

static __always_inline kt_item *kt_emit(kt_item *out, u64 v)
{
	__builtin_memcpy(out, &v, sizeof(v));
	return out + 2;
}

/*
 * Run the part of a program behind its filter.  It writes program->bytes to out, which may be the ring itself, at any
 * even address.  in: the first instruction behind the filter.  The usual items are handled inline.
 */
static __always_inline void kt_capture_run(const struct kt_insn *in, const struct pt_regs *regs,
					   kt_item *out)
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
