// SPDX-License-Identifier: GPL-2.0-or-later
/* insn.c - x86-64 instructions: decoding with capstone, function prologues. */
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

/* --------------------------------------------------------------- prologues */

struct bytes {
	uint8_t len;
	uint8_t code[5];
};

/* endbr64, and what a kernel with IBT puts in its place when nobody calls through a pointer. */
static const struct bytes landings[] = {
	{ 4, { 0xf3, 0x0f, 0x1e, 0xfa } },
	{ 4, { 0x66, 0x0f, 0x1f, 0x00 } },
	{ 4, { 0x0f, 0x1f, 0x40, 0xd6 } },
};

/* ftrace's place: nops of five bytes, or the first byte of its live call. */
static const struct bytes hooks[] = {
	{ 5, { 0x0f, 0x1f, 0x44, 0x00, 0x00 } },
	{ 5, { 0x66, 0x66, 0x66, 0x66, 0x90 } },
	{ 1, { 0xe8 } },
};

#define HOOK_LEN	5

static bool matches(const struct bytes *rows, size_t nr, const uint8_t *code, size_t n)
{
	for (size_t i = 0; i < nr; i++)
		if (n >= rows[i].len && !memcmp(code, rows[i].code, rows[i].len))
			return true;
	return false;
}

size_t arch_user_prologue(const uint8_t *code, size_t n, uint64_t addr)
{
	size_t len = 0;

	(void)addr;
	if (matches(landings, sizeof(landings) / sizeof(landings[0]), code, n))
		len = landings[0].len;
	if (n >= len + HOOK_LEN &&
	    matches(hooks, sizeof(hooks) / sizeof(hooks[0]), code + len, n - len))
		len += HOOK_LEN;
	return len;
}

/* ---------------------------------------------------------------- switches */

/* Kernels are compiled without tables of jumps, for the sake of retpolines. */
bool arch_user_is_switch(const uint8_t *code, size_t at)
{
	(void)code;
	(void)at;
	return false;
}
