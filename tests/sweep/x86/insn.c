// SPDX-License-Identifier: GPL-2.0-or-later
/* insn.c - see insn_arch.h. */
#include "insn_arch.h"

#include <capstone/capstone.h>
#include <string.h>

#include "device.h"

static csh engine;
static cs_insn *one;

static void engine_open(void)
{
	if (!one && (cs_open(CS_ARCH_X86, CS_MODE_64, &engine) != CS_ERR_OK || !(one = cs_malloc(engine))))
		die("capstone cannot be used");
}

/* The length of a ModRM byte with its SIB byte and displacement. */
static uint8_t modrm_len(const uint8_t *code, size_t n)
{
	static const uint8_t displacement[] = { 0, 1, 4, 0 };
	uint8_t mod = code[0] >> 6, rm = code[0] & 7, sib = mod < 3 && rm == 4 && n > 1;
	bool far = !mod && (rm == 5 || (sib && (code[1] & 7) == 5));

	return 1 + sib + (far ? 4 : displacement[mod]);
}

/*
 * Newer kernels use ud1 and ud0, with an operand, to warn; capstone 4 continues inside it. Returns the length,
 * or 0.
 */
static uint8_t trap_insn(const uint8_t *code, size_t n)
{
	size_t at = n && code[0] == 0x67;

	at += at < n && (code[at] & 0xf0) == 0x40;
	if (n < at + 3 || code[at] != 0x0f || (code[at + 1] != 0xb9 && code[at + 1] != 0xff))
		return 0;
	at += 2;
	at += modrm_len(code + at, n - at);
	return at <= n ? at : 0;
}

/*
 * Instructions in kernels that capstone 4 does not know, without operands in memory: the group 0f 01
 * (protection keys, serialize, monitorx, SEV), tpause and umwait. Returns the length, or 0.
 */
static uint8_t newer_insn(const uint8_t *code, size_t n)
{
	size_t prefix = n && (code[0] == 0x66 || code[0] == 0xf2 || code[0] == 0xf3);

	if (n < prefix + 3 || code[prefix] != 0x0f || code[prefix + 2] < 0xc0)
		return 0;
	return code[prefix + 1] == 0x01 || (prefix && code[prefix + 1] == 0xae) ? prefix + 3 : 0;
}

uint8_t insn_len(const uint8_t *code, size_t n, uint64_t addr)
{
	uint8_t len = trap_insn(code, n);
	const uint8_t *at = code;
	size_t left = n;

	engine_open();
	if (!len)
		len = cs_disasm_iter(engine, &at, &left, &addr, one) ? one->size : newer_insn(code, n);
	return len;
}

/* Filler behind returns and between functions. */
bool insn_is_filler(const uint8_t *code)
{
	return code[0] == 0xcc;
}

/* Code that the kernel itself patches in: jump labels, static calls and their trampolines, ftrace. */
static const struct form {
	uint8_t len, fixed;	/* length in bytes; how many of them are fixed, with these values */
	uint8_t bytes[5];
} forms[] = {
	{ 5, 5, { 0x0f, 0x1f, 0x44, 0x00, 0x00 } }, { 5, 1, { 0xe9 } }, { 5, 1, { 0xe8 } }, { 5, 2, { 0xc3, 0xcc } },
	{ 5, 5, { 0x66, 0x66, 0x66, 0x66, 0x90 } }, { 5, 5, { 0x66, 0x66, 0x48, 0x31, 0xc0 } },
	{ 5, 5, { 0x2e, 0x2e, 0x2e, 0x31, 0xc0 } }, { 2, 2, { 0x66, 0x90 } }, { 2, 1, { 0xeb } },
};

const uint32_t insn_reg_sp = 7;
const uint8_t insn_form_lens[] = { 5, 2, 0 };

bool insn_is_form(const uint8_t *bytes, uint8_t len)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (forms[i].len == len && !memcmp(forms[i].bytes, bytes, forms[i].fixed))
			return true;
	return false;
}
