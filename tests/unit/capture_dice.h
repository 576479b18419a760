/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture_dice.h - random machines and random capture programs. */
#ifndef CAPTURE_DICE_H
#define CAPTURE_DICE_H

#include "capture_machine.h"

static u32 dice(u32 sides)
{
	return (u32)rand() % sides;
}

/* Values close to each other, close to the limits, or addresses that can be read. */
static u64 dice_value(void)
{
	const u64 ends[] = { 0, 1, -1ULL, 1ULL << 63, 0x7fffffff, 0x80000000, 0xffffffff };

	switch (dice(4)) {
	case 0:
		return ends[dice(7)];
	case 1:
		return dice(5);
	case 2:
		return (u64)dice(1U << 31) << 33 ^ (u64)dice(1U << 31);
	default:
		return MACHINE_MEMORY + dice(MACHINE_BYTES);
	}
}

static __attribute__((unused)) void machine_dice(struct machine *m)
{
	u32 i;

	for (i = 0; i < KT_NR_GENERAL; i++)
		m->regs.general[i] = dice_value();
	for (i = 0; i < KT_NR_CURS; i++)
		m->current[i] = i < KT_CUR_TASK ? dice(5) : dice_value();
	memcpy(m->comm, "a name of 15 byt", dice(KT_COMM_BYTES));
	for (i = 0; i < 4; i++)
		m->callers[i] = dice(4) ? dice_value() : 0;
	for (i = 0; i < MACHINE_BYTES; i += 8) {
		u64 value = dice_value();

		/* A text that is longer than a word. */
		if (!dice(4))
			value |= 0x4141414141414141;
		memcpy(m->memory + i, &value, 8);
	}
	m->regs.psr = dice(1024);
	m->call.matched = dice(4);
	m->syscall = dice(4);
	for (u32 i = 0; i < KT_SYSCALL_ARGS; i++)
		m->args[i] = dice_value();
	m->call.elapsed = dice_value();
	for (i = 0; i < KT_MAX_SAVED / 4; i++)
		m->call.saved[i] = (u32)dice_value();
}

/* A program that is being made, and the registers that are already written on every path. */
struct maker {
	struct kt_insn *insns;
	u32 len;
	u8 written;
};

static struct kt_insn *make(struct maker *maker, u8 op, u8 dst, u8 src, u8 aux, s32 imm)
{
	struct kt_insn *in = &maker->insns[maker->len++];

	*in = (struct kt_insn){ .op = op, .dst = dst, .src = src, .aux = aux, .imm = imm };
	return in;
}

/* Mostly a scratch register: many programs need no others. */
static u32 a_source(void)
{
	u32 dwarf = dice(KT_NR_GENERAL);

	return kt_reg_is_scratch(kt_reg_offset(dwarf)) || !dice(6) ? dwarf : dice(3);
}

/* Random programs use so many registers. */
static u32 dice_registers = KT_NR_REGS;

static u8 a_register(struct maker *maker)
{
	u8 r = dice(dice_registers);

	while (maker->written && !(maker->written & 1U << r))
		r = (r + 1) % dice_registers;
	if (!maker->written) {
		make(maker, KT_OP_REG, r, 0, 0, a_source());
		maker->written = 1U << r;
	}
	return r;
}

static u8 a_comparison(void)
{
	u8 how = dice(KT_NR_CMPS);

	return how == KT_CMP_ALWAYS ? KT_CMP_EQ : how;
}

/* Most bytes are those of the text in memory.  The words name dst, so that tests can replace them. */
static void make_match(struct maker *maker, u8 dst, u8 src)
{
	static const char bytes[] = "AAAA***?\\\1\2";
	const u32 words = 1 + dice(maker->len > 64 ? 1 : dice(6) ? 2 : KT_MAX_PATTERN / 4);

	make(maker, KT_OP_MATCH, dst, src, words | (dice(2) ? KT_MATCH_ENDS : 0), 1 + dice(dice(6) ? 20 : KT_MAX_MATCH));
	for (u32 i = 0; i < words; i++) {
		u32 word = 0;

		for (u32 at = 0; at < 4; at++)
			word = word << 8 | (dice(8) ? (u8)bytes[dice(sizeof(bytes) - 1)] : 0);
		make(maker, KT_OP_PATTERN, dst, 0, 0, (s32)word);
	}
}

static void make_step(struct maker *maker)
{
	u8 dst = dice(dice_registers), src = a_register(maker), old = a_register(maker);

	switch (dice(18)) {
	case 17:
		make_match(maker, dst, src);
		break;
	case 15:
		make(maker, KT_OP_CALLER, dst, 0, 0, dice(6));
		break;
	case 16:
		make(maker, KT_OP_CALLERIN, dst = old, src, 0, 0);
		break;
	case 14:
		make(maker, KT_OP_ARG, dst, 0, 0, dice(KT_SYSCALL_ARGS));
		break;
	case 12:
		make(maker, KT_OP_ELAPSED, dst, 0, 0, 0);
		break;
	case 13:
		make(maker, KT_OP_SAVED, dst, dice(4), dice(KT_NR_SIZES), 4 * dice(20));
		break;
	case 0:
		make(maker, KT_OP_PSR, dst, 0, 0, 0);
		break;
	case 1:
		make(maker, KT_OP_IMM, dst, 0, 0, (s32)dice_value());
		break;
	case 2:
		make(maker, KT_OP_IMMHI, dst = old, 0, 0, (s32)dice_value());
		break;
	case 3:
		make(maker, KT_OP_CUR, dst, 0, 0, dice(KT_NR_CURS));
		break;
	case 4:
		make(maker, KT_OP_ALU, dst = old, src, dice(KT_NR_ALUS), 0);
		break;
	case 5:
		make(maker, KT_OP_ADDI, dst = old, 0, 0, (s32)dice(16) - 8);
		break;
	case 6:
		make(maker, KT_OP_ALUI, dst = old, 0, dice(KT_NR_ALUS), (s32)dice_value());
		break;
	case 7:
		make(maker, KT_OP_EXT, dst = old, 0, dice(KT_NR_SIZES), 0);
		break;
	case 8:
		make(maker, KT_OP_SET, dst = old, src, a_comparison(), 0);
		break;
	case 9:
	case 10:
		make(maker, KT_OP_LOAD, dst, src, dice(KT_NR_SIZES), (s32)dice(24) - 12);
		break;
	default:
		make(maker, KT_OP_REG, dst, 0, 0, a_source());
	}
	maker->written |= 1U << dst;
}

static void make_steps(struct maker *maker, u32 n)
{
	while (n--)
		make_step(maker);
}

/* A jump; make_target() sets its distance later. */
static struct kt_insn *make_jump(struct maker *maker)
{
	u8 a = a_register(maker), b = a_register(maker);

	if (dice(2))
		return make(maker, KT_OP_CMPI, a, 0, a_comparison(), (s32)dice_value());
	return make(maker, KT_OP_CMP, a, b, a_comparison(), 0);
}

static void make_target(const struct maker *maker, struct kt_insn *jump)
{
	const u32 skip = &maker->insns[maker->len] - jump - 1;

	if (jump->op == KT_OP_CMPI)
		jump->src = skip;
	else
		jump->imm = skip;
}

/* Steps that are executed or skipped. */
static void make_if(struct maker *maker)
{
	struct kt_insn *jump = make_jump(maker);
	const u8 written = maker->written;

	make_steps(maker, dice(4));
	make_target(maker, jump);
	maker->written = written;
}

/* A chain as the controller makes it: its links follow, and mostly lead to readable memory. */
static void make_chain(struct maker *maker, u8 size)
{
	u32 links = 1 + dice(dice(4) ? 3 : KT_MAX_LINKS);

	make(maker, KT_OP_EMITCHAIN, 0, links, size, a_source());
	while (links--)
		make(maker, KT_OP_LINK, 0, 0, 0, (s32)dice(48) - 12);
}

/* Of some length, mostly a short one. */
static void make_part(struct maker *maker)
{
	const u32 length = a_register(maker);

	if (dice(4))
		make(maker, KT_OP_ALUI, length, 0, KT_ALU_AND, 31);
	make(maker, KT_OP_EMITPART, 0, a_register(maker), length, 4 * (1 + maker->len % 4));
}

static void make_object(struct maker *maker)
{
	if (dice(2))
		make(maker, KT_OP_EMITOBJECT, 0, a_register(maker), KT_OBJECT_PACKET, KT_PACKET_BYTES);
	else
		make(maker, KT_OP_EMITOBJECT, 0, a_register(maker), KT_OBJECT_PIDS, KT_PIDS_BYTES);
}

static void make_item(struct maker *maker, u32 kind)
{
	if (kind < 4)
		make(maker, KT_OP_EMIT, 0, a_register(maker), kind % 2 ? 4 : 8, 0);
	else if (kind == 4)
		make(maker, KT_OP_EMITCUR, 0, 0, 0, dice(2));
	else if (kind == 5)
		make(maker, KT_OP_EMITREG, 0, 0, 0, a_source());
	else if (kind == 6)
		make_chain(maker, KT_SIZE_U64);
	else if (kind == 7)
		make_chain(maker, KT_SIZE_U8 + dice(3));
	else if (kind == 8)
		make(maker, KT_OP_EMITSTR, 0, a_register(maker), 0, 4 * (1 + maker->len % 4));
	else if (kind == 9)
		make(maker, KT_OP_EMITCOMM, 0, 0, 0, 0);
	else if (kind == 10)
		make(maker, KT_OP_EMITSTACK, 0, 0, 0, 3);
	else if (kind == 11)
		make(maker, KT_OP_EMITSAVED, 0, dice(4), 1 + maker->len % 5, 4 * dice(20));
	else if (kind == 12)
		make(maker, KT_OP_EMIT2, 0, a_register(maker), 0, 0);
	else if (kind == 13)
		make(maker, KT_OP_EMITBYTES, 0, a_register(maker), 0, 2 * (1 + maker->len % 9));
	else if (kind == 14)
		make(maker, KT_OP_EMITTEXT, 0, a_register(maker), 0, 2 * (1 + maker->len % 9));
	else if (kind < 18)
		make(maker, KT_OP_EMITARG, 0, 0, 2 << (kind - 15), dice(KT_SYSCALL_ARGS));
	else if (kind == 18)
		make(maker, KT_OP_EMITUSTACK, 0, 0, 0, 3);
	else if (kind == 19)
		make_part(maker);
	else if (kind == 20)
		make_object(maker);
	else
		make(maker, KT_OP_EMITREGS, 0, 0, 0, 0);
}

/* One of two items of the same kind. */
static void make_either(struct maker *maker, u32 kind)
{
	struct kt_insn *otherwise = make_jump(maker), *end;
	const u8 written = maker->written;

	make_steps(maker, dice(3));
	make_item(maker, kind);
	end = make(maker, KT_OP_CMP, 0, 0, KT_CMP_ALWAYS, 0);
	make_target(maker, otherwise);
	maker->written = written;
	make_steps(maker, dice(3));
	make_item(maker, kind);
	make_target(maker, end);
	maker->written = written;
}

static void make_filter(struct maker *maker)
{
	u32 terms = 1 + dice(3);

	while (terms--) {
		struct kt_insn *jump;

		make_steps(maker, dice(4));
		if (!dice(3))
			make_if(maker);
		jump = make_jump(maker);
		make(maker, KT_OP_DROP, 0, 0, 0, 0);
		make_target(maker, jump);
	}
	maker->written = 0;
}

static __attribute__((unused)) u32 random_program(struct kt_insn *insns)
{
	struct maker maker = { .insns = insns };
	u32 parts = dice(6);

	if (!dice(3))
		make_filter(&maker);
	if (dice(2))
		make(&maker, dice(2) ? KT_OP_FAULTS : KT_OP_FAULTS2, 0, 0, 0, 0);
	while (parts--) {
		make_steps(&maker, dice(4));
		if (!dice(3))
			make_if(&maker);
		if (dice(3))
			make_item(&maker, dice(22));
		else
			make_either(&maker, dice(8));
	}
	make(&maker, KT_OP_END, 0, 0, 0, 0);
	return maker.len;
}

/* Replace the instructions of a program that generated code never has. */
static __attribute__((unused)) void replace_rare(struct kt_insn *insns, u32 len)
{
	for (struct kt_insn *in = insns; in < insns + len; in++) {
		if (in->op == KT_OP_PSR || in->op == KT_OP_ELAPSED || in->op == KT_OP_CALLER || in->op == KT_OP_SAVED ||
		    in->op == KT_OP_MATCH)
			*in = (struct kt_insn){ .op = KT_OP_REG, .dst = in->dst, .imm = a_source() };
		else if (in->op == KT_OP_CALLERIN || in->op == KT_OP_PATTERN || (in->op == KT_OP_CUR && in->imm > KT_CUR_TGID))
			*in = (struct kt_insn){ .op = KT_OP_ADDI, .dst = in->dst, .imm = 3 };
		else if ((in->op == KT_OP_ALU || in->op == KT_OP_ALUI) && in->aux >= KT_ALU_DIV)
			in->aux = KT_ALU_XOR;
	}
}

#endif
