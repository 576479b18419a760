// SPDX-License-Identifier: GPL-2.0-only
/*
 * relocate.c - write the same instruction for another address.  Encodings: Arm Architecture Reference Manual, C4.1.
 *
 * Nothing is emulated: an address relative to the instruction is computed by adrp and add, which reach 4 GiB, and a
 * branch becomes a branch with a new displacement.  A single branch leads from a slot back to the text.  A call may
 * lead farther, and then goes through x16, the register that the linker's veneers use.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "core/ktrace_abi.h"
#include "encode.h"
#include "insn.h"

struct code {
	u32 *out;
	unsigned int len, room;	/* in instructions */
	unsigned long at;	/* the address at which CPUs will execute it */
	bool out_of_range;	/* no room in `out`, or a displacement that is too long */
};

static unsigned long here(const struct code *code)
{
	return code->at + code->len * KT_INSN_BYTES;
}

static void put(struct code *code, u32 insn)
{
	if (code->len < code->room)
		code->out[code->len++] = insn;
	else
		code->out_of_range = true;
}

static void put_b(struct code *code, unsigned long target)
{
	if (!kt_branch_reaches(here(code), target))
		code->out_of_range = true;
	put(code, kt_put_b(here(code), target));
}

#define ADR_PAGE	4096UL

/* reg = value.  adrp reaches 4 GiB, in units of pages. */
static void put_address(struct code *code, u32 reg, unsigned long value)
{
	s64 pages = (s64)((value & -ADR_PAGE) - (here(code) & -ADR_PAGE)) / (s64)ADR_PAGE;
	u32 low = value & (ADR_PAGE - 1);

	if (pages < -(1 << 20) || pages >= 1 << 20)
		code->out_of_range = true;
	put(code, 0x90000000U | ((u32)pages & 3) << 29 | ((u32)(pages >> 2) & 0x7ffff) << 5 | reg);
	if (low)
		put(code, 0x91000000U | low << 10 | reg << 5 | reg);
}

/* Branch to another function.  If a branch does not reach it, do as the linker does: adrp, add, br. */
static void put_far(struct code *code, unsigned long target)
{
	if (kt_branch_reaches(here(code), target)) {
		put_b(code, target);
		return;
	}
	put_address(code, KT_IP0, target);
	put(code, kt_put_br(KT_IP0));
}

/* ------------------------------------------------------ one for each class */

static enum kt_refusal do_plain(struct code *code, u32 insn, unsigned long addr)
{
	put(code, insn);
	put_b(code, addr + KT_INSN_BYTES);
	return KT_REFUSE_NONE;
}

/* The instruction has no effect, so leave it out. */
static enum kt_refusal do_nothing(struct code *code, u32 insn, unsigned long addr)
{
	put_b(code, addr + KT_INSN_BYTES);
	return KT_REFUSE_NONE;
}

static enum kt_refusal do_b(struct code *code, u32 insn, unsigned long addr)
{
	put_far(code, kt_branch_target(insn, addr));
	return KT_REFUSE_NONE;
}

static enum kt_refusal do_bl(struct code *code, u32 insn, unsigned long addr)
{
	put_address(code, KT_LR, addr + KT_INSN_BYTES);
	put_far(code, kt_branch_target(insn, addr));
	return KT_REFUSE_NONE;
}

/*
 * If taken, skip the branch back to the text, to a branch to the target.  The displacement in the instruction has
 * `bits` bits, from bit 5 on.
 */
static void put_conditional(struct code *code, u32 insn, unsigned long addr, unsigned int bits)
{
	u32 mask = ((1U << bits) - 1) << 5;

	put(code, (insn & ~mask) | 2 << 5);
	put_b(code, addr + KT_INSN_BYTES);
	put_b(code, addr + kt_signed_field(insn, 5, bits) * KT_INSN_BYTES);
}

/* b.cond, bc.cond, cbz, cbnz */
static enum kt_refusal do_conditional(struct code *code, u32 insn, unsigned long addr)
{
	put_conditional(code, insn, addr, 19);
	return KT_REFUSE_NONE;
}

/* tbz, tbnz */
static enum kt_refusal do_test_bit(struct code *code, u32 insn, unsigned long addr)
{
	put_conditional(code, insn, addr, 14);
	return KT_REFUSE_NONE;
}

static u32 low_register(u32 insn)
{
	return insn & 0x1f;
}

static enum kt_refusal do_adr(struct code *code, u32 insn, unsigned long addr)
{
	s64 imm = kt_signed_field(insn, 5, 19) * 4 + (insn >> 29 & 3);
	u32 reg = low_register(insn);

	if (reg == KT_ZERO)
		return do_nothing(code, insn, addr);
	put_address(code, reg, insn >> 31 ? (addr & -ADR_PAGE) + imm * ADR_PAGE : addr + imm);
	put_b(code, addr + KT_INSN_BYTES);
	return KT_REFUSE_NONE;
}

#define PUSH_IP0	0xf81f0ff0U	/* str x16, [sp, #-16]! */
#define POP_IP0		0xf84107f0U	/* ldr x16, [sp], #16 */

/*
 * A load from the address in the register `base`.  opc is bits 31 and 30 of the literal load.  General registers: 32
 * bits, 64 bits, 32 bits signed; vector registers: 4, 8, 16 bytes.
 */
static u32 load_from(u32 opc, bool vector, u32 base, u32 reg)
{
	static const u32 general[] = { 0xb9400000, 0xf9400000, 0xb9800000 };
	static const u32 vectors[] = { 0xbd400000, 0xfd400000, 0x3dc00000 };

	return (vector ? vectors : general)[opc] | base << 5 | reg;
}

static enum kt_refusal do_literal(struct code *code, u32 insn, unsigned long addr)
{
	unsigned long literal = addr + kt_signed_field(insn, 5, 19) * KT_INSN_BYTES;
	u32 opc = insn >> 30, reg = low_register(insn);
	bool vector = insn >> 26 & 1;

	/* prfm, or a load to the zero register. */
	if (!vector && (opc == 3 || reg == KT_ZERO))
		return do_nothing(code, insn, addr);
	if (opc == 3)
		return KT_REFUSE_UNKNOWN_INSN;
	if (vector)
		put(code, PUSH_IP0);
	put_address(code, vector ? KT_IP0 : reg, literal);
	put(code, load_from(opc, vector, vector ? KT_IP0 : reg, reg));
	if (vector)
		put(code, POP_IP0);
	put_b(code, addr + KT_INSN_BYTES);
	return KT_REFUSE_NONE;
}

/* br, ret, with and without authentication.  No branch back follows, because execution does not continue after it. */
static enum kt_refusal do_br(struct code *code, u32 insn, unsigned long addr)
{
	put(code, insn);
	return KT_REFUSE_NONE;
}

/*
 * Put the return address into x30, then br or braa.  Slots are not in guarded pages, so such a branch may go to the
 * same targets as a call (C6.2, BTI).
 */
static enum kt_refusal do_blr(struct code *code, u32 insn, unsigned long addr)
{
	const bool modified = (insn & 0x01000800) == 0x01000800;	/* authenticated with a second register */

	if ((insn >> 5 & 0x1f) == KT_LR || (modified && low_register(insn) == KT_LR))
		return KT_REFUSE_UNKNOWN_INSN;
	put_address(code, KT_LR, addr + KT_INSN_BYTES);
	put(code, insn & ~(1U << 21));
	return KT_REFUSE_NONE;
}

/*
 * Hints that ktrace knows: nop .. xpaclri, pacia1716 .. autib1716, esb, psb, tsb, csdb, clearbhb, paciaz .. autibsp,
 * bti.  Hint 39 is not among them: it makes the next instruction depend on its address.
 */
#define KNOWN_HINTS	0x55ff5755ffULL

static enum kt_refusal do_hint(struct code *code, u32 insn, unsigned long addr)
{
	u32 hint = insn >> 5 & 0x7f;

	return hint < 64 && KNOWN_HINTS >> hint & 1 ? do_plain(code, insn, addr) :
						      KT_REFUSE_UNKNOWN_INSN;
}

/* clrex, dsb, dmb, isb, sb */
static enum kt_refusal do_barrier(struct code *code, u32 insn, unsigned long addr)
{
	u32 op = insn >> 5 & 7;

	return op == 2 || op >= 4 ? do_plain(code, insn, addr) : KT_REFUSE_UNKNOWN_INSN;
}

/* op1 and op2 of msr with an immediate: cfinv, xaflag, axflag, uao, pan, ssbs, dit, tco, daifset, daifclr. */
static enum kt_refusal do_msr_immediate(struct code *code, u32 insn, unsigned long addr)
{
	static const u8 harmless[] = { 0x00, 0x01, 0x02, 0x03, 0x04, 0x31, 0x32, 0x34, 0x36, 0x37 };
	u8 field = (insn >> 16 & 7) << 4 | (insn >> 5 & 7);

	return memchr(harmless, field, sizeof(harmless)) ? do_plain(code, insn, addr) :
							   KT_REFUSE_SYSTEM;
}

/* op0, op1, CRn, CRm, op2, at their positions in the instruction. */
#define SYSREG(op0, op1, crn, crm, op2) \
	((u32)(op0) << 19 | (op1) << 16 | (crn) << 12 | (crm) << 8 | (op2) << 5)

struct pattern {
	u32 mask, value;
};

static bool any_matches(const struct pattern *patterns, size_t n, u32 insn)
{
	size_t i;

	for (i = 0; i < n; i++)
		if ((insn & patterns[i].mask) == patterns[i].value)
			return true;
	return false;
}

/*
 * System registers that ordinary code writes.  All others are refused: they change the translation of memory, or where
 * exceptions go and return to, and such code must not run out of line or after a trap.
 */
static const struct pattern harmless_sysregs[] = {
	{ SYSREG(3, 7, 0, 0, 0), SYSREG(3, 3, 0, 0, 0) },	/* all registers of EL0 */
	{ SYSREG(3, 7, 15, 15, 7), SYSREG(3, 0, 4, 1, 0) },	/* SP_EL0 */
	{ SYSREG(3, 7, 15, 15, 7), SYSREG(3, 0, 4, 2, 3) },	/* PAN */
	{ SYSREG(3, 7, 15, 15, 7), SYSREG(3, 0, 4, 2, 4) },	/* UAO */
	{ SYSREG(3, 7, 15, 15, 0), SYSREG(3, 0, 4, 6, 0) },	/* ICC_PMR_EL1 */
	{ SYSREG(3, 7, 15, 15, 0), SYSREG(3, 0, 2, 1, 0) },	/* keys of pointer authentication */
	{ SYSREG(3, 7, 15, 15, 0), SYSREG(3, 0, 2, 2, 0) },
	{ SYSREG(3, 7, 15, 15, 0), SYSREG(3, 0, 2, 3, 0) },
	{ SYSREG(3, 7, 15, 8, 0), SYSREG(3, 0, 12, 8, 0) },	/* interrupt controller */
	{ SYSREG(3, 7, 15, 0, 0), SYSREG(3, 0, 13, 0, 0) },	/* CONTEXTIDR_EL1, TPIDR_EL1 */
	{ SYSREG(3, 7, 15, 0, 0), SYSREG(3, 0, 14, 0, 0) },	/* CNTKCTL_EL1 */
	{ SYSREG(3, 7, 15, 0, 0), SYSREG(3, 0, 9, 0, 0) },	/* performance monitors */
};

static enum kt_refusal do_msr(struct code *code, u32 insn, unsigned long addr)
{
	return any_matches(harmless_sysregs, ARRAY_SIZE(harmless_sysregs), insn) ?
		       do_plain(code, insn, addr) : KT_REFUSE_SYSTEM;
}

static enum kt_refusal do_trap(struct code *code, u32 insn, unsigned long addr)
{
	return KT_REFUSE_TRAP;
}

static enum kt_refusal do_system(struct code *code, u32 insn, unsigned long addr)
{
	return KT_REFUSE_SYSTEM;
}

static enum kt_refusal do_exclusive(struct code *code, u32 insn, unsigned long addr)
{
	return KT_REFUSE_EXCLUSIVE;
}

static enum kt_refusal do_unknown(struct code *code, u32 insn, unsigned long addr)
{
	return KT_REFUSE_UNKNOWN_INSN;
}

static enum kt_refusal do_undecodable(struct code *code, u32 insn, unsigned long addr)
{
	return KT_REFUSE_UNDECODABLE;
}

/* -------------------------------------------------------------- the table */

typedef enum kt_refusal (*class_fn)(struct code *code, u32 insn, unsigned long addr);

/* The first row that matches counts.  An instruction that no row matches is plain. */
static const struct {
	struct pattern pattern;
	class_fn class;
} classes[] = {
	{ { 0xffff0000, 0x00000000 }, do_trap },		/* udf */
	{ { 0x9e000000, 0x00000000 }, do_undecodable },		/* reserved, unallocated groups */
	{ { 0x1e000000, 0x02000000 }, do_undecodable },
	{ { 0x1e000000, 0x06000000 }, do_undecodable },
	{ { 0x1f000000, 0x10000000 }, do_adr },			/* and adrp */
	{ { 0xff800000, 0xf3800000 }, do_unknown },		/* authentication by an address: autiasppc, .. */
	{ { 0xffff801f, 0xdac1801e }, do_unknown },		/*  paciasppc, autiasppcr, .. */
	{ { 0xfc000000, 0x14000000 }, do_b },
	{ { 0xfc000000, 0x94000000 }, do_bl },
	{ { 0xff000000, 0x54000000 }, do_conditional },		/* b.cond, bc.cond */
	{ { 0x7e000000, 0x34000000 }, do_conditional },		/* cbz, cbnz */
	{ { 0x7e000000, 0x36000000 }, do_test_bit },		/* tbz, tbnz */
	{ { 0xfffffc1f, 0xd61f0000 }, do_br },			/* br */
	{ { 0xfffff81f, 0xd61f081f }, do_br },			/* braaz, brabz */
	{ { 0xfffff800, 0xd71f0800 }, do_br },			/* braa, brab */
	{ { 0xfffffc1f, 0xd65f0000 }, do_br },			/* ret */
	{ { 0xfffffbff, 0xd65f0bff }, do_br },			/* retaa, retab */
	{ { 0xfffffc1f, 0xd63f0000 }, do_blr },			/* blr */
	{ { 0xfffff81f, 0xd63f081f }, do_blr },			/* blraaz, blrabz */
	{ { 0xfffff800, 0xd73f0800 }, do_blr },			/* blraa, blrab */
	{ { 0xffdf0000, 0xd69f0000 }, do_system },		/* eret, eretaa, eretab, drps */
	{ { 0xffe0001e, 0xd4000002 }, do_system },		/* hvc, smc */
	{ { 0xff000000, 0xd4000000 }, do_trap },		/* svc, brk, hlt, dcps */
	{ { 0xfffff01f, 0xd503201f }, do_hint },
	{ { 0xfffff01f, 0xd503301f }, do_barrier },
	{ { 0xfff8f01f, 0xd500401f }, do_msr_immediate },
	{ { 0xffd80000, 0xd5080000 }, do_plain },		/* sys, sysl: caches, translations */
	{ { 0xfff00000, 0xd5300000 }, do_plain },		/* mrs */
	{ { 0xfff00000, 0xd5100000 }, do_msr },
	{ { 0x1c000000, 0x14000000 }, do_unknown },		/* all other branches and system instructions */
	{ { 0x3b000000, 0x18000000 }, do_literal },
	{ { 0xbfa07c00, 0x08207c00 }, do_plain },		/* casp */
	{ { 0x3f800000, 0x08000000 }, do_exclusive },
	{ { 0x3b200c00, 0x19000400 }, do_unknown },		/* cpy, set: they restart relative to their address */
};

static class_fn classify(u32 insn)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(classes); i++)
		if ((insn & classes[i].pattern.mask) == classes[i].pattern.value)
			return classes[i].class;
	return do_plain;
}

enum kt_refusal kt_arm64_relocate(u32 insn, unsigned long addr, unsigned long at, u8 *out,
				  unsigned int *len)
{
	u32 words[KT_SLOT_BYTES / KT_INSN_BYTES];
	struct code code = { .out = words, .room = ARRAY_SIZE(words), .at = at };
	enum kt_refusal refusal = classify(insn)(&code, insn, addr);

	if (!refusal && code.out_of_range)
		refusal = KT_REFUSE_RANGE;
	*len = code.len * KT_INSN_BYTES;
	memset(out, 0, KT_SLOT_BYTES);
	memcpy(out, words, *len);
	return refusal;
}

bool kt_arm64_is_load_exclusive(u32 insn)
{
	return classify(insn) == do_exclusive && insn >> 22 & 1;
}

bool kt_arm64_is_store_exclusive(u32 insn)
{
	return classify(insn) == do_exclusive && !(insn >> 22 & 1);
}

/* bti, and paciasp and pacibsp, which are valid targets of calls, too. */
bool kt_arm64_is_bti(u32 insn)
{
	return (insn & 0xffffff3f) == 0xd503241f || (insn & 0xffffffbf) == 0xd503233f;
}
