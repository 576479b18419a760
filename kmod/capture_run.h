/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture_run.h - the interpreter of capture programs, inline in the hit path.
 */
#ifndef KTRACE_CAPTURE_RUN_H
#define KTRACE_CAPTURE_RUN_H

#include "capture.h"

/* The verifier sees to it that no register is read before it was written. */
#ifdef __has_attribute
#if __has_attribute(uninitialized)
#define KT_UNINITIALIZED	__attribute__((uninitialized))
#endif
#endif
#ifndef KT_UNINITIALIZED
#define KT_UNINITIALIZED
#endif

static __always_inline u64 kt_alu(u8 how, u64 a, u64 b)
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

static __always_inline bool kt_compare(u8 how, u64 a, u64 b)
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

static const u8 kt_load_bytes[KT_NR_SIZES] = {
	[KT_SIZE_U8] = 1, [KT_SIZE_U16] = 2, [KT_SIZE_U32] = 4, [KT_SIZE_U64] = 8,
	[KT_SIZE_S8] = 1, [KT_SIZE_S16] = 2, [KT_SIZE_S32] = 4,
};

static inline u64 kt_widen(u8 size, u64 v)
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

static __always_inline u32 *kt_emit(u32 *out, u64 v)
{
	out[0] = (u32)v;
	out[1] = v >> 32;
	return out + 2;
}

/* Little-endian machines only: the low bytes of v come first. */
static inline bool kt_load_wide(u64 *to, u64 addr, u8 size)
{
	u64 v = 0;

	if (!kt_load(&v, addr, kt_load_bytes[size]))
		return false;
	*to = kt_widen(size, v);
	return true;
}

static inline u32 *kt_emit_all(u32 *out, const struct pt_regs *regs)
{
	u32 i;

	for (i = 0; i < KT_NR_GENERAL; i++)
		out = kt_emit(out, kt_regs_get(regs, kt_reg_offset(i)));
	return out;
}

/*
 * Run a verified program from `in` up to its KT_OP_END: false when it said to drop (a filter
 * may).  out is where its next item goes, faults where the mask of KT_OP_FAULTS is.
 * Context: any, NMI included; memory is read with page faults disabled.
 *
 * `bad` has a bit for each register whose value could not be read; it goes
 * along with the value, up to that mask.
 */
static inline bool kt_capture_part(const struct kt_program *program, const struct kt_insn *in,
				   const struct pt_regs *regs, u32 *out, u32 *faults)
{
	u64 r[KT_NR_REGS] KT_UNINITIALIZED;
	u32 bad = 0;

	for (;; in++) {
		switch (in->op) {
		case KT_OP_END:
			return true;
		case KT_OP_DROP:
			return false;
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
			r[in->dst] = kt_alu(in->aux, r[in->dst], r[in->src]);
			bad |= (bad >> in->src & 1) << in->dst;
			continue;
		case KT_OP_ADDI:
			r[in->dst] += (u64)(s64)in->imm;
			continue;
		case KT_OP_LOAD:
			if ((bad >> in->src & 1) ||
			    !kt_load_wide(&r[in->dst], r[in->src] + (u64)(s64)in->imm, in->aux)) {
				r[in->dst] = 0;
				bad |= 1U << in->dst;
				continue;
			}
			break;
		case KT_OP_CMP:
			if (in->aux == KT_CMP_ALWAYS || kt_compare(in->aux, r[in->dst], r[in->src]))
				in += in->imm;
			continue;
		case KT_OP_EMIT:
			*out++ = (u32)r[in->src];
			if (in->aux == 8)
				*out++ = r[in->src] >> 32;
			if (unlikely(bad >> in->src & 1) && program->faults)
				*faults |= 1U << in->dst;
			continue;
		case KT_OP_EMITCUR:
			*out++ = kt_current_field(in->imm);
			continue;
		case KT_OP_EMITREG:
			out = kt_emit(out, kt_regs_get(regs, in->imm));
			continue;
		case KT_OP_EMITREGS:
			out = kt_emit_all(out, regs);
			continue;
		default: /* KT_OP_FAULTS: the verifier lets nothing else through */
			*out++ = 0;
			continue;
		}
		bad &= ~(1U << in->dst);	/* a fresh value */
	}
}

/* Kept out of line: the registers that these need would be saved at every hit. */
bool kt_capture_wants(const struct kt_program *program, const struct pt_regs *regs);
void kt_capture_rest(const struct kt_program *program, const struct kt_insn *in,
		     const struct pt_regs *regs, u32 *out, u32 *faults);

/*
 * What is recorded: program->words units of four bytes at out, which may be the ring itself.
 * in: &program->insns[program->filter].  The usual items are done here.
 */
static __always_inline void kt_capture_run(const struct kt_program *program,
					   const struct kt_insn *in,
					   const struct pt_regs *regs, u32 *out)
{
	u32 *faults = out;

	for (;; in++) {
		if (likely(in->op == KT_OP_EMITCUR))
			*out++ = kt_current_field(in->imm);
		else if (likely(in->op == KT_OP_END))
			return;
		else if (in->op == KT_OP_EMITREG)
			out = kt_emit(out, kt_regs_get(regs, in->imm));
		else
			return kt_capture_rest(program, in, regs, out, faults);
	}
}

#endif
