// SPDX-License-Identifier: GPL-2.0-or-later
/* capture_run.c - the parts of the interpreter that are not inline.  See capture_run.h. */
#include "capture_run.h"

bool kt_capture_wants(const struct kt_program *program, const struct pt_regs *regs)
{
	return kt_capture_part(program, program->insns, regs, NULL, NULL);
}
NOKPROBE_SYMBOL(kt_capture_wants);

void kt_capture_rest(const struct kt_program *program, const struct kt_insn *in,
		     const struct pt_regs *regs, u32 *out, u32 *faults)
{
	kt_capture_part(program, in, regs, out, faults);
}
NOKPROBE_SYMBOL(kt_capture_rest);
