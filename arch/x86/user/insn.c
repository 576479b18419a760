// SPDX-License-Identifier: GPL-2.0-or-later
/* insn.c - x86-64 instructions: decoding with capstone. */
#include <string.h>

#include "arch/engine.h"
#include "user.h"

/* ---------------------------------------------------------------- decoding */

/* Of a branch with the address in the instruction itself, else 0. */
static uint64_t direct_target(const cs_insn *insn, bool branches)
{
	const cs_x86 *x86 = &insn->detail->x86;

	if (!branches || x86->op_count != 1 || x86->operands[0].type != X86_OP_IMM)
		return 0;
	return x86->operands[0].imm;
}

static void describe(csh handle, const cs_insn *insn, struct arch_insn *out)
{
	bool is_call = cs_insn_group(handle, insn, CS_GRP_CALL);
	bool branches = is_call || cs_insn_group(handle, insn, CS_GRP_JUMP) ||
			cs_insn_group(handle, insn, CS_GRP_BRANCH_RELATIVE);

	out->len = insn->size;
	out->is_call = is_call;
	out->is_jump = insn->id == X86_INS_JMP || insn->id == X86_INS_LJMP;
	out->is_return = cs_insn_group(handle, insn, CS_GRP_RET) ||
			 cs_insn_group(handle, insn, CS_GRP_IRET);
	out->target = direct_target(insn, branches);
}

static struct engine engine = {
	.arch = CS_ARCH_X86, .mode = CS_MODE_64, .syntax = CS_OPT_SYNTAX_ATT, .describe = describe,
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

__attribute__((destructor)) static void give_back(void)
{
	engine_close(&engine);
}

bool arch_user_decode(const uint8_t *code, size_t n, uint64_t addr, struct arch_insn *out)
{
	return engine_decode(&engine, code, n, addr, out);
}

/* ---------------------------------------------------------------- switches */

/* Kernels are compiled without tables of jumps, for the sake of retpolines. */
bool arch_user_is_switch(const uint8_t *code, size_t at)
{
	(void)code;
	(void)at;
	return false;
}
