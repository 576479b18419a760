// SPDX-License-Identifier: GPL-2.0-or-later
/* insn.c - decode x86-64 instructions with capstone. */
#include <string.h>

#include "arch/engine.h"
#include "user.h"

/* ---------------------------------------------------------------- decoding */

/* The target of a direct branch; else 0. */
static uint64_t direct_target(const cs_insn *insn, bool branches)
{
	const cs_x86 *x86 = &insn->detail->x86;

	if (!branches || x86->op_count != 1 || x86->operands[0].type != X86_OP_IMM)
		return 0;
	return x86->operands[0].imm;
}

static void describe(csh handle, const cs_insn *insn, struct arch_insn *out)
{
	bool is_call = engine_in_group(handle, insn, CS_GRP_CALL);
	bool branches = is_call || engine_in_group(handle, insn, CS_GRP_JUMP) ||
			engine_in_group(handle, insn, CS_GRP_BRANCH_RELATIVE);

	out->len = insn->size;
	out->is_call = is_call;
	out->is_jump = insn->id == X86_INS_JMP || insn->id == X86_INS_LJMP;
	out->is_return = engine_in_group(handle, insn, CS_GRP_RET) ||
			 engine_in_group(handle, insn, CS_GRP_IRET);
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

/*
 * Instructions of kernels that capstone 4 does not know.  Each consists of exactly these bytes; control goes on
 * behind it.
 */
static const struct unknown {
	const char *name;
	uint8_t len;
	uint8_t code[4];
} unknown[] = {
	{ "pconfig", 3, { 0x0f, 0x01, 0xc5 } },
	{ "serialize", 3, { 0x0f, 0x01, 0xe8 } },
	{ "rdpkru", 3, { 0x0f, 0x01, 0xee } },
	{ "wrpkru", 3, { 0x0f, 0x01, 0xef } },
	{ "monitorx", 3, { 0x0f, 0x01, 0xfa } },
	{ "mwaitx", 3, { 0x0f, 0x01, 0xfb } },
	{ "clzero", 3, { 0x0f, 0x01, 0xfc } },
	{ "rdpru", 3, { 0x0f, 0x01, 0xfd } },
	{ "invlpgb", 3, { 0x0f, 0x01, 0xfe } },
	{ "tlbsync", 3, { 0x0f, 0x01, 0xff } },
	{ "tdcall", 4, { 0x66, 0x0f, 0x01, 0xcc } },
	{ "setssbsy", 4, { 0xf3, 0x0f, 0x01, 0xe8 } },
	{ "saveprevssp", 4, { 0xf3, 0x0f, 0x01, 0xea } },
	{ "rmpadjust", 4, { 0xf3, 0x0f, 0x01, 0xfe } },
	{ "psmash", 4, { 0xf3, 0x0f, 0x01, 0xff } },
	{ "pvalidate", 4, { 0xf2, 0x0f, 0x01, 0xff } },
	{ "tpause %ecx", 4, { 0x66, 0x0f, 0xae, 0xf1 } },
};

static bool decode_unknown(const uint8_t *code, size_t n, struct arch_insn *out)
{
	for (const struct unknown *u = unknown; u < unknown + sizeof(unknown) / sizeof(unknown[0]); u++) {
		if (n < u->len || memcmp(code, u->code, u->len))
			continue;
		*out = (struct arch_insn){ .len = u->len };
		strcpy(out->text, u->name);
		return true;
	}
	return false;
}

bool arch_user_decode(const uint8_t *code, size_t n, uint64_t addr, struct arch_insn *out)
{
	return engine_decode(&engine, code, n, addr, out) || decode_unknown(code, n, out);
}

/* ---------------------------------------------------------------- switches */

/* Kernels are compiled without jump tables, because of retpolines. */
bool arch_user_is_switch(const uint8_t *code, size_t at)
{
	(void)code;
	(void)at;
	return false;
}

/* --------------------------------------------------------------------- Go */

/* Go has no such sequences here: one instruction holds any constant or address. */
size_t arch_user_go_sequence(const uint8_t *code, size_t n)
{
	(void)code;
	(void)n;
	return 0;
}
