// SPDX-License-Identifier: GPL-2.0-or-later
/* operand.c - addressing: Intel SDM volume 2, chapter 2. See operand.h. */
#include <string.h>

#include <linux/kernel.h>

#include "operand.h"

#define NONE		-1
#define CACHE_LINE	64

struct parts {
	int base, index;	/* register or NONE */
	unsigned int scale;
	s64 displacement;
	unsigned int at, size;	/* of the displacement, in the instruction's bytes */
	bool rip;
};

/* REX.X and REX.B; VEX and EVEX have them inverted, a 2-byte VEX does not have them. */
static bool extends(const struct insn *insn, u8 rex_bit, u8 vex_bit)
{
	if (insn->vex_prefix.nbytes > 2)
		return !(insn->vex_prefix.bytes[1] & vex_bit);
	return !insn->vex_prefix.nbytes && (insn->rex_prefix.value & rex_bit);
}

static bool is_gather(const struct insn *insn)
{
	u8 opcode = insn_opcode(insn);

	return insn->vex_prefix.nbytes && insn_vex_m_bits((struct insn *)insn) == 2 &&
	       ((opcode >= 0x90 && opcode <= 0x93) || (opcode >= 0xa0 && opcode <= 0xa3) ||
		(opcode >= 0xc6 && opcode <= 0xc7));
}

static void read_sib(const struct insn *insn, struct parts *parts)
{
	u8 sib = insn->sib.value;

	parts->scale = X86_SIB_SCALE(sib);
	parts->index = X86_SIB_INDEX(sib) | extends(insn, 2, 0x40) << 3;
	if (parts->index == RSP || is_gather(insn))
		parts->index = NONE;
	parts->base = X86_SIB_BASE(sib) | extends(insn, 1, 0x20) << 3;
	if (X86_SIB_BASE(sib) == 5 && X86_MODRM_MOD(insn->modrm.value) == 0)
		parts->base = NONE;
}

static void read_parts(const struct insn *insn, struct parts *parts)
{
	*parts = (struct parts){ .base = NONE, .index = NONE };
	parts->rip = insn_is_rip_relative(insn);
	if (insn->sib.nbytes)
		read_sib(insn, parts);
	else if (!parts->rip)
		parts->base = X86_MODRM_RM(insn->modrm.value) | extends(insn, 1, 0x20) << 3;
	parts->displacement = (s32)insn->displacement.value;
	parts->size = insn->displacement.nbytes;
	parts->at = insn_offset_displacement((struct insn *)insn);
}

/* In 64-bit mode only FS and GS have a base. */
static u64 segment_base(const struct insn *insn, const struct state *state)
{
	bool fs = insn_has_prefix(insn, 0x64), gs = insn_has_prefix(insn, 0x65);

	if (gs && (!fs || insn->prefixes.bytes[3] == 0x65))
		return state->gs_base;
	return fs ? state->fs_base : 0;
}

u64 operand_segment_base(const struct trial *trial, unsigned int which)
{
	return segment_base(&trial->subject.insn[which], &trial->state);
}

bool operand_is_low(const struct trial *trial, unsigned int which)
{
	const struct insn *insn = &trial->subject.insn[which];
	struct parts parts;

	read_parts(insn, &parts);
	return insn->addr_bytes != 8 || parts.rip || parts.base == NONE;
}

u64 operand_linear_in(const struct trial *trial, unsigned int which, const struct state *state)
{
	const struct insn *insn = &trial->subject.insn[which];
	struct parts parts;
	u64 address;

	read_parts(insn, &parts);
	address = parts.displacement;
	if (parts.rip)
		address += trial_next(trial, which);
	if (parts.base != NONE)
		address += state->gpr[parts.base];
	if (parts.index != NONE)
		address += state->gpr[parts.index] << parts.scale;
	if (insn->addr_bytes != 8)
		address = (u32)address;
	return address + segment_base(insn, state);
}

u64 operand_linear(const struct trial *trial, unsigned int which)
{
	return operand_linear_in(trial, which, &trial->state);
}

static void write_displacement(struct trial *trial, unsigned int which, const struct parts *parts, s64 value)
{
	u8 *bytes = trial->subject.bytes + trial->subject.start[which];
	s32 v = value;

	if (parts->size == 4)
		memcpy(bytes + parts->at, &v, 4);
	else if (parts->size == 1)
		bytes[parts->at] = value;
}

static void choose_displacement(struct trial *trial, unsigned int which, struct parts *parts)
{
	if (!parts->size)
		return;
	if (parts->size == 4)
		parts->displacement = (s64)rng_below(&trial->rng, 1024) - 512;
	/* EVEX scales an 8-bit displacement by the operand's size. */
	else if (trial->subject.insn[which].vex_prefix.nbytes == 4)
		parts->displacement = 0;
	write_displacement(trial, which, parts, parts->displacement);
}

static void choose_index(struct trial *trial, unsigned int which, const struct parts *parts)
{
	u64 *index = &trial->state.gpr[parts->index];

	*index = (s64)rng_below(&trial->rng, 64) - 16;
	if (trial->subject.insn[which].addr_bytes != 8)
		*index = (u32)*index | rng_next(&trial->rng) << 32;
}

/* Choose registers so that base + (index << scale) is `rest`. */
static void solve_base(struct trial *trial, unsigned int which, const struct parts *parts, u64 rest)
{
	u64 *base = &trial->state.gpr[parts->base];

	if (parts->base == RSP)
		return;
	if (parts->base == parts->index)
		*base = rest / ((1ull << parts->scale) + 1);
	else if (parts->index != NONE)
		*base = rest - (trial->state.gpr[parts->index] << parts->scale);
	else
		*base = rest;
	if (trial->subject.insn[which].addr_bytes != 8)
		*base = (u32)*base | rng_next(&trial->rng) << 32;
}

void operand_aim(struct trial *trial, unsigned int which, u64 linear)
{
	u64 address = linear - operand_segment_base(trial, which);
	struct parts parts;

	read_parts(&trial->subject.insn[which], &parts);
	if (parts.rip) {
		write_displacement(trial, which, &parts, address - trial_next(trial, which));
		return;
	}
	if (parts.index != NONE && parts.index != parts.base)
		choose_index(trial, which, &parts);
	if (parts.base == NONE) {
		u64 index = parts.index == NONE ? 0 : trial->state.gpr[parts.index] << parts.scale;

		write_displacement(trial, which, &parts, address - index);
		return;
	}
	choose_displacement(trial, which, &parts);
	solve_base(trial, which, &parts, address - parts.displacement);
}

bool operand_is_locked(const struct trial *trial, unsigned int which)
{
	static const struct pattern xchg = { MAP_ONE, 0x86, 0x87 };
	const struct insn *insn = &trial->subject.insn[which];

	return insn_has_memory(insn) && (insn_has_prefix(insn, 0xf0) || pattern_matches(&xchg, insn));
}

/* For bts and similar instructions the bit number moves the operand. */
static bool has_bit_offset(const struct insn *insn)
{
	static const struct pattern bits[] = {
		{ MAP_0F, 0xab, 0xab }, { MAP_0F, 0xb3, 0xb3 }, { MAP_0F, 0xbb, 0xbb },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bits); i++)
		if (pattern_matches(&bits[i], insn))
			return true;
	return false;
}

bool operand_splits_lock(const struct trial *trial, unsigned int which)
{
	u64 linear = operand_linear(trial, which);

	return operand_is_locked(trial, which) && linear % 8 &&
	       (linear % CACHE_LINE > CACHE_LINE - 16 || has_bit_offset(&trial->subject.insn[which]));
}
