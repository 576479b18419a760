// SPDX-License-Identifier: GPL-2.0-only
/*
 * relocate.c - write the same instruction for another address.  Opcodes and their groups: Intel SDM volume 2,
 * appendix A.
 *
 * Nothing is emulated: a call becomes a push of the return address and a jump, a branch gets a longer displacement, and
 * a RIP-relative operand gets a new displacement.  All kernel text lies in the top 2 GiB, so a sign-extended 32-bit
 * immediate can hold each of its addresses.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/insn.h>

#include "kmod/base/ktrace.h"
#include "insn.h"
#include "kmod/base/ksym.h"
#include "kmod/table/text.h"

struct code {
	u8 *out;
	unsigned int len, room;
	unsigned long at;	/* the address at which CPUs will execute it */
	bool out_of_range;	/* no room in `out`, or a displacement that is too long */
	bool more;		/* the code of the next instruction follows: no jump to it is needed */
};

struct source {
	const u8 *bytes;
	struct insn insn;
	unsigned long addr;
	unsigned long next;	/* the address of the instruction after it */
};

static void put(struct code *code, const void *bytes, unsigned int n)
{
	if (code->len + n > code->room) {
		code->out_of_range = true;
		return;
	}
	memcpy(code->out + code->len, bytes, n);
	code->len += n;
}

static void put_byte(struct code *code, u8 byte)
{
	put(code, &byte, 1);
}

static void put_s32(struct code *code, s64 value)
{
	s32 v = value;

	if (v != value)
		code->out_of_range = true;
	put(code, &v, sizeof(v));
}

/* Write the 32-bit displacement to `target`, with which the current instruction ends. */
static void put_rel32(struct code *code, unsigned long target)
{
	put_s32(code, target - (code->at + code->len + 4));
}

static void put_jmp(struct code *code, unsigned long target)
{
	put_byte(code, 0xe9);
	put_rel32(code, target);
}

/* Continue after the instruction. */
static void put_next(struct code *code, const struct source *src)
{
	if (!code->more)
		put_jmp(code, src->next);
}

/* push imm32, sign-extended to 64 bits. */
static void put_push(struct code *code, unsigned long value)
{
	put_byte(code, 0x68);
	put_s32(code, (s64)value);
}

static unsigned long branch_target(const struct source *src)
{
	return src->next + src->insn.immediate.value;
}

static u8 modrm_reg(const struct source *src)
{
	return X86_MODRM_REG(src->insn.modrm.value);
}

static bool has_prefix(const struct source *src, u8 prefix)
{
	const struct insn_field *prefixes = &src->insn.prefixes;

	return memchr(prefixes->bytes, prefix, sizeof(prefixes->bytes));
}

/* Prefixes that change what a branch does (66: 16-bit target on some CPUs; 67; lock is invalid). */
static bool odd_branch_prefix(const struct source *src)
{
	return has_prefix(src, 0x66) || has_prefix(src, 0x67) || has_prefix(src, 0xf0);
}

/* Mode 0 with base 5: the base is the address of the next instruction (SDM 2.2.1.6). */
static bool rip_relative(const struct insn *insn)
{
	return insn->modrm.nbytes && X86_MODRM_MOD(insn->modrm.value) == 0 &&
	       X86_MODRM_RM(insn->modrm.value) == 5;
}

/* Copy the bytes, and adjust a RIP-relative operand. */
static enum kt_refusal put_moved(struct code *code, const struct source *src)
{
	struct insn *insn = (struct insn *)&src->insn;
	unsigned int start = code->len, off;
	s64 disp;
	s32 v;

	put(code, src->bytes, insn->length);
	if (!rip_relative(insn))
		return KT_REFUSE_NONE;
	if (insn->addr_bytes != 8)
		return KT_REFUSE_UNKNOWN_INSN;
	off = start + insn_offset_displacement(insn);
	disp = (s64)(src->next + insn->displacement.value) - (s64)(code->at + start + insn->length);
	v = disp;
	if (v != disp)
		code->out_of_range = true;
	if (off + sizeof(v) <= code->len)
		memcpy(code->out + off, &v, sizeof(v));
	return KT_REFUSE_NONE;
}

/* ------------------------------------------------------ one for each class */

static enum kt_refusal do_plain(struct code *code, const struct source *src)
{
	enum kt_refusal refusal = put_moved(code, src);

	put_next(code, src);
	return refusal;
}

static enum kt_refusal do_call(struct code *code, const struct source *src)
{
	if (odd_branch_prefix(src))
		return KT_REFUSE_UNKNOWN_INSN;
	put_push(code, src->next);
	put_jmp(code, branch_target(src));
	return KT_REFUSE_NONE;
}

static enum kt_refusal do_jmp(struct code *code, const struct source *src)
{
	if (odd_branch_prefix(src))
		return KT_REFUSE_UNKNOWN_INSN;
	put_jmp(code, branch_target(src));
	return KT_REFUSE_NONE;
}

/* 7x rel8 and 0f 8x rel32: the condition is in the low four bits. */
static enum kt_refusal do_jcc(struct code *code, const struct source *src)
{
	const struct insn *insn = &src->insn;

	if (odd_branch_prefix(src))
		return KT_REFUSE_UNKNOWN_INSN;
	put_byte(code, 0x0f);
	put_byte(code, 0x80 | (insn->opcode.bytes[insn->opcode.nbytes - 1] & 0xf));
	put_rel32(code, branch_target(src));
	put_next(code, src);
	return KT_REFUSE_NONE;
}

/* loop, loope, loopne, jrcxz reach only 127 bytes, so they branch to a longer jump. */
static enum kt_refusal do_loop(struct code *code, const struct source *src)
{
	const struct insn *insn = &src->insn;

	/* The prefix 67 is allowed: it makes them count in ecx, which does not depend on the address. */
	if (has_prefix(src, 0x66))
		return KT_REFUSE_UNKNOWN_INSN;
	put(code, src->bytes, insn->length - 1);
	put_byte(code, 2);
	put_byte(code, 0xeb);		/* not taken: skip the next jump */
	put_byte(code, 5);
	put_jmp(code, branch_target(src));
	put_jmp(code, src->next);
	return KT_REFUSE_NONE;
}

/* No jump follows a return, because execution does not continue after it. */
static enum kt_refusal do_ret(struct code *code, const struct source *src)
{
	put(code, src->bytes, src->insn.length);
	return KT_REFUSE_NONE;
}

/* Is the operand based on the stack pointer?  The push of the return address changes the stack pointer first. */
static bool operand_on_stack(const struct source *src)
{
	const struct insn *insn = &src->insn;

	return X86_MODRM_MOD(insn->modrm.value) != 3 && X86_MODRM_RM(insn->modrm.value) == 4 &&
	       X86_SIB_BASE(insn->sib.value) == 4 && !X86_REX_B(insn->rex_prefix.value);
}

static bool operand_is_rsp(const struct source *src)
{
	const struct insn *insn = &src->insn;

	return X86_MODRM_MOD(insn->modrm.value) == 3 && X86_MODRM_RM(insn->modrm.value) == 4 &&
	       !X86_REX_B(insn->rex_prefix.value);
}

static enum kt_refusal do_call_indirect(struct code *code, const struct source *src)
{
	enum kt_refusal refusal;
	unsigned int start;

	if (odd_branch_prefix(src) || operand_on_stack(src) || operand_is_rsp(src))
		return KT_REFUSE_UNKNOWN_INSN;
	put_push(code, src->next);
	start = code->len;
	refusal = put_moved(code, src);
	/* Change ff /2 (call) to ff /4 (jmp). */
	if (!code->out_of_range)
		code->out[start + insn_offset_modrm((struct insn *)&src->insn)] ^= (0x2 ^ 0x4) << 3;
	return refusal;
}

static enum kt_refusal do_jmp_indirect(struct code *code, const struct source *src)
{
	return odd_branch_prefix(src) ? KT_REFUSE_UNKNOWN_INSN : put_moved(code, src);
}

/* ff: inc, dec, call, far call, jmp, far jmp, push, none. */
static enum kt_refusal do_group5(struct code *code, const struct source *src)
{
	static enum kt_refusal (*const by_reg[8])(struct code *, const struct source *) = {
		do_plain, do_plain, do_call_indirect, NULL, do_jmp_indirect, NULL, do_plain, NULL,
	};
	u8 reg = modrm_reg(src);

	return by_reg[reg] ? by_reg[reg](code, src) : KT_REFUSE_SYSTEM;
}

/* sti keeps interrupts off for one more instruction.  This matters only before hlt, mwait and sysexit. */
static enum kt_refusal do_sti(struct code *code, const struct source *src)
{
	static const u8 mwait[] = { 0x0f, 0x01, 0xc9 }, sysexit[] = { 0x0f, 0x35 };
	u8 next[3];

	if (kt_text_live(src->next, next, sizeof(next)) != sizeof(next))
		return KT_REFUSE_UNDECODABLE;
	if (next[0] == 0xf4 || !memcmp(next, mwait, sizeof(mwait)) ||
	    !memcmp(next, sysexit, sizeof(sysexit)))
		return KT_REFUSE_SHADOW;
	return do_plain(code, src);
}

/* 8e: mov to a segment register.  A mov to SS delays interrupts and traps by one instruction; to CS it is invalid. */
static enum kt_refusal do_mov_sreg(struct code *code, const struct source *src)
{
	return modrm_reg(src) == 2 ? KT_REFUSE_SHADOW : do_plain(code, src);
}

/*
 * 8f: pop.  If the reg field is not 0, it may be an XOP instruction, which is longer than the decoder says (AMD64
 * manual volume 3, chapter 1).
 */
static enum kt_refusal do_group1a(struct code *code, const struct source *src)
{
	return modrm_reg(src) ? KT_REFUSE_UNKNOWN_INSN : do_plain(code, src);
}

/* c6, c7: mov imm; with /7 they are xabort and xbegin. */
static enum kt_refusal do_group11(struct code *code, const struct source *src)
{
	return modrm_reg(src) == 7 ? KT_REFUSE_SYSTEM : do_plain(code, src);
}

/*
 * 0f 01.  All memory forms are allowed (sgdt, sidt, lgdt, lidt, smsw, lmsw, invlpg), except /5 (rstorssp).  These
 * register forms do not depend on their address: smsw, lmsw, monitor, mwait, clac, stac (c8 .. cb), xgetbv, xsetbv
 * (d0, d1), xtest (d6), rdpkru, wrpkru (ee, ef), rdtscp (f9).  All others are refused, for example encls (cf), xend
 * (d5), swapgs (f8).
 */
static enum kt_refusal do_group7(struct code *code, const struct source *src)
{
	static const u8 harmless[] = { 0xc8, 0xc9, 0xca, 0xcb, 0xd0, 0xd1, 0xd6, 0xee, 0xef, 0xf9 };
	u8 modrm = src->insn.modrm.value;

	if (X86_MODRM_MOD(modrm) != 3)
		return modrm_reg(src) == 5 ? KT_REFUSE_SYSTEM : do_plain(code, src);
	if (modrm_reg(src) == 4 || modrm_reg(src) == 6)	/* smsw, lmsw */
		return do_plain(code, src);
	return memchr(harmless, modrm, sizeof(harmless)) ? do_plain(code, src) : KT_REFUSE_SYSTEM;
}

/* f3 0f 1e fa is endbr64.  It must stay in place, because an indirect branch has to arrive at an endbr64. */
static enum kt_refusal do_endbr(struct code *code, const struct source *src)
{
	u32 first;

	memcpy(&first, src->bytes, sizeof(first));
	return first == 0xfa1e0ff3 && src->insn.length == 4 ? KT_REFUSE_ENDBR : do_plain(code, src);
}

static enum kt_refusal do_trap(struct code *code, const struct source *src)
{
	return KT_REFUSE_TRAP;
}

static enum kt_refusal do_system(struct code *code, const struct source *src)
{
	return KT_REFUSE_SYSTEM;
}

static enum kt_refusal do_unknown(struct code *code, const struct source *src)
{
	return KT_REFUSE_UNKNOWN_INSN;
}

/* ------------------------------------------------------------- the tables */

typedef enum kt_refusal (*class_fn)(struct code *code, const struct source *src);

struct opcode_range {
	u8 first, last;
	class_fn class;
};

/*
 * One-byte opcodes in 64-bit mode.  An opcode that is not listed is plain.  Prefixes are listed because the decoder
 * takes one for the opcode if there are too many of them, or if one is out of place.
 */
static const struct opcode_range one_byte[] = {
	{ 0x06, 0x07, do_unknown }, { 0x0e, 0x0e, do_unknown }, { 0x16, 0x17, do_unknown },
	{ 0x1e, 0x1f, do_unknown }, { 0x26, 0x27, do_unknown }, { 0x2e, 0x2f, do_unknown },
	{ 0x36, 0x37, do_unknown }, { 0x3e, 0x3f, do_unknown }, { 0x40, 0x4f, do_unknown },
	{ 0x60, 0x62, do_unknown }, { 0x64, 0x67, do_unknown },
	{ 0x70, 0x7f, do_jcc },	    { 0x82, 0x82, do_unknown }, { 0x8e, 0x8e, do_mov_sreg },
	{ 0x8f, 0x8f, do_group1a }, { 0x9a, 0x9a, do_unknown }, { 0xc2, 0xc3, do_ret },
	{ 0xc6, 0xc7, do_group11 }, { 0xca, 0xcb, do_system },	{ 0xcc, 0xcd, do_trap },
	{ 0xce, 0xce, do_unknown }, { 0xcf, 0xcf, do_system },	{ 0xd4, 0xd6, do_unknown },
	{ 0xe0, 0xe3, do_loop },    { 0xe8, 0xe8, do_call },	{ 0xe9, 0xe9, do_jmp },
	{ 0xea, 0xea, do_unknown }, { 0xeb, 0xeb, do_jmp },	{ 0xf0, 0xf0, do_unknown },
	{ 0xf1, 0xf1, do_trap },    { 0xf2, 0xf3, do_unknown }, { 0xf4, 0xf4, do_system },
	{ 0xfb, 0xfb, do_sti },	    { 0xff, 0xff, do_group5 },
};

/* 0f xx.  An opcode that is not listed is plain. */
static const struct opcode_range two_byte[] = {
	{ 0x01, 0x01, do_group7 },  { 0x04, 0x05, do_system },	{ 0x07, 0x07, do_system },
	{ 0x0a, 0x0a, do_unknown }, { 0x0b, 0x0b, do_trap },	{ 0x0c, 0x0c, do_unknown },
	{ 0x0f, 0x0f, do_unknown }, { 0x1e, 0x1e, do_endbr },	{ 0x24, 0x27, do_unknown },
	{ 0x34, 0x37, do_system },  { 0x80, 0x8f, do_jcc },	{ 0xaa, 0xaa, do_system },
	{ 0xb2, 0xb2, do_unknown }, { 0xb9, 0xb9, do_trap },	{ 0xff, 0xff, do_trap },
};

static class_fn lookup(const struct opcode_range *table, size_t n, u8 opcode, class_fn other)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (opcode >= table[i].first && opcode <= table[i].last)
			return table[i].class;
	return other;
}

/* The opcodes 0f xx without a ModRM byte. */
static const struct opcode_range no_modrm[] = {
	{ 0x05, 0x09, do_plain }, { 0x0b, 0x0b, do_plain }, { 0x0e, 0x0e, do_plain },
	{ 0x30, 0x37, do_plain }, { 0x77, 0x77, do_plain }, { 0x80, 0x8f, do_plain },
	{ 0xa0, 0xa2, do_plain }, { 0xa8, 0xaa, do_plain }, { 0xc8, 0xcf, do_plain },
};

/*
 * After unusual prefixes the decoder misses the ModRM byte of some instructions, and splits them in two.  Is this one
 * of them?
 */
static bool lacks_modrm(const struct insn *insn)
{
	if (insn->modrm.nbytes || insn->vex_prefix.nbytes || insn->opcode.nbytes < 2)
		return false;
	return insn->opcode.nbytes > 2 ||
	       !lookup(no_modrm, ARRAY_SIZE(no_modrm), insn->opcode.bytes[1], NULL);
}

/*
 * The decoder also misses some immediates.  71 .. 73 are shifts, which have one.  78 and 79 are vmread and vmwrite only
 * without a prefix; with a prefix they are AMD's extrq and insertq, which may have one.
 */
static bool lacks_immediate(const struct insn *insn)
{
	u8 op = insn->opcode.bytes[1];

	if (insn->vex_prefix.nbytes || insn->opcode.nbytes != 2)
		return false;
	return (op >= 0x71 && op <= 0x73 && !insn->immediate.nbytes) ||
	       (op >= 0x78 && op <= 0x79 && insn->prefixes.nbytes);
}

/* The class of an instruction.  VEX, EVEX and the three-byte maps contain only arithmetic and moves. */
static class_fn classify(const struct insn *insn)
{
	const u8 *op = insn->opcode.bytes;

	/*
	 * ud2 and the bytes after it that its handler reads: the decoder takes them for a prefix
	 * (asm/emulate_prefix.h).
	 */
	if (insn_has_emulate_prefix((struct insn *)insn))
		return do_trap;
	/* Decoders from Linux 6.12 on know REX2.  Its opcodes are in both maps, and no kernel contains it. */
	if (insn->rex_prefix.nbytes > 1)
		return do_unknown;
	if (lacks_modrm(insn) || lacks_immediate(insn))
		return do_unknown;
	if (insn->vex_prefix.nbytes || insn->opcode.nbytes > 2)
		return do_plain;
	if (insn->opcode.nbytes == 2)
		return lookup(two_byte, ARRAY_SIZE(two_byte), op[1], do_plain);
	return lookup(one_byte, ARRAY_SIZE(one_byte), op[0], do_plain);
}

static bool is_branch(class_fn class)
{
	return class == do_jmp || class == do_jcc || class == do_loop;
}

/* Loop instructions, and indirect jumps without a thunk, are rare: no jump of ktrace replaces either. */
static bool stays(const struct source *src, class_fn class)
{
	return class == do_loop || (class == do_group5 && modrm_reg(src) == 4);
}

/*
 * Does execution continue with the next instruction, unless it branches?  From a call it would come back to the text,
 * into the jump.
 */
static bool falls_through(const struct source *src, class_fn class)
{
	return class == do_plain || class == do_group1a || class == do_group11 ||
	       class == do_group7 || class == do_jcc ||
	       (class == do_group5 && modrm_reg(src) != 2);
}

/* Decode the instruction at `bytes`, of at most len bytes. */
static enum kt_refusal source_decode(struct source *src, const u8 *bytes, unsigned int len,
				     unsigned long addr)
{
	*src = (struct source){ .bytes = bytes, .addr = addr };
	if (kt_insn_decode(&src->insn, bytes, len, INSN_MODE_KERN) < 0)
		return KT_REFUSE_UNDECODABLE;
	src->next = addr + src->insn.length;
	return KT_REFUSE_NONE;
}

enum kt_refusal kt_x86_relocate(const u8 *bytes, u8 len, unsigned long addr, unsigned long at,
				u8 *out)
{
	struct code code = { .out = out, .at = at, .room = KT_SLOT_BYTES };
	struct source src;
	enum kt_refusal refusal;

	memset(out, 0xcc, KT_SLOT_BYTES);
	refusal = source_decode(&src, bytes, len, addr);
	if (refusal)
		return refusal;
	if (src.insn.length != len)
		return KT_REFUSE_UNDECODABLE;
	refusal = classify(&src.insn)(&code, &src);
	if (!refusal && code.out_of_range)
		refusal = KT_REFUSE_RANGE;
	return refusal;
}

/* Are these bytes, which follow a return, only int3?  CPUs do not execute this filling. */
static bool is_filling(const u8 *bytes, u8 len)
{
	while (len && *bytes == 0xcc)
		bytes++, len--;
	return !len;
}

/* Kprobes finds branch targets by decoding the function.  It misses displaced branches, so the guard knows them. */
enum kt_refusal kt_x86_relocate_displaced(const u8 *bytes, u8 len, unsigned long addr,
					  unsigned long at, u8 *out, unsigned int room)
{
	struct code code = { .out = out, .at = at, .room = room };
	struct source src;
	enum kt_refusal refusal;
	unsigned int done;
	class_fn class;

	memset(out, 0xcc, room);
	for (done = 0; done < len; done += src.insn.length) {
		refusal = source_decode(&src, bytes + done, len - done, addr + done);
		if (refusal)
			return refusal;
		class = classify(&src.insn);
		code.more = done + src.insn.length < len &&
			    (class != do_ret ||
			     !is_filling(bytes + done + src.insn.length, len - done - src.insn.length));
		if (stays(&src, class) || (code.more && !falls_through(&src, class)))
			return KT_REFUSE_METHOD;
		refusal = class(&code, &src);
		if (refusal)
			return refusal;
		if (!code.more)
			break;
	}
	return code.out_of_range ? KT_REFUSE_RANGE : KT_REFUSE_NONE;
}

void kt_x86_branch_targets(const u8 *bytes, u8 len, unsigned long addr, unsigned long targets[KT_MAX_BRANCHES])
{
	struct source src;
	unsigned int done, n = 0;

	memset(targets, 0, KT_MAX_BRANCHES * sizeof(*targets));
	for (done = 0; done < len && n < KT_MAX_BRANCHES; done += src.insn.length) {
		if (source_decode(&src, bytes + done, len - done, addr + done))
			return;
		if (is_branch(classify(&src.insn)))
			targets[n++] = branch_target(&src);
	}
}
