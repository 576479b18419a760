// SPDX-License-Identifier: GPL-2.0-or-later
/* insn.c - arm64 instructions: branches and text.  Encodings: Arm ARM, C4.1 and C6.2. */
#include <stdio.h>
#include <string.h>

#include "arch/engine.h"
#include "user.h"
#include "word.h"

/* The n bits from bit `low` up. */
static uint32_t field(uint32_t word, unsigned int low, unsigned int n)
{
	return word >> low & ((1U << n) - 1);
}

/* ---------------------------------------------------------------- branches */

enum branch { CONDITIONAL, JUMP, CALL, RETURN };

static const struct branch_row {
	uint32_t mask, value;
	enum branch kind;
	uint8_t low, bits;	/* of the distance, in words; bits 0: a branch to a register */
} branches[] = {
	{ 0xfc000000, 0x14000000, JUMP, 0, 26 },		/* b */
	{ 0xfc000000, 0x94000000, CALL, 0, 26 },		/* bl */
	{ 0xff000000, 0x54000000, CONDITIONAL, 5, 19 },		/* b.cond, bc.cond */
	{ 0x7e000000, 0x34000000, CONDITIONAL, 5, 19 },		/* cbz, cbnz */
	{ 0x7e000000, 0x36000000, CONDITIONAL, 5, 14 },		/* tbz, tbnz */
	{ 0xfffffc1f, 0xd61f0000, JUMP, 0, 0 },			/* br */
	{ 0xfffff81f, 0xd61f081f, JUMP, 0, 0 },			/* braaz, brabz */
	{ 0xfffff800, 0xd71f0800, JUMP, 0, 0 },			/* braa, brab */
	{ 0xfffffc1f, 0xd63f0000, CALL, 0, 0 },			/* blr */
	{ 0xfffff81f, 0xd63f081f, CALL, 0, 0 },			/* blraaz, blrabz */
	{ 0xfffff800, 0xd73f0800, CALL, 0, 0 },			/* blraa, blrab */
	{ 0xfffffc1f, 0xd65f0000, RETURN, 0, 0 },		/* ret */
	{ 0xfffffbff, 0xd65f0bff, RETURN, 0, 0 },		/* retaa, retab */
	{ 0xffffffff, 0xd69f03e0, RETURN, 0, 0 },		/* eret */
	{ 0xfffffbff, 0xd69f0bff, RETURN, 0, 0 },		/* eretaa, eretab */
};

static const struct branch_row *branch_of(uint32_t word)
{
	for (size_t i = 0; i < sizeof(branches) / sizeof(branches[0]); i++)
		if ((word & branches[i].mask) == branches[i].value)
			return &branches[i];
	return NULL;
}

static uint64_t target_of(const struct branch_row *row, uint32_t word, uint64_t addr)
{
	uint64_t distance = (uint64_t)field(word, row->low, row->bits) << (64 - row->bits);

	return addr + (uint64_t)((int64_t)distance >> (64 - row->bits)) * INSN_BYTES;
}

/* Remove the # before the target: other tools write "b.ne 0xffff...". */
static void unmark_target(char *text)
{
	char *mark = strrchr(text, '#');

	if (mark)
		memmove(mark, mark + 1, strlen(mark));
}

static void describe(uint32_t word, uint64_t addr, struct arch_insn *out)
{
	const struct branch_row *row = branch_of(word);

	if (!row)
		return;
	out->is_call = row->kind == CALL;
	out->is_jump = row->kind == JUMP;
	out->is_return = row->kind == RETURN;
	if (row->bits) {
		out->target = target_of(row, word, addr);
		unmark_target(out->text);
	}
}

/* -------------------------------------------------------------------- text */

/* Text of instructions that capstone 4 does not know: a kernel for Armv8.1 to 8.5 uses them. */
struct text {
	char *to;
	size_t size;
};

static const char *reg_name(char buf[4], bool is_wide, unsigned int n, const char *as_31)
{
	if (n == 31)
		return as_31;
	snprintf(buf, 4, "%c%u", is_wide ? 'x' : 'w', n);
	return buf;
}

/* A register that an atomic instruction reads or writes. */
#define DATA(word, low)	reg_name((char[4]){ 0 }, word >> 30 == 3, field(word, low, 5), word >> 30 == 3 ? "xzr" : "wzr")
#define BASE(word)	reg_name((char[4]){ 0 }, true, field(word, 5, 5), "sp")

static const char *width(uint32_t word)
{
	return (const char *const[]){ "b", "h", "", "" }[word >> 30];
}

/* The order is encoded in one bit each for acquire and release. */
static const char *order(bool acquire, bool release)
{
	return acquire ? release ? "al" : "a" : release ? "l" : "";
}

static void text_atomic(struct text out, uint32_t word)
{
	static const char *const verbs[] = { "add", "clr", "eor", "set", "smax", "smin", "umax", "umin" };
	const char *how = order(field(word, 23, 1), field(word, 22, 1)), *verb = verbs[field(word, 12, 3)];

	if (field(word, 12, 4) == 8)
		snprintf(out.to, out.size, "swp%s%s %s, %s, [%s]", how, width(word), DATA(word, 16), DATA(word, 0),
			 BASE(word));
	else if (field(word, 0, 5) == 31 && !field(word, 23, 1))
		snprintf(out.to, out.size, "st%s%s%s %s, [%s]", verb, how, width(word), DATA(word, 16), BASE(word));
	else
		snprintf(out.to, out.size, "ld%s%s%s %s, %s, [%s]", verb, how, width(word), DATA(word, 16),
			 DATA(word, 0), BASE(word));
}

static void text_load_acquire(struct text out, uint32_t word)
{
	snprintf(out.to, out.size, "ldapr%s %s, [%s]", width(word), DATA(word, 0), BASE(word));
}

static void text_compare(struct text out, uint32_t word)
{
	snprintf(out.to, out.size, "cas%s%s %s, %s, [%s]", order(field(word, 22, 1), field(word, 15, 1)), width(word),
		 DATA(word, 16), DATA(word, 0), BASE(word));
}

static void text_compare_pair(struct text out, uint32_t word)
{
	char size = field(word, 30, 1) ? 'x' : 'w';
	unsigned int s = field(word, 16, 5), t = field(word, 0, 5);

	snprintf(out.to, out.size, "casp%s %c%u, %c%u, %c%u, %c%u, [%s]", order(field(word, 22, 1), field(word, 15, 1)),
		 size, s, size, s + 1, size, t, size, t + 1, BASE(word));
}

/* Branches with pointer authentication and a modifier: 1101 0111 000 1; one each for key A and B. */
static void text_signed_branch(struct text out, uint32_t word)
{
	static const char *const verbs[] = { "bra", "blra" };
	const char *verb = verbs[field(word, 21, 1)];
	char key = field(word, 10, 1) ? 'b' : 'a', buf[4];

	if (field(word, 24, 1))
		snprintf(out.to, out.size, "%s%c x%u, %s", verb, key, field(word, 5, 5),
			 reg_name(buf, true, field(word, 0, 5), "sp"));
	else
		snprintf(out.to, out.size, "%s%cz x%u", verb, key, field(word, 5, 5));
}

static void text_signed_return(struct text out, uint32_t word)
{
	snprintf(out.to, out.size, "%sret%s", field(word, 23, 1) ? "e" : "", field(word, 10, 1) ? "ab" : "aa");
}

static const char *const hints[128] = {
	[6] = "dgh", [7] = "xpaclri", [8] = "pacia1716", [10] = "pacib1716", [12] = "autia1716", [14] = "autib1716",
	[16] = "esb", [17] = "psb csync", [18] = "tsb csync", [20] = "csdb", [22] = "clearbhb",
	[24] = "paciaz", [25] = "paciasp", [26] = "pacibz", [27] = "pacibsp",
	[28] = "autiaz", [29] = "autiasp", [30] = "autibz", [31] = "autibsp",
	[32] = "bti", [34] = "bti c", [36] = "bti j", [38] = "bti jc",
};

static void text_hint(struct text out, uint32_t word)
{
	if (hints[field(word, 5, 7)])
		snprintf(out.to, out.size, "%s", hints[field(word, 5, 7)]);
}

static void text_barrier(struct text out, uint32_t word)
{
	(void)word;
	snprintf(out.to, out.size, "sb");
}

static const struct {
	uint32_t mask, value;
	void (*write)(struct text out, uint32_t word);
} texts[] = {
	{ 0xfffff01f, 0xd503201f, text_hint },
	{ 0xffffffff, 0xd50330ff, text_barrier },
	{ 0xfffffbff, 0xd65f0bff, text_signed_return },
	{ 0xfffffbff, 0xd69f0bff, text_signed_return },
	{ 0xffdff81f, 0xd61f081f, text_signed_branch },
	{ 0xffdff800, 0xd71f0800, text_signed_branch },
	{ 0x3ffffc00, 0x38bfc000, text_load_acquire },
	{ 0x3f208c00, 0x38200000, text_atomic },
	{ 0x3f20fc00, 0x38208000, text_atomic },
	{ 0x3fa07c00, 0x08a07c00, text_compare },
	{ 0xbfa07c00, 0x08207c00, text_compare_pair },
};

static void write_text(uint32_t word, struct arch_insn *out)
{
	struct text to = { out->text, sizeof(out->text) };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if ((word & texts[i].mask) == texts[i].value)
			texts[i].write(to, word);
}

/* ---------------------------------------------------------------- decoding */

static struct engine engine = {
	.arch = CS_ARCH_ARM64, .mode = CS_MODE_LITTLE_ENDIAN, .lock = PTHREAD_MUTEX_INITIALIZER,
};

__attribute__((destructor)) static void give_back(void)
{
	engine_close(&engine);
}

/*
 * An instruction that capstone does not know is still an instruction, except for those that are permanently
 * undefined.
 */
bool arch_user_decode(const uint8_t *code, size_t n, uint64_t addr, struct arch_insn *out)
{
	uint32_t word = n < INSN_BYTES ? 0 : word_at(code);

	if (word >> 16 == 0)
		return false;
	*out = (struct arch_insn){ .len = INSN_BYTES };
	if (!engine_decode(&engine, code, INSN_BYTES, addr, out))
		snprintf(out->text, sizeof(out->text), ".inst 0x%08x", word);
	write_text(word, out);
	describe(word, addr, out);
	return true;
}

/* ----------------------------------------------------------------- switches */

/*
 * The compiler emits a switch by a table as one piece: it loads the distance, then `add xN, xM, wN, sxtb #2`
 * (or another extension) and `br xN`.  Before an indirect tail call there is the end of the frame instead.
 */
bool arch_user_is_switch(const uint8_t *code, size_t at)
{
	uint32_t jump = word_at(code + at), add;

	if (at < INSN_BYTES || (jump & 0xfffffc1f) != 0xd61f0000)
		return false;
	add = word_at(code + at - INSN_BYTES);
	return (add & 0xffe00000) == 0x8b200000 && field(add, 0, 5) == field(jump, 5, 5);
}

/* --------------------------------------------------------------------- Go */

#define GO_TEMPORARY	27	/* the assembler's own register: compiled code does not use it */
#define GO_MOST		20	/* bytes before the last instruction: more, and the runtime would give up */

/* How the assembler computes a constant or an address in its register, the lowest five bits. */
static const struct {
	uint32_t mask, value;
} go_writers[] = {
	{ 0x1f000000, 0x10000000 },	/* adr, adrp */
	{ 0x1f000000, 0x11000000 },	/* add, sub: a constant */
	{ 0x1f000000, 0x12000000 },	/* movz, movn, movk; and, orr, eor: a constant */
	{ 0x1f000000, 0x0b000000 },	/* add, sub: a register */
	{ 0x3f000000, 0x18000000 },	/* ldr: a literal */
	{ 0x7fe0f800, 0x1ac00800 },	/* udiv, sdiv, for a remainder */
};

static bool writes_temporary(uint32_t word)
{
	for (size_t i = 0; field(word, 0, 5) == GO_TEMPORARY && i < sizeof(go_writers) / sizeof(go_writers[0]); i++)
		if ((word & go_writers[i].mask) == go_writers[i].value)
			return true;
	return false;
}

/* It only reads the register, as one of the two that most instructions can read. */
static bool reads_temporary(uint32_t word)
{
	return !branch_of(word) && !writes_temporary(word) && (field(word, 5, 5) == GO_TEMPORARY || field(word, 16, 5) == GO_TEMPORARY);
}

/* Go saves all registers where it interrupts code, except this one: in between it goes back to the first instruction. */
size_t arch_user_go_sequence(const uint8_t *code, size_t n)
{
	size_t at = 0;

	while (at + INSN_BYTES < n && at < GO_MOST && writes_temporary(word_at(code + at)))
		at += INSN_BYTES;
	return at && at + INSN_BYTES <= n && reads_temporary(word_at(code + at)) ? at : 0;
}
