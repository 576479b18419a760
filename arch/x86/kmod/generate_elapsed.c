// SPDX-License-Identifier: GPL-2.0-only
/* generate_elapsed.c - machine code for how long a call took, in the code of a hit that ends it: see generate_closing.c. */
#include "code_hit.h"
#include "code_regs.h"

bool kt_x86_elapsed(struct code *c, const struct kt_insn *in)
{
	if (!c->is_direct || !((struct hit *)c)->closing)	/* `c` is its first member */
		return false;
	memory_op(c, true, MOV_LOAD, target_of(c, in->dst), SP, closing_word(c, KT_X86_ELAPSED));
	return true;
}
