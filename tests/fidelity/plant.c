// SPDX-License-Identifier: GPL-2.0-or-later
/* plant.c - wrong relocations that a careless change could make. See plant.h. */
#include <string.h>

#include <linux/kernel.h>

#include "arch/x86/kmod/trampoline.h"
#include "kmod/records/desc.h"
#include "machine.h"
#include "plant.h"

#define INT3		0xcc
#define PUSH_BYTES	5	/* push imm32, before the jump of a call */
#define REX_W		8

static const struct insn *insn_of(const struct trial *trial)
{
	return &trial->subject.insn[0];
}

/* A copy followed by a jump. */
static bool is_copied(enum class class)
{
	return class < CLASS_CALL || class == CLASS_STACK || class == CLASS_STRING || class == CLASS_X87;
}

static bool is_plain(const struct trial *trial)
{
	return is_copied(trial->class);
}

static void add32(u8 *at, s32 add)
{
	s32 value;

	memcpy(&value, at, sizeof(value));
	value += add;
	memcpy(at, &value, sizeof(value));
}

/* The offset of the 32-bit distance to the branch target. */
static unsigned int branch_distance(const struct trial *trial)
{
	switch (trial->class) {
	case CLASS_JMP:
		return 1;
	case CLASS_JCC:
		return 2;
	case CLASS_CALL:
		return PUSH_BYTES + 1;
	case CLASS_LOOP:
		return insn_of(trial)->length + 2 + 1;
	default:
		return 0;
	}
}

static bool operand_off_by_one(const struct trial *trial, u8 *code)
{
	unsigned int start = trial->class == CLASS_CALL_INDIRECT ? PUSH_BYTES : 0;

	if (!insn_is_rip_relative(insn_of(trial)))
		return false;
	add32(code + start + insn_offset_displacement((struct insn *)insn_of(trial)), 1);
	return true;
}

/* As if the relocation had ignored the immediate behind the displacement. */
static bool immediate_forgotten(const struct trial *trial, u8 *code)
{
	const struct insn *insn = insn_of(trial);

	if (!insn_is_rip_relative(insn) || !insn->immediate.nbytes)
		return false;
	add32(code + insn_offset_displacement((struct insn *)insn), insn->immediate.nbytes);
	return true;
}

static bool target_off_by_one(const struct trial *trial, u8 *code)
{
	unsigned int at = branch_distance(trial);

	if (at)
		add32(code + at, 1);
	return at;
}

static bool is_call(const struct trial *trial)
{
	return trial->class == CLASS_CALL || trial->class == CLASS_CALL_INDIRECT;
}

static bool slots_return_address(const struct trial *trial, u8 *code)
{
	u32 address = trial->slot + PUSH_BYTES;

	if (is_call(trial))
		memcpy(code + 1, &address, sizeof(address));
	return is_call(trial);
}

static bool return_address_off_by_one(const struct trial *trial, u8 *code)
{
	if (is_call(trial))
		add32(code + 1, -1);
	return is_call(trial);
}

static bool return_off_by_one(const struct trial *trial, u8 *code)
{
	if (is_plain(trial))
		add32(code + insn_of(trial)->length + 1, 1);
	return is_plain(trial);
}

static bool instruction_lost(const struct trial *trial, u8 *code)
{
	if (is_plain(trial))
		memset(code, 0x90, insn_of(trial)->length);
	return is_plain(trial);
}

static bool condition_inverted(const struct trial *trial, u8 *code)
{
	if (trial->class == CLASS_JCC)
		code[1] ^= 1;
	return trial->class == CLASS_JCC;
}

static bool loop_never_taken(const struct trial *trial, u8 *code)
{
	if (trial->class == CLASS_LOOP)
		code[insn_of(trial)->length - 1] = 0;
	return trial->class == CLASS_LOOP;
}

static bool ret_operand_lost(const struct trial *trial, u8 *code)
{
	unsigned int at = insn_offset_opcode((struct insn *)insn_of(trial));

	if (trial->class != CLASS_RET || code[at] != 0xc2)
		return false;
	code[at] = 0xc3;
	return true;
}

static bool call_left_a_call(const struct trial *trial, u8 *code)
{
	if (trial->class == CLASS_CALL_INDIRECT)
		code[PUSH_BYTES + insn_offset_modrm((struct insn *)insn_of(trial))] ^= (2 ^ 4) << 3;
	return trial->class == CLASS_CALL_INDIRECT;
}

static bool rex_w_lost(const struct trial *trial, u8 *code)
{
	const struct insn *insn = insn_of(trial);

	if (!is_plain(trial) || !X86_REX_W(insn->rex_prefix.value))
		return false;
	code[insn_offset_rex_prefix((struct insn *)insn)] &= ~REX_W;
	return true;
}

/* Replace gs by cs, which has no effect. */
static bool segment_lost(const struct trial *trial, u8 *code)
{
	u8 *prefix = memchr(code, 0x65, insn_of(trial)->prefixes.nbytes);

	if (!is_plain(trial) || !insn_has_memory(insn_of(trial)) || !prefix)
		return false;
	*prefix = 0x2e;
	return true;
}

/* The second of the displaced instructions, if it is a copy. */
static u8 *second(const struct trial *trial, u8 *code)
{
	if (trial->subject.count < 2 || !is_copied(insn_class(&trial->subject.insn[1])))
		return NULL;
	return code + displace_moved_len(&trial->subject.insn[0]);
}

static bool second_lost(const struct trial *trial, u8 *code)
{
	u8 *at = second(trial, code);

	if (at)
		memset(at, 0x90, trial->subject.insn[1].length);
	return at;
}

/* As if it were executed where the first one is. */
static bool second_operand_wrong(const struct trial *trial, u8 *code)
{
	struct insn *insn = (struct insn *)&trial->subject.insn[1];
	u8 *at = second(trial, code);

	if (!at || !insn_is_rip_relative(insn))
		return false;
	add32(at + insn_offset_displacement(insn), at - code);
	return true;
}

static bool begins_with_jcc(const struct trial *trial)
{
	return trial->subject.count > 1 && insn_class(insn_of(trial)) == CLASS_JCC;
}

static bool first_condition_inverted(const struct trial *trial, u8 *code)
{
	if (begins_with_jcc(trial))
		code[1] ^= 1;
	return begins_with_jcc(trial);
}

static bool first_target_off_by_one(const struct trial *trial, u8 *code)
{
	if (begins_with_jcc(trial))
		add32(code + 2, 1);
	return begins_with_jcc(trial);
}

/* Replace the function that the last part of a trampoline calls. */
static bool call_special(u8 *code, unsigned int copy)
{
	add32(code + KT_TRAMPOLINE_BYTES - 9, machine_special(copy) - machine_special(SPECIAL_RIGHT));
	return true;
}

static bool special_swapped(const struct trial *trial, u8 *code)
{
	return call_special(code, SPECIAL_SWAPPED);
}

static bool special_left(const struct trial *trial, u8 *code)
{
	return call_special(code, SPECIAL_LEFT);
}

#define SLOT		.method = METHOD_SLOT
#define REGION		.method = METHOD_REGION
#define TRAMPOLINE	.method = METHOD_TRAMPOLINE
#define TRAMPOLINE_ALL	.method = METHOD_TRAMPOLINE_ALL
#define DIRECT		.method = METHOD_DIRECT
#define DIRECT_FLAGS	.method = METHOD_DIRECT_FLAGS

const struct plant plants[] = {
	{ "operand off by one", SLOT, .spoil = operand_off_by_one },
	{ "immediate behind the displacement forgotten", SLOT, .spoil = immediate_forgotten },
	{ "branch target off by one", SLOT, .spoil = target_off_by_one },
	{ "return address of the slot pushed", SLOT, .spoil = slots_return_address },
	{ "return address off by one", SLOT, .spoil = return_address_off_by_one },
	{ "way back off by one", SLOT, .spoil = return_off_by_one },
	{ "instruction lost", SLOT, .spoil = instruction_lost },
	{ "condition inverted", SLOT, .spoil = condition_inverted },
	{ "loop never taken", SLOT, .spoil = loop_never_taken },
	{ "operand of ret lost", SLOT, .spoil = ret_operand_lost },
	{ "indirect call pushes twice", SLOT, .spoil = call_left_a_call },
	{ "REX.W lost", SLOT, .spoil = rex_w_lost },
	{ "segment prefix lost", SLOT, .spoil = segment_lost },
	{ "flags clobbered (test)", SLOT, .before = { 0x48, 0x85, 0xe4 }, .n = 3 },
	{ "carry clobbered (clc)", SLOT, .before = { 0xf8 }, .n = 1 },
	{ "direction flag clobbered (cld)", SLOT, .before = { 0xfc }, .n = 1 },
	{ "register clobbered (r11)", SLOT, .before = { 0x4d, 0x8d, 0x5b, 0x01 }, .n = 4 },
	{ "high half of a register clobbered (r10d)", SLOT, .before = { 0x45, 0x89, 0xd2 }, .n = 3 },
	{ "stack pointer moved", SLOT, .before = { 0x48, 0x8d, 0x64, 0x24, 0xf8 }, .n = 5 },
	{ "memory below the stack pointer written", SLOT, .before = { 0x50, 0x58 }, .n = 2 },
	{ "vector register clobbered (xmm15)", SLOT, .before = { 0x45, 0x0f, 0x57, 0xff }, .n = 4 },
	{ "x87 state clobbered (fninit)", SLOT, .before = { 0xdb, 0xe3 }, .n = 2 },
	{ "exception in front (ud2)", SLOT, .before = { 0x0f, 0x0b }, .n = 2 },
	{ "second instruction lost", REGION, .spoil = second_lost },
	{ "operand of the second instruction wrong", REGION, .spoil = second_operand_wrong },
	{ "condition of a branch before others inverted", REGION, .spoil = first_condition_inverted },
	{ "target of a branch before others off by one", REGION, .spoil = first_target_off_by_one },
	{ "flags clobbered (test)", REGION, .before = { 0x48, 0x85, 0xe4 }, .n = 3 },
	/* pop r11, r10 */
	{ "two registers swapped when restored", TRAMPOLINE, .these = { 0x41, 0x5b, 0x41, 0x5a },
	  .those = { 0x41, 0x5a, 0x41, 0x5b }, .width = 4 },
	/* popf; lea 40(rsp), rsp */
	{ "flags not restored", TRAMPOLINE, .these = { 0x9d, 0x48, 0x8d, 0x64, 0x24, 0x28 },
	  .those = { 0x90, 0x48, 0x8d, 0x64, 0x24, 0x30 }, .width = 6 },
	/* lea -48(rsp), rsi */
	{ "frame in the wrong place", TRAMPOLINE, .these = { 0x48, 0x8d, 0x74, 0x24, 0xd0 },
	  .those = { 0x48, 0x8d, 0x74, 0x24, 0xd8 }, .width = 5 },
	{ "two registers swapped in the frame", TRAMPOLINE_ALL, .spoil = special_swapped },
	{ "registers that were asked for left on the stack", TRAMPOLINE_ALL, .spoil = special_left },
	/* rdx, jne */
	{ "registers left out that are asked for", TRAMPOLINE_ALL,
	  .these = { 0x7a, offsetof(struct kt_desc, all_regs), 0x00, 0x0f, 0x85 },
	  .those = { 0x7a, offsetof(struct kt_desc, all_regs), 0x00, 0x0f, 0x84 }, .width = 5 },
	/* cld, behind the removed cli */
	{ "direction flag left to the hit function", TRAMPOLINE, .these = { 0x90, 0xfc }, .those = { 0x90, 0x90 },
	  .width = 2 },
	/* push rax; mov site->direct, rax */
	{ "another register saved", DIRECT, .these = { 0x50, 0x48, 0xa1 }, .those = { 0x53, 0x48, 0xa1 }, .width = 3 },
	/* add, which sets the overflow flag; sahf; pop rax */
	{ "overflow flag lost", DIRECT_FLAGS, .these = { 0x04, 0x78, 0x9e }, .those = { 0x04, 0x70, 0x9e }, .width = 3 },
	{ "five flags lost", DIRECT_FLAGS, .these = { 0x04, 0x78, 0x9e }, .those = { 0x04, 0x78, 0x90 }, .width = 3 },
	{ "flags left on the stack", DIRECT_FLAGS, .these = { 0x9e, 0x58, 0x48, 0x8d, 0x64, 0x24, 0x08 },
	  .those = { 0x9e, 0x58, 0x48, 0x8d, 0x64, 0x24, 0x00 }, .width = 7 },
};
const unsigned int nr_plants = ARRAY_SIZE(plants);

/* The right code for a later address, with something before it. */
static bool put_before(const struct plant *plant, const struct trial *trial, struct displaced *displaced)
{
	const struct method *method = trial->method;
	unsigned int i, begin = 0;
	u8 code[DISPLACED_BYTES];

	if (method->displace(&trial->subject, trial->at, trial->slot + plant->n, code, &begin))
		return false;
	for (i = method->room - plant->n; i < method->room; i++)
		if (code[i] != INT3)
			return false;
	memcpy(displaced->code, plant->before, plant->n);
	memcpy(displaced->code + plant->n, code, method->room - plant->n);
	return true;
}

static bool replace(const struct plant *plant, struct displaced *displaced)
{
	u8 *at = memmem(displaced->code, displaced->len, plant->these, plant->width);

	if (at)
		memcpy(at, plant->those, plant->width);
	return at;
}

bool plant_spoil(const struct plant *plant, const struct trial *trial, struct displaced *displaced)
{
	if (plant->n)
		return put_before(plant, trial, displaced);
	if (plant->width)
		return replace(plant, displaced);
	return plant->spoil(trial, displaced->code);
}
