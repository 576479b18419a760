// SPDX-License-Identifier: GPL-2.0-only
/* capture.c - verify and run capture programs.  See capture.h. */
#include "capture.h"

#ifndef fallthrough
#define fallthrough	__attribute__((fallthrough))
#endif

/* ---------------------------------------------------------------- verifier */

/*
 * What is known before an instruction, over all paths that lead to it.  Jumps go
 * forward only, so one pass in order sees every path.
 */
struct state {
	bool reached;
	u8 written;		/* registers */
	u8 items;
	bool faults;		/* KT_OP_FAULTS was met */
	u16 bytes;
};

struct verifier {
	const struct kt_insn *insns;
	u32 len;
	struct state now;
	struct state target[KT_MAX_PROG];	/* what jumps bring along */
	int payload;		/* of the KT_OP_END met so far, -1 before */
};

static bool same_output(const struct state *a, const struct state *b)
{
	return a->items == b->items && a->bytes == b->bytes && a->faults == b->faults;
}

/* Another path leads to `to`: what is known there is what both know. */
static bool state_join(struct state *to, const struct state *from)
{
	if (!from->reached)
		return true;
	if (!to->reached) {
		*to = *from;
		return true;
	}
	to->written &= from->written;
	return same_output(to, from);
}

static bool emit(struct state *now, u32 bytes)
{
	if (++now->items > KT_MAX_ITEMS)
		return false;
	now->bytes += bytes;
	return now->bytes <= KT_MAX_PAYLOAD;
}

static bool jump(struct verifier *v, u32 at, s32 skip)
{
	if (skip < 0 || (u32)skip >= v->len - at - 1)
		return false;
	return state_join(&v->target[at + 1 + skip], &v->now);
}

/* One function a row of the table below: is the instruction allowed here? */
typedef bool (*check_fn)(struct verifier *v, struct kt_insn *insn, u32 at);

static bool check_end(struct verifier *v, struct kt_insn *insn, u32 at)
{
	(void)insn;
	(void)at;
	if (v->payload >= 0 && v->payload != v->now.bytes)
		return false;
	v->payload = v->now.bytes;
	v->now.reached = false;
	return true;
}

static bool check_drop(struct verifier *v, struct kt_insn *insn, u32 at)
{
	(void)insn;
	(void)at;
	v->now.reached = false;
	return true;
}

static bool check_reg(struct verifier *v, struct kt_insn *insn, u32 at)
{
	int offset = insn->imm < 0 ? -EINVAL : kt_reg_offset(insn->imm);

	(void)v;
	(void)at;
	insn->imm = offset;
	return offset >= 0;
}

static bool check_aux(struct verifier *v, struct kt_insn *insn, u32 at)
{
	static const u8 limits[KT_NR_OPS] = {
		[KT_OP_ALU] = KT_NR_ALUS,
		[KT_OP_LOAD] = KT_NR_SIZES,
	};

	(void)v;
	(void)at;
	return insn->aux < limits[insn->op];
}

static bool check_cur(struct verifier *v, struct kt_insn *insn, u32 at)
{
	(void)v;
	(void)at;
	return insn->imm >= 0 && insn->imm < KT_NR_CURS;
}

static bool check_cmp(struct verifier *v, struct kt_insn *insn, u32 at)
{
	if (insn->aux >= KT_NR_CMPS || !jump(v, at, insn->imm))
		return false;
	if (insn->aux == KT_CMP_ALWAYS)
		v->now.reached = false;
	return true;
}

static bool check_emit(struct verifier *v, struct kt_insn *insn, u32 at)
{
	(void)at;
	return (insn->aux == 4 || insn->aux == 8) && emit(&v->now, insn->aux);
}

static bool check_emitregs(struct verifier *v, struct kt_insn *insn, u32 at)
{
	(void)insn;
	(void)at;
	return emit(&v->now, KT_NR_GENERAL * 8);
}

static bool check_faults(struct verifier *v, struct kt_insn *insn, u32 at)
{
	(void)insn;
	(void)at;
	if (v->now.bytes)
		return false;
	v->now.faults = true;
	v->now.bytes = 4;
	return true;
}

#define READS_SRC	1
#define READS_DST	2
#define WRITES_DST	4

static const struct op {
	u8 uses;
	check_fn check;		/* NULL: nothing more to check */
} ops[KT_NR_OPS] = {
	[KT_OP_END]	 = { 0, check_end },
	[KT_OP_DROP]	 = { 0, check_drop },
	[KT_OP_REG]	 = { WRITES_DST, check_reg },
	[KT_OP_PSR]	 = { WRITES_DST, NULL },
	[KT_OP_IMM]	 = { WRITES_DST, NULL },
	[KT_OP_IMMHI]	 = { READS_DST | WRITES_DST, NULL },
	[KT_OP_CUR]	 = { WRITES_DST, check_cur },
	[KT_OP_ALU]	 = { READS_SRC | READS_DST | WRITES_DST, check_aux },
	[KT_OP_ADDI]	 = { READS_DST | WRITES_DST, NULL },
	[KT_OP_LOAD]	 = { READS_SRC | WRITES_DST, check_aux },
	[KT_OP_CMP]	 = { READS_SRC | READS_DST, check_cmp },
	[KT_OP_EMIT]	 = { READS_SRC, check_emit },
	[KT_OP_EMITREGS] = { 0, check_emitregs },
	[KT_OP_FAULTS]	 = { 0, check_faults },
};

static bool check_registers(const struct state *now, const struct kt_insn *insn, u8 uses)
{
	if (insn->dst >= KT_NR_REGS || insn->src >= KT_NR_REGS)
		return false;
	if ((uses & READS_SRC) && !(now->written & 1 << insn->src))
		return false;
	return !(uses & READS_DST) || now->written & 1 << insn->dst;
}

static bool verify_one(struct verifier *v, struct kt_insn *insn, u32 at)
{
	const struct op *op;

	if (insn->op >= KT_NR_OPS || !state_join(&v->now, &v->target[at]) || !v->now.reached)
		return false;
	op = &ops[insn->op];
	/* An unconditional jump compares nothing. */
	if (insn->op == KT_OP_CMP && insn->aux == KT_CMP_ALWAYS)
		return check_cmp(v, insn, at);
	if (!check_registers(&v->now, insn, op->uses))
		return false;
	if (op->check && !op->check(v, insn, at))
		return false;
	if (op->uses & WRITES_DST)
		v->now.written |= 1 << insn->dst;
	return true;
}

static int verify(struct verifier *v, struct kt_insn *insns, u32 len)
{
	u32 at;

	v->insns = insns;
	v->len = len;
	v->now.reached = true;
	v->payload = -1;
	for (at = 0; at < len; at++)
		if (!verify_one(v, &insns[at], at))
			return -EINVAL;
	/* The last instruction must not fall through, and one path must record. */
	return v->now.reached || v->payload < 0 ? -EINVAL : v->payload;
}

int kt_capture_verify(struct kt_insn *insns, u32 len)
{
	struct verifier *v;
	int payload;

	if (!len || len > KT_MAX_PROG)
		return -EINVAL;
	v = kt_zalloc(sizeof(*v));
	if (!v)
		return -ENOMEM;
	payload = verify(v, insns, len);
	kt_free(v);
	return payload;
}

/* ------------------------------------------------------------- interpreter */

static __always_inline u64 alu(u8 how, u64 a, u64 b)
{
	switch (how) {
	case KT_ALU_ADD:	return a + b;
	case KT_ALU_SUB:	return a - b;
	case KT_ALU_MUL:	return a * b;
	case KT_ALU_AND:	return a & b;
	case KT_ALU_OR:		return a | b;
	case KT_ALU_XOR:	return a ^ b;
	case KT_ALU_SHL:	return a << (b & 63);
	case KT_ALU_SHR:	return a >> (b & 63);
	default:		return (u64)((s64)a >> (b & 63));
	}
}

static __always_inline bool compare(u8 how, u64 a, u64 b)
{
	switch (how) {
	case KT_CMP_EQ:		return a == b;
	case KT_CMP_NE:		return a != b;
	case KT_CMP_LT:		return a < b;
	case KT_CMP_LE:		return a <= b;
	case KT_CMP_SLT:	return (s64)a < (s64)b;
	case KT_CMP_SLE:	return (s64)a <= (s64)b;
	default:		return true;
	}
}

static const u8 load_bytes[KT_NR_SIZES] = {
	[KT_SIZE_U8] = 1, [KT_SIZE_U16] = 2, [KT_SIZE_U32] = 4, [KT_SIZE_U64] = 8,
	[KT_SIZE_S8] = 1, [KT_SIZE_S16] = 2, [KT_SIZE_S32] = 4,
};

static u64 widen(u8 size, u64 v)
{
	switch (size) {
	case KT_SIZE_U8:	return (u8)v;
	case KT_SIZE_U16:	return (u16)v;
	case KT_SIZE_U32:	return (u32)v;
	case KT_SIZE_S8:	return (u64)(s64)(signed char)v;
	case KT_SIZE_S16:	return (u64)(s64)(short)v;
	case KT_SIZE_S32:	return (u64)(s64)(s32)v;
	default:		return v;
	}
}

/* Little-endian machines only: the low bytes of v come first. */
static bool load(u64 *to, u64 addr, u8 size)
{
	u64 v = 0;

	if (!kt_load(&v, addr, load_bytes[size]))
		return false;
	*to = widen(size, v);
	return true;
}

static u32 *emit_all(u32 *out, const struct pt_regs *regs)
{
	u64 v;
	u32 i;

	for (i = 0; i < KT_NR_GENERAL; i++, out += 2) {
		v = kt_regs_get(regs, kt_reg_offset(i));
		memcpy(out, &v, sizeof(v));
	}
	return out;
}

/*
 * `bad` has a bit for each register whose value could not be read; it goes
 * along with the value, up to the mask that KT_OP_FAULTS put first.
 */
int kt_capture_run(const struct kt_program *program, const struct pt_regs *regs, u32 *out)
{
	const struct kt_insn *in = program->insns;
	u32 *start = out, *faults = NULL;
	u64 r[KT_NR_REGS];
	u32 item = 0, bad = 0;

	for (;; in++) {
		switch (in->op) {
		case KT_OP_END:
			return (out - start) * 4;
		case KT_OP_DROP:
			return KT_CAPTURE_DROP;
		case KT_OP_REG:
			r[in->dst] = kt_regs_get(regs, in->imm);
			break;
		case KT_OP_PSR:
			r[in->dst] = kt_regs_psr(regs);
			break;
		case KT_OP_IMM:
			r[in->dst] = (u64)(s64)in->imm;
			break;
		case KT_OP_IMMHI:
			r[in->dst] = (u64)(u32)in->imm << 32 | (u32)r[in->dst];
			continue;
		case KT_OP_CUR:
			r[in->dst] = kt_current(in->imm);
			break;
		case KT_OP_ALU:
			r[in->dst] = alu(in->aux, r[in->dst], r[in->src]);
			bad |= (bad >> in->src & 1) << in->dst;
			continue;
		case KT_OP_ADDI:
			r[in->dst] += (u64)(s64)in->imm;
			continue;
		case KT_OP_LOAD:
			if ((bad >> in->src & 1) ||
			    !load(&r[in->dst], r[in->src] + (u64)(s64)in->imm, in->aux)) {
				r[in->dst] = 0;
				bad |= 1U << in->dst;
				continue;
			}
			break;
		case KT_OP_CMP:
			if (in->aux == KT_CMP_ALWAYS || compare(in->aux, r[in->dst], r[in->src]))
				in += in->imm;
			continue;
		case KT_OP_EMIT:
			*out++ = (u32)r[in->src];
			if (in->aux == 8)
				*out++ = r[in->src] >> 32;
			if (unlikely(faults && bad >> in->src & 1))
				*faults |= 1U << item;
			item++;
			continue;
		case KT_OP_EMITREGS:
			out = emit_all(out, regs);
			item++;
			continue;
		default: /* KT_OP_FAULTS: the verifier lets nothing else through */
			faults = out++;
			*faults = 0;
			continue;
		}
		bad &= ~(1U << in->dst);	/* a fresh value */
	}
}
