/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture_contract.h - a second interpreter of capture programs, by their contract: it shares no line with core/capture_run.h. */
#ifndef CAPTURE_CONTRACT_H
#define CAPTURE_CONTRACT_H

#include "capture_machine.h"

struct value {
	u64 bits;
	bool bad;	/* it, or a part of it, could not be read */
};

struct evaluator {
	struct machine *m;
	struct value r[KT_NR_REGS];
	u32 items;
	bool faults;
};

/* The bytes of an item. */
static void evaluate_bytes(struct evaluator *e, const u8 *bytes, u32 n)
{
	for (u32 i = 0; i < n; i++)
		((u8 *)e->m->out)[e->m->payload++] = bytes[i];
}

/* The low n bytes of a number, the lowest first. */
static void evaluate_number(struct evaluator *e, u64 number, u32 n)
{
	for (; n; n--, number >>= 8)
		evaluate_bytes(e, &(u8){ number & 0xff }, 1);
}

static void evaluate_word(struct evaluator *e, u64 word)
{
	evaluate_number(e, word, 4);
}

static void evaluate_emit(struct evaluator *e, struct value value, u32 bytes)
{
	evaluate_number(e, value.bits, bytes);
	if (value.bad && e->faults)
		e->m->out[0] |= 1U << e->items;
}

static struct value evaluate_load(const struct machine *m, struct value from, s32 offset, u8 size)
{
	static const char bytes[] = "\1\2\4\x8\1\2\4";
	const u64 first = from.bits + (u64)(s64)offset;
	struct value value = { 0, true };
	u32 i;

	if (from.bad)
		return value;
	for (i = 0; i < (u32)bytes[size]; i++) {
		if (first + i < MACHINE_MEMORY || first + i >= MACHINE_MEMORY + MACHINE_BYTES)
			return (struct value){ 0, true };
		value.bits += (u64)m->memory[first + i - MACHINE_MEMORY] << 8 * i;
	}
	if (size >= KT_SIZE_S8 && value.bits >> (8 * i - 1))
		value.bits -= 1ULL << 8 * i;
	value.bad = false;
	return value;
}

/* Divide by subtracting shifted values. */
static u64 evaluate_quotient(u64 a, u64 b, u64 *rest)
{
	u64 quotient = 0;
	int shift;

	for (shift = 63; shift >= 0; shift--) {
		if (a >> shift < b)
			continue;
		a -= b << shift;
		quotient |= 1ULL << shift;
	}
	*rest = a;
	return quotient;
}

static void evaluate_division(u64 results[KT_NR_ALUS], u64 a, u64 b)
{
	const bool a_below = a >> 63, b_below = b >> 63;
	u64 rest;

	results[KT_ALU_DIV] = evaluate_quotient(a, b, &rest);
	results[KT_ALU_MOD] = rest;
	results[KT_ALU_SDIV] = evaluate_quotient(a_below ? ~a + 1 : a, b_below ? ~b + 1 : b, &rest);
	if (a_below != b_below)
		results[KT_ALU_SDIV] = ~results[KT_ALU_SDIV] + 1;
	results[KT_ALU_SMOD] = a_below ? ~rest + 1 : rest;
}

static u64 evaluate_alu(u8 how, u64 a, u64 b)
{
	u64 results[KT_NR_ALUS] = { 0 };

	if (b)
		evaluate_division(results, a, b);

	results[KT_ALU_ADD] = a - ~b - 1;
	results[KT_ALU_SUB] = a + ~b + 1;
	results[KT_ALU_MUL] = (u64)((unsigned __int128)a * b);
	results[KT_ALU_AND] = ~(~a | ~b);
	results[KT_ALU_OR] = ~(~a & ~b);
	results[KT_ALU_XOR] = (a | b) - (a & b);
	b %= 64;
	results[KT_ALU_SHL] = (u64)((unsigned __int128)a << b);
	results[KT_ALU_SHR] = (u64)(((unsigned __int128)a << 64) >> b >> 64);
	results[KT_ALU_SAR] = (u64)((__int128)((unsigned __int128)a << 64) >> b >> 64);
	return results[how];
}

static bool evaluate_compare(u8 how, u64 a, u64 b)
{
	const u64 flip = 1ULL << 63;

	if (how == KT_CMP_SLT || how == KT_CMP_SLE || how == KT_CMP_SGT || how == KT_CMP_SGE) {
		a ^= flip;
		b ^= flip;
	}
	if (how == KT_CMP_EQ || how == KT_CMP_NE)
		return (a == b) == (how == KT_CMP_EQ);
	if (how == KT_CMP_GT || how == KT_CMP_SGT)
		return b < a;
	if (how == KT_CMP_GE || how == KT_CMP_SGE)
		return b <= a;
	return a < b || (a == b && (how == KT_CMP_LE || how == KT_CMP_SLE));
}

static bool is_division(u8 how)
{
	return how >= KT_ALU_DIV && how <= KT_ALU_SMOD;
}

static void evaluate_fault(struct evaluator *e, bool bad)
{
	if (bad && e->faults)
		e->m->out[0] |= 1U << e->items;
}

static struct value evaluate_load(const struct machine *m, struct value from, s32 offset, u8 size);

static void evaluate_string(struct evaluator *e, struct value from, u32 bytes)
{
	u8 text[KT_MAX_STR] = { 0 };
	bool bad = from.bad;
	u32 i;

	for (i = 0; i < bytes && !bad; i++) {
		struct value c = evaluate_load(e->m, from, i, KT_SIZE_U8);

		bad = c.bad;
		text[i] = bad ? 0 : c.bits;
		if (!text[i])
			break;
	}
	if (bad && !i)
		*text = KT_NO_TEXT;
	evaluate_bytes(e, text, bytes);
	evaluate_fault(e, bad);
}

/* The readable part of a string of at most bytes - 1 characters, and its 0. */
static void evaluate_text(struct evaluator *e, struct value from, u32 bytes)
{
	u8 text[KT_MAX_STR] = { 0 };
	bool bad = from.bad, ended = false;
	u32 n = 0;

	while (!bad && !ended && n + 1 < bytes) {
		struct value c = evaluate_load(e->m, from, n, KT_SIZE_U8);

		bad = c.bad;
		ended = !bad && !c.bits;
		if (!bad && !ended)
			text[n++] = c.bits;
	}
	if (bad && !n)
		text[n++] = KT_NO_TEXT;
	evaluate_bytes(e, text, n + 1);
	evaluate_fault(e, bad);
}

/* Bytes as they are, all of them or none. */
static void evaluate_copy(struct evaluator *e, struct value from, u32 bytes)
{
	u8 copy[KT_MAX_STR] = { 0 };
	bool bad = from.bad;

	for (u32 i = 0; i < bytes && !bad; i++) {
		struct value c = evaluate_load(e->m, from, i, KT_SIZE_U8);

		bad = c.bad;
		copy[i] = c.bits;
	}
	if (bad)
		memset(copy, 0, bytes);
	evaluate_bytes(e, copy, bytes);
	evaluate_fault(e, bad);
}

/* So many bytes as they are, up to one that is unreadable, and 0. */
static void evaluate_part(struct evaluator *e, struct value from, struct value length, u32 bytes)
{
	u8 text[KT_MAX_STR] = { 0 };
	bool bad = from.bad || length.bad;
	u32 n = 0;

	while (!bad && n < bytes && n < length.bits) {
		struct value c = evaluate_load(e->m, from, n, KT_SIZE_U8);

		bad = c.bad;
		if (!bad)
			text[n++] = c.bits;
	}
	if (bad && !n)
		*text = KT_NO_TEXT;
	evaluate_bytes(e, text, bytes);
	evaluate_fault(e, bad);
}

static void evaluate_stack(struct evaluator *e, u32 depth)
{
	bool ended = false;

	for (u32 i = 0; i < depth; i++) {
		u64 caller = i < 4 && !ended ? e->m->callers[i] : 0;

		ended |= !caller;
		evaluate_word(e, caller);
		evaluate_word(e, caller >> 32);
	}
}

/* The program's callers are the kernel's in the opposite order. */
static u32 user_callers(const struct machine *m)
{
	u32 n = 0;

	while (n < 4 && m->callers[3 - n])
		n++;
	return n;
}

static void evaluate_user_stack(struct evaluator *e, u32 depth)
{
	const u32 n = user_callers(e->m);

	for (u32 i = 0; i < depth; i++)
		evaluate_emit(e, (struct value){ i < n ? e->m->callers[3 - i] : 0, false }, 8);
}

/* How many are known: behind a gap nobody knows which caller is the first. */
static u32 known_callers(const struct machine *m)
{
	u32 n = 0;

	while (n < user_callers(m) && m->callers[3 - n] != KT_CALLER_UNKNOWN)
		n++;
	return n;
}

static struct value evaluate_caller(const struct machine *m, u64 from, u64 below)
{
	for (u32 i = 0; i < known_callers(m); i++)
		if (m->callers[3 - i] >= from && m->callers[3 - i] < below)
			return (struct value){ m->callers[3 - i], false };
	return (struct value){ 0, true };
}

static struct value evaluate_depth(const struct machine *m, u32 depth)
{
	return depth < known_callers(m) ? (struct value){ m->callers[3 - depth], false } : (struct value){ 0, true };
}

/* in is the chain; its links follow it. */
static void evaluate_chain(struct evaluator *e, const struct kt_insn *in)
{
	struct value v = { e->m->regs.general[in->imm], false };

	for (u32 i = 1; i <= in->src; i++)
		v = evaluate_load(e->m, v, in[i].imm, i < in->src ? KT_SIZE_U64 : in->aux);
	evaluate_emit(e, v, in->aux == KT_SIZE_U64 ? 8 : 4);
}

/* Was the value saved there, according to the fault mask before it? */
static bool evaluate_saved(const struct machine *m, const struct kt_insn *in)
{
	return m->call.matched && (!in->src || !(m->call.saved[0] & 1U << (in->src - 1)));
}

static void evaluate_emit_saved(struct evaluator *e, const struct kt_insn *in)
{
	static const u8 nothing[1024];
	const bool good = evaluate_saved(e->m, in);

	evaluate_bytes(e, good ? (const u8 *)e->m->call.saved + in->imm : nothing, 4 * in->aux);
	evaluate_fault(e, !good);
}

static void evaluate_object(struct evaluator *e, struct value object, u32 what)
{
	const u64 at = object.bad ? 0 : object.bits;
	u8 bytes[KT_PIDS_BYTES];

	for (u32 i = 0; i < machine_object_bytes(what, at); i++)
		bytes[i] = machine_object_byte(what, at, i);
	evaluate_bytes(e, bytes, machine_object_bytes(what, at));
	evaluate_fault(e, object.bad);
}

static bool evaluate_emits(struct evaluator *e, const struct kt_insn *in)
{
	const struct machine *m = e->m;
	u32 i;

	if (in->op == KT_OP_EMIT)
		evaluate_emit(e, e->r[in->src], in->aux);
	else if (in->op == KT_OP_EMITCUR)
		evaluate_word(e, m->current[in->imm]);
	else if (in->op == KT_OP_EMITREG)
		evaluate_emit(e, (struct value){ m->regs.general[in->imm], false }, 8);
	else if (in->op == KT_OP_EMITREGS)
		for (i = 0; i < KT_NR_GENERAL; i++)
			evaluate_emit(e, (struct value){ m->regs.general[i], false }, 8);
	else if (in->op == KT_OP_EMITSTR)
		evaluate_string(e, e->r[in->src], in->imm);
	else if (in->op == KT_OP_EMITCOMM)
		evaluate_bytes(e, (const u8 *)m->comm, KT_COMM_BYTES);
	else if (in->op == KT_OP_EMITSTACK)
		evaluate_stack(e, in->imm);
	else if (in->op == KT_OP_EMITUSTACK)
		evaluate_user_stack(e, in->imm);
	else if (in->op == KT_OP_EMITSAVED)
		evaluate_emit_saved(e, in);
	else if (in->op == KT_OP_EMITCHAIN)
		evaluate_chain(e, in);
	else if (in->op == KT_OP_EMIT2)
		evaluate_emit(e, e->r[in->src], 2);
	else if (in->op == KT_OP_EMITARG)
		evaluate_emit(e, (struct value){ m->syscall ? m->args[in->imm] : 0, !m->syscall }, in->aux);
	else if (in->op == KT_OP_EMITBYTES)
		evaluate_copy(e, e->r[in->src], in->imm);
	else if (in->op == KT_OP_EMITTEXT)
		evaluate_text(e, e->r[in->src], in->imm);
	else if (in->op == KT_OP_EMITPART)
		evaluate_part(e, e->r[in->src], e->r[in->aux], in->imm);
	else if (in->op == KT_OP_EMITOBJECT)
		evaluate_object(e, e->r[in->src], in->aux);
	else
		return false;
	e->items++;
	return true;
}

/* A part of a pattern: a byte, or one of these. */
enum { PART_ANY = 256, PART_STAR };

static u32 evaluate_pattern(const struct kt_insn *in, u16 *parts)
{
	const u32 most = 4 * (in->aux & 0x1f);
	u8 bytes[KT_MAX_PATTERN + 1] = { 0 };
	u32 n = 0;

	for (u32 i = 0; i < most; i++)
		bytes[i] = (u32)in[1 + i / 4].imm >> 8 * (i % 4);
	for (const u8 *p = bytes; *p; p++)
		parts[n++] = *p == '*' ? PART_STAR : *p == '?' ? PART_ANY : *p == '\\' && p[1] ? *++p : *p;
	return n;
}

/* fits[i]: the first i bytes of the text match the parts so far. */
static struct value evaluate_match(const struct machine *m, struct value from, const struct kt_insn *in)
{
	bool fits[KT_MAX_MATCH + 1] = { true }, ended = false;
	u8 text[KT_MAX_MATCH];
	u16 parts[KT_MAX_PATTERN];
	const u32 n = evaluate_pattern(in, parts);
	u32 len = 0;

	while (!ended && len < (u32)in->imm) {
		const struct value c = evaluate_load(m, from, len, KT_SIZE_U8);

		if (c.bad)
			return (struct value){ 0, true };
		ended = !c.bits;
		text[len] = c.bits;
		len += !ended;
	}
	if (!ended && in->aux & KT_MATCH_ENDS)
		return (struct value){ 0, true };
	for (u32 part = 0; part < n; part++) {
		for (u32 i = len; parts[part] != PART_STAR && i; i--)
			fits[i] = fits[i - 1] && (parts[part] == PART_ANY || parts[part] == text[i - 1]);
		for (u32 i = 1; parts[part] == PART_STAR && i <= len; i++)
			fits[i] |= fits[i - 1];
		fits[0] &= parts[part] == PART_STAR;
	}
	return (struct value){ fits[len], false };
}

static u64 evaluate_extend(u8 size, u64 bits)
{
	static const char bytes[] = "\1\2\4\x8\1\2\4";
	const u32 width = 8 * bytes[size];

	if (width == 64)
		return bits;
	bits &= (1ULL << width) - 1;
	return size >= KT_SIZE_S8 && bits >> (width - 1) ? bits - (1ULL << width) : bits;
}

static struct value evaluate_word_saved(const struct machine *m, const struct kt_insn *in)
{
	u64 bits = 0;

	if (!evaluate_saved(m, in))
		return (struct value){ 0, true };
	for (u32 i = 0; i < 8; i++)
		bits |= (u64)((const u8 *)m->call.saved)[in->imm + i] << 8 * i;
	return (struct value){ evaluate_extend(in->aux, bits), false };
}

/* The new value of dst. */
static struct value evaluate_value(const struct evaluator *e, const struct kt_insn *in)
{
	const struct value dst = e->r[in->dst], src = e->r[in->src % KT_NR_REGS];	/* or a number */
	const struct machine *m = e->m;

	switch (in->op) {
	case KT_OP_REG:
		return (struct value){ m->regs.general[in->imm], false };
	case KT_OP_PSR:
		return (struct value){ m->regs.psr, false };
	case KT_OP_IMM:
		return (struct value){ (u64)(s64)in->imm, false };
	case KT_OP_IMMHI:
		return (struct value){ (dst.bits & 0xffffffff) + ((u64)in->imm << 32), dst.bad };
	case KT_OP_CUR:
		return (struct value){ m->current[in->imm], false };
	case KT_OP_ALU:
		if (is_division(in->aux) && !src.bits)
			return (struct value){ dst.bits, true };
		return (struct value){ evaluate_alu(in->aux, dst.bits, src.bits),
				       dst.bad || src.bad };
	case KT_OP_ALUI:
		if (is_division(in->aux) && !in->imm)
			return (struct value){ dst.bits, true };
		return (struct value){ evaluate_alu(in->aux, dst.bits, (u64)(s64)in->imm), dst.bad };
	case KT_OP_SET:
		return (struct value){ evaluate_compare(in->aux, dst.bits, src.bits),
				       dst.bad || src.bad };
	case KT_OP_EXT:
		return (struct value){ evaluate_extend(in->aux, dst.bits), dst.bad };
	case KT_OP_ARG:
		return (struct value){ m->syscall ? m->args[in->imm] : 0, !m->syscall };
	case KT_OP_CALLER:
		return evaluate_depth(m, in->imm);
	case KT_OP_CALLERIN:
		return dst.bad || src.bad ? (struct value){ 0, true } : evaluate_caller(m, dst.bits, src.bits);
	case KT_OP_MATCH:
		return evaluate_match(m, src, in);
	case KT_OP_ELAPSED:
		return (struct value){ m->call.matched ? m->call.elapsed : 0, !m->call.matched };
	case KT_OP_SAVED:
		return evaluate_word_saved(m, in);
	case KT_OP_ADDI:
		return (struct value){ dst.bits + (u64)(s64)in->imm, dst.bad };
	default:
		return evaluate_load(m, src, in->imm, in->aux);
	}
}

/* Evaluate the program as it was written, with the filter. */
static __attribute__((unused)) enum machine_end machine_evaluate(struct machine *m, const struct kt_insn *insns, u32 len)
{
	struct evaluator e = { .m = m };
	u32 at;

	m->payload = 0;
	for (at = 0; at < len; at++) {
		const struct kt_insn *in = &insns[at];

		if (in->op == KT_OP_END) {
			if (m->payload % 2)
				evaluate_number(&e, 0, 1);
			return MACHINE_RECORDED;
		}
		if (in->op == KT_OP_DROP)
			return MACHINE_FILTERED;
		if (in->op == KT_OP_FAULTS || in->op == KT_OP_FAULTS2) {
			e.faults = true;
			evaluate_number(&e, 0, in->op == KT_OP_FAULTS ? 4 : 2);
		} else if (in->op == KT_OP_CMP) {
			if (in->aux == KT_CMP_ALWAYS ||
			    (!e.r[in->dst].bad && !e.r[in->src].bad &&
			     evaluate_compare(in->aux, e.r[in->dst].bits, e.r[in->src].bits)))
				at += in->imm;
		} else if (in->op == KT_OP_CMPI) {
			if (!e.r[in->dst].bad &&
			    evaluate_compare(in->aux, e.r[in->dst].bits, (u64)(s64)in->imm))
				at += in->src;
		} else if (in->op == KT_OP_LINK || in->op == KT_OP_PATTERN) {
			continue;
		} else if (!evaluate_emits(&e, in)) {
			e.r[in->dst] = evaluate_value(&e, in);
		}
	}
	return MACHINE_REFUSED;
}

#endif
