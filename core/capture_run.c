// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* capture_run.c - the interpreter of capture programs.  See capture_run.h. */
#include "core/capture_run.h"

#include "core/capture_alu.h"
#include "core/capture_callers.h"
#include "core/capture_text.h"
#include "core/capture_match.h"

/* ----------------------------------------------------------------- memory */

/*
 * size: aux of the instruction, in a confined program KT_SIZE_U64, too.  For little-endian machines only: the low bytes
 * of v come first.
 */
static kt_noinline bool load_narrow(u64 *to, u64 addr, u8 size)
{
	static const u8 bytes[KT_NR_SIZES] = {
		[KT_SIZE_U8] = 1, [KT_SIZE_U16] = 2, [KT_SIZE_U32] = 4, [KT_SIZE_U64] = 8,
		[KT_SIZE_S8] = 1, [KT_SIZE_S16] = 2, [KT_SIZE_S32] = 4,
	};
	const bool may = may_read(size, addr);
	u64 v = 0;

	size &= ~KT_AUX_USER;
	if (!may || !kt_load(&v, addr, bytes[size]))
		return false;
	*to = widen(size, v);
	return true;
}
NOKPROBE_SYMBOL(load_narrow);

/* ----------------------------------------------------------------- chains */

/* Follow a chain from its register to its value.  False: a link is unreadable. */
static bool follow(const struct kt_insn *in, const struct pt_regs *regs, u64 *v)
{
	const struct kt_insn *link = in + 1, *last = in + in->src;
	const u8 word = (in->aux & KT_AUX_USER) | KT_SIZE_U64;

	*v = kt_regs_get(regs, in->imm);
	for (; link != last; link++)
		if (!(may_read(word, *v + (u64)(s64)link->imm) && kt_load_word(v, *v + (u64)(s64)link->imm)))
			return false;
	if (in->aux == KT_SIZE_U64)
		return kt_load_word(v, *v + (u64)(s64)link->imm);
	return load_narrow(v, *v + (u64)(s64)link->imm, in->aux);
}
NOKPROBE_SYMBOL(follow);

static kt_noinline kt_item *emit_chain(const struct kt_insn *in, const struct pt_regs *regs, kt_item *out,
				   kt_item *faults)
{
	u64 v;

	if (!follow(in, regs, &v)) {
		kt_load_failed();
		v = 0;
		if (faults)
			*faults |= 1U << in->dst;
	}
	if ((in->aux & ~KT_AUX_USER) == KT_SIZE_U64)
		return kt_emit(out, v);
	*out = (u32)v;
	return out + 1;
}
NOKPROBE_SYMBOL(emit_chain);

/* ------------------------------------------------------------------- calls */

static kt_noinline bool saved_elapsed(u64 *to)
{
	const struct kt_call *call = kt_call_now();

	*to = call->matched ? call->elapsed : 0;
	return call->matched;
}
NOKPROBE_SYMBOL(saved_elapsed);

/* Is the saved data that this instruction reads valid?  src names its fault bit, see KT_OP_SAVED. */
static __always_inline bool saved_good(const struct kt_call *call, const struct kt_insn *in)
{
	return call->matched && !(in->src && call->saved[0] >> (in->src - 1) & 1);
}

static kt_noinline bool saved_load(const struct kt_insn *in, u64 *to)
{
	const struct kt_call *call = kt_call_now();
	u64 v = 0;
	bool good = saved_good(call, in);

	if (good)
		memcpy(&v, (const u8 *)call->saved + in->imm, sizeof(v));
	*to = widen(in->aux, v);
	return good;
}
NOKPROBE_SYMBOL(saved_load);

static kt_noinline bool emit_saved(const struct kt_insn *in, kt_item *to)
{
	const struct kt_call *call = kt_call_now();
	bool good = saved_good(call, in);

	if (good)
		memcpy(to, (const u8 *)call->saved + in->imm, in->aux * 4);
	else
		memset(to, 0, in->aux * 4);
	return good;
}
NOKPROBE_SYMBOL(emit_saved);

/* ----------------------------------------------------------------- strings */

/* KT_OP_MATCH.  False: the string is unreadable. */
static kt_noinline bool match(const struct kt_insn *in, u64 addr, bool bad, u64 *to)
{
	u8 text[KT_MAX_MATCH] KT_UNINITIALIZED;
	const u32 most = in->imm;
	u32 len = 0;

	*to = 0;
	if (bad || !may_read(in->aux, addr) || !load_string(text, addr, most, &len) ||
	    (len == most && in->aux & KT_MATCH_ENDS)) {
		kt_load_failed();
		return false;
	}
	*to = matches(in + 1, pattern_words(in), text, len);
	return true;
}
NOKPROBE_SYMBOL(match);

/* ------------------------------------------------------------ system calls */

static __always_inline kt_item *emit_arg(const struct kt_insn *in, kt_item *out, kt_item *faults)
{
	u64 v = 0;

	if (unlikely(!kt_syscall_arg(in->imm, &v)) && faults)
		*faults |= 1U << in->dst;
	if (in->aux == 2) {
		*(kt_item2 *)out = v;
		return (kt_item *)((u8 *)out + 2);
	}
	*out++ = (u32)v;
	if (in->aux == 8)
		*out++ = v >> 32;
	return out;
}

/* ------------------------------------------------------------- one program */

static kt_item *emit_all(kt_item *out, const struct pt_regs *regs)
{
	u32 i;

	for (i = 0; i < KT_NR_GENERAL; i++)
		out = kt_emit(out, kt_regs_get(regs, kt_reg_offset(i)));
	return out;
}
NOKPROBE_SYMBOL(emit_all);

static kt_item *emit_comm(kt_item *out)
{
	kt_current_comm((char *)out);
	return out + KT_COMM_BYTES / 4;
}
NOKPROBE_SYMBOL(emit_comm);

static kt_item *emit_stack(kt_item *out, const struct pt_regs *regs, u32 depth)
{
	u64 callers[KT_MAX_DEPTH];
	u32 n = kt_callers(regs, callers, depth), i;

	for (i = 0; i < n; i++)
		out = kt_emit(out, callers[i]);
	/* The compiler would call memset(), which takes longer for so few words. */
	for (; i < depth; i++) {
		out = kt_emit(out, 0);
		barrier();
	}
	return out;
}
NOKPROBE_SYMBOL(emit_stack);

/*
 * Run a verified program from `in` to its KT_OP_END.  False: it dropped the hit (only a filter may).  out is
 * the place of its next item, *end becomes the place behind the last one unless end is NULL; faults is the mask of
 * KT_OP_FAULTS, NULL if there was none so far.
 * Context: any, NMI included; it finds out without sleeping whether memory is readable.
 *
 * `bad` has a bit for each register with an unreadable value; the bit follows the value up to the mask.  The
 * operations of filters come first, because they decide the cost of a hit that is not recorded.
 */
static __always_inline bool run(const struct kt_insn *in, const struct pt_regs *regs, kt_item *out,
				kt_item *faults, kt_item **end)
{
	u64 r[KT_NR_REGS] KT_UNINITIALIZED;	/* the verifier: a program writes a register before it reads it */
	u32 bad = 0;

	for (;; in++) {
		if (in->op == KT_OP_CMPI) {
			if (!(bad >> in->dst & 1) && compare(in->aux, r[in->dst], (u64)(s64)in->imm))
				in += in->src;
			continue;
		}
		if (in->op == KT_OP_REG) {
			r[in->dst] = kt_regs_get(regs, in->imm);
			bad &= ~(1U << in->dst);
			continue;
		}
		if (in->op == KT_OP_LOAD) {
			u64 addr = r[in->src] + (u64)(s64)in->imm;
			bool good = !(bad >> in->src & 1) &&
				    (likely(in->aux == KT_SIZE_U64) ?
					     kt_load_word(&r[in->dst], addr) :
					     load_narrow(&r[in->dst], addr, in->aux));

			bad &= ~(1U << in->dst);
			if (unlikely(!good)) {
				kt_load_failed();
				r[in->dst] = 0;
				bad |= 1U << in->dst;
			}
			continue;
		}
		if (in->op <= KT_OP_DROP) {
			if (end)
				*end = out;
			return in->op == KT_OP_END;
		}
		if (in->op == KT_OP_EMITARG) {
			out = emit_arg(in, out, faults);
			continue;
		}
		switch (in->op) {
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
		case KT_OP_ARG:
			if (!kt_syscall_arg(in->imm, &r[in->dst])) {
				r[in->dst] = 0;
				bad |= 1U << in->dst;
				continue;
			}
			break;
		case KT_OP_ALU:
			if (!calculate(in->aux, &r[in->dst], r[in->src]))
				bad |= 1U << in->dst;
			bad |= (bad >> in->src & 1) << in->dst;
			continue;
		case KT_OP_ALUI:
			if (!calculate(in->aux, &r[in->dst], (u64)(s64)in->imm))
				bad |= 1U << in->dst;
			continue;
		case KT_OP_ADDI:
			r[in->dst] += (u64)(s64)in->imm;
			continue;
		case KT_OP_EXT:
			r[in->dst] = widen(in->aux, r[in->dst]);
			continue;
		case KT_OP_CMP:
			if (in->aux == KT_CMP_ALWAYS ||
			    (!((bad >> in->dst | bad >> in->src) & 1) &&
			     compare(in->aux, r[in->dst], r[in->src])))
				in += in->imm;
			continue;
		case KT_OP_SET:
			r[in->dst] = compare(in->aux, r[in->dst], r[in->src]);
			bad |= (bad >> in->src & 1) << in->dst;
			continue;
		case KT_OP_EMIT:
			*out++ = (u32)r[in->src];
			if (in->aux == 8)
				*out++ = r[in->src] >> 32;
			if (unlikely(bad >> in->src & 1) && faults)
				*faults |= 1U << in->dst;
			continue;
		case KT_OP_EMITSTR:
			if (!emit_string((u8 *)out, r[in->src], in->imm,
					 (bad >> in->src & 1) || !may_read(in->aux, r[in->src])))
				mark_unread(in, r[in->src], 0, !(bad >> in->src & 1), faults);
			out += in->imm / 4;
			continue;
		case KT_OP_EMITCOMM:
			out = emit_comm(out);
			continue;
		case KT_OP_EMITSTACK:
			out = emit_stack(out, regs, in->imm);
			continue;
		case KT_OP_EMITCHAIN:
			out = emit_chain(in, regs, out, faults);
			in += in->src;
			continue;
		case KT_OP_EMITUSTACK:
			out = emit_user_stack(out, regs, in->imm);
			continue;
		case KT_OP_CALLER:
			if (!caller_at(regs, in->imm, &r[in->dst])) {
				bad |= 1U << in->dst;
				continue;
			}
			break;
		case KT_OP_CALLERIN:
			if (!caller_in(regs, r[in->dst], r[in->src], (bad >> in->src | bad >> in->dst) & 1, &r[in->dst])) {
				bad |= 1U << in->dst;
				continue;
			}
			break;
		case KT_OP_MATCH:
			if (!match(in, r[in->src], bad >> in->src & 1, &r[in->dst])) {
				bad |= 1U << in->dst;
				in += pattern_words(in);
				continue;
			}
			bad &= ~(1U << in->dst);
			in += pattern_words(in);
			continue;
		case KT_OP_ELAPSED:
			if (!saved_elapsed(&r[in->dst])) {
				bad |= 1U << in->dst;
				continue;
			}
			break;
		case KT_OP_SAVED:
			if (!saved_load(in, &r[in->dst])) {
				bad |= 1U << in->dst;
				continue;
			}
			break;
		case KT_OP_EMITSAVED:
			if (!emit_saved(in, out) && faults)
				*faults |= 1U << in->dst;
			out += in->aux;
			continue;
		case KT_OP_EMIT2:
			*(kt_item2 *)out = r[in->src];
			out = behind(out, 2);
			if (unlikely(bad >> in->src & 1) && faults)
				*faults |= 1U << in->dst;
			continue;
		case KT_OP_EMITBYTES:
			if (!emit_bytes(out, r[in->src], in->imm,
					(bad >> in->src & 1) || !may_read(in->aux, r[in->src])))
				mark_unread(in, r[in->src], 0, !(bad >> in->src & 1), faults);
			out = behind(out, in->imm);
			continue;
		case KT_OP_EMITTEXT:
			if (!emit_text(&out, r[in->src], in->imm,
				       (bad >> in->src & 1) || !may_read(in->aux, r[in->src])))
				mark_unread(in, r[in->src], 0, !(bad >> in->src & 1), faults);
			continue;
		case KT_OP_EMITOBJECT:
			out = behind(out, kt_emit_object((u8 *)out, in->aux, bad >> in->src & 1 ? 0 : r[in->src]));
			if (unlikely(bad >> in->src & 1) && faults)
				*faults |= 1U << in->dst;
			continue;
		case KT_OP_EMITPART:
			out = emit_measured(in, r, bad, out, faults);
			continue;
		case KT_OP_FAULTS2:
			/* Later marks go to the low 16 bits: a little-endian machine finds them in these two bytes. */
			faults = out;
			*(kt_item2 *)out = 0;
			out = behind(out, 2);
			continue;
		case KT_OP_EMITCUR:
			*out++ = kt_current_word(in->imm);
			continue;
		case KT_OP_EMITREG:
			out = kt_emit(out, kt_regs_get(regs, in->imm));
			continue;
		case KT_OP_EMITREGS:
			out = emit_all(out, regs);
			continue;
		default: /* KT_OP_FAULTS: the verifier lets nothing else through */
			faults = out;
			*out++ = 0;
			continue;
		}
		bad &= ~(1U << in->dst);	/* the instruction wrote a readable value */
	}
}

static kt_noinline bool wants(const struct kt_insn *in, const struct pt_regs *regs)
{
	return run(in, regs, NULL, NULL, NULL);
}
NOKPROBE_SYMBOL(wants);

/* op, dst, src and aux as one number, for a single comparison. */
static __always_inline u32 head(const struct kt_insn *in)
{
	u32 word;

	__builtin_memcpy(&word, in, sizeof(word));
	return word;
}

#define HEAD(op, dst, src, aux)	((u32)(op) | (u32)(dst) << 8 | (u32)(src) << 16 | (u32)(aux) << 24)

enum simple {
	SIMPLE_REG = HEAD(KT_OP_REG, 0, 0, 0),
	SIMPLE_CUR = HEAD(KT_OP_CUR, 0, 0, 0),
	SIMPLE_WORD = HEAD(KT_OP_LOAD, 0, 0, KT_SIZE_U64),
	SIMPLE_HALF = HEAD(KT_OP_LOAD, 0, 0, KT_SIZE_U32),
	SIMPLE_CMPI = HEAD(KT_OP_CMPI, 0, 0, 0),	/* without aux (the comparison) and src (the jump distance) */
};

/* Follow loads up to the comparison.  False: the memory is outside the direct map, or unreadable. */
static __always_inline bool simple_loads(const struct kt_insn **in, u64 *v)
{
	for (;; ++*in) {
		if (head(*in) == SIMPLE_WORD) {
			if (unlikely(!kt_load_direct(v, *v + (u64)(s64)(*in)->imm)))
				return false;
		} else if (head(*in) == SIMPLE_HALF) {
			if (unlikely(!kt_load_direct(v, *v + (u64)(s64)(*in)->imm)))
				return false;
			*v = (u32)*v;
		} else {
			return true;
		}
	}
}

static __always_inline bool simple_compare(u8 how, u64 v, u64 with)
{
	if (likely(how == KT_CMP_EQ))
		return v == with;
	return how == KT_CMP_NE ? v != with : compare(how, v, with);
}

/*
 * The fast path for filters, which decides the cost of a hit that is not recorded.  The usual filter consists
 * of terms: each compares one register, one property, or memory reached from it, with constants.  For anything
 * else the interpreter starts again from the beginning.
 */
bool kt_capture_wants(const struct kt_program *program, const struct pt_regs *regs)
{
	const struct kt_insn *in = program->insns;
	u64 v;

	while (in->op != KT_OP_END) {
		if (likely(head(in) == SIMPLE_REG))
			v = kt_regs_get(regs, in->imm);
		else if (head(in) == SIMPLE_CUR && in->imm >= 0)
			v = kt_current_word(in->imm);
		else
			return wants(program->insns, regs);
		in++;
		if (unlikely(!simple_loads(&in, &v)))
			return wants(program->insns, regs);
		while ((u16)head(in) == SIMPLE_CMPI) {
			if (simple_compare(in->aux, v, (u64)(s64)in->imm)) {
				in += in->src + 1;
				goto next;
			}
			in++;
		}
		if (likely(in->op == KT_OP_DROP))
			return false;
next:;
	}
	return true;
}
NOKPROBE_SYMBOL(kt_capture_wants);

void kt_capture_rest(const struct kt_insn *in, const struct pt_regs *regs, kt_item *out, kt_item *faults)
{
	run(in, regs, out, faults, NULL);
}
NOKPROBE_SYMBOL(kt_capture_rest);

u32 kt_capture_varying(const struct kt_insn *in, const struct pt_regs *regs, void *out)
{
	kt_item *end;
	u32 bytes;

	run(in, regs, out, NULL, &end);
	bytes = (u8 *)end - (u8 *)out;
	if (bytes % 2)
		((u8 *)out)[bytes++] = 0;
	return bytes;
}
NOKPROBE_SYMBOL(kt_capture_varying);

static kt_noinline void marked_slow(const struct kt_insn *in, const struct pt_regs *regs, kt_item *out)
{
	*out = 0;
	kt_capture_rest(in + 1, regs, out + 1, out);
}
NOKPROBE_SYMBOL(marked_slow);

static __always_inline bool step(u64 *v, const struct kt_insn *link)
{
	return likely(kt_load_direct(v, *v + (u64)(s64)link->imm));
}

/* The value of a chain of n words, all in the direct map.  False: one of them is not. */
static __always_inline bool follow_direct(const struct kt_insn *in, const struct pt_regs *regs,
					  u8 n, u64 *v)
{
	*v = kt_regs_get(regs, in->imm);
	return step(v, in + 1) && (n < 2 || step(v, in + 2)) && (n < 3 || step(v, in + 3));
}

/* The items behind a chain that is the first item; mostly properties of the task. */
static kt_noinline void after_chain(const struct kt_insn *in, const struct pt_regs *regs, kt_item *out)
{
	kt_item *faults = out;

	for (out += 3; in->op == KT_OP_EMITCUR; in++)
		*out++ = kt_current_word(in->imm);
	if (in->op != KT_OP_END)
		kt_capture_rest(in, regs, out, faults);
}
NOKPROBE_SYMBOL(after_chain);

static __always_inline void marked_chain(const struct kt_insn *in, const struct pt_regs *regs,
					 kt_item *out, u8 n)
{
	u64 v;

	if (unlikely(!follow_direct(in + 1, regs, n, &v)))
		return marked_slow(in, regs, out);
	out[0] = 0;
	kt_emit(out + 1, v);
	if (in[n + 2].op != KT_OP_END)
		after_chain(in + n + 2, regs, out);
}

#define CHAIN_OF(n)	HEAD(KT_OP_EMITCHAIN, 0, n, KT_SIZE_U64)

/* The fast path for the usual chains of 1 to 3 loads from an argument: a few instructions a load. */
void kt_capture_marked(const struct kt_insn *in, const struct pt_regs *regs, kt_item *out)
{
	switch (head(in + 1)) {
	case CHAIN_OF(3):
		return marked_chain(in, regs, out, 3);
	case CHAIN_OF(2):
		return marked_chain(in, regs, out, 2);
	case CHAIN_OF(1):
		return marked_chain(in, regs, out, 1);
	default:
		return marked_slow(in, regs, out);
	}
}
NOKPROBE_SYMBOL(kt_capture_marked);
