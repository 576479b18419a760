// SPDX-License-Identifier: GPL-2.0-or-later
/* test_capture_verify.c - capture programs: what the verifier accepts, and what it finds out about them. */
#include "unit.h"

#include <stdbool.h>

#include "capture_insns.h"
#include "core/capture.h"
#include "ctl/base/memory.h"

struct rule {
	const char *what;
	int payload;		/* -EINVAL: refused */
	u32 filter;
	const struct kt_insn *insns;
	u32 len;
};

#define PROGRAM(...) \
	.insns = (const struct kt_insn[]){ __VA_ARGS__ }, \
	.len = ARRAY_SIZE(((const struct kt_insn[]){ __VA_ARGS__ }))
#define TAKES(bytes, filter_, text, ...) \
	{ .what = (text), .payload = (bytes), .filter = (filter_), PROGRAM(__VA_ARGS__) }
#define REFUSES(text, ...) \
	{ .what = (text), .payload = -EINVAL, PROGRAM(__VA_ARGS__) }

static void judge(const struct rule *rules, size_t nr)
{
	struct kt_insn copy[KT_MAX_PROG];
	struct kt_verdict verdict;
	int payload;

	for (size_t i = 0; i < nr; i++) {
		memcpy(copy, rules[i].insns, rules[i].len * sizeof(*copy));
		payload = kt_capture_verify(copy, rules[i].len, &verdict);
		if (payload != rules[i].payload)
			fail_msg("%s: %d, not %d", rules[i].what, payload, rules[i].payload);
		if (payload >= 0 && verdict.filter != rules[i].filter)
			fail_msg("%s: a filter of %u, not %u", rules[i].what, verdict.filter,
				 rules[i].filter);
	}
}

static void test_accepted(void **state)
{
	const struct rule rules[] = {
		TAKES(0, 0, "nothing but the fact", END),
		TAKES(4, 0, "pid", PID, END),
		TAKES(4, 0, "tgid", I(EMITCUR, .imm = KT_CUR_TGID), END),
		TAKES(8, 0, "a register", I(EMITREG, .imm = 16), END),
		TAKES(136, 0, "all registers", I(EMITREGS), END),
		TAKES(8, 0, "psr", I(PSR, .dst = 7), EMIT(7, 8), END),
		TAKES(4, 0, "cpu", I(CUR, .dst = 1, .imm = KT_CUR_CPU), EMIT(1, 4), END),
		TAKES(8, 0, "a constant of 64 bits", IMM(0, -1), I(IMMHI, .imm = 5), EMIT(0, 8), END),
		TAKES(12, 0, "a pointer followed, with its faults", I(FAULTS), I(REG, .imm = 5),
		      LOAD(U64, 1, 0, 24), LOAD(S32, 1, 1, -8), EMIT(1, 8), END),
		TAKES(4, 0, "the faults alone", I(FAULTS), END),
		TAKES(2, 0, "two bytes of faults alone", I(FAULTS2), END),
		TAKES(4, 0, "two bytes of faults and a half", I(FAULTS2), IMM(0, 1), I(EMIT2, .src = 0), END),
		TAKES(18, 0, "bytes", IMM(0, 1), I(EMITBYTES, .src = 0, .imm = 18), END),
		TAKES(6, 0, "a text", IMM(0, 1), PID, I(EMITTEXT, .src = 0, .imm = 2), END),
		TAKES(KT_PACKET_BYTES, 0, "the headers of a packet", IMM(0, 1),
		      I(EMITOBJECT, .src = 0, .aux = KT_OBJECT_PACKET, .imm = KT_PACKET_BYTES), END),
		TAKES(2 + KT_PIDS_BYTES + 4, 0, "the numbers of a task", I(FAULTS2), IMM(3, 1),
		      I(EMITOBJECT, .src = 3, .aux = KT_OBJECT_PIDS, .imm = KT_PIDS_BYTES), PID, END),
		TAKES(8, 0, "all arithmetic", IMM(0, 1), IMM(1, 2), ALU(ADD, 0, 1), ALU(SAR, 0, 1),
		      I(ADDI, .imm = 7), EMIT(0, 8), END),
		TAKES(4, 0, "two ways to the same items", IMM(0, 1), CMP(EQ, 0, 0, 2), EMIT(0, 4),
		      JUMP(1), PID, END),
		TAKES(4, 0, "two ends with the same items", IMM(0, 1), CMP(EQ, 0, 0, 2), EMIT(0, 4),
		      END, PID, END),
		TAKES(0, 0, "a jump over nothing", IMM(0, 1), CMP(EQ, 0, 0, 0), END),
		TAKES(0, 0, "a jump to the last instruction", IMM(0, 1), CMP(EQ, 0, 0, 1), IMM(1, 1),
		      END),
		TAKES(4, 0, "written on both ways", IMM(0, 1), CMP(EQ, 0, 0, 2), IMM(1, 1), JUMP(1),
		      IMM(1, 2), EMIT(1, 4), END),
		TAKES(4, 3, "a filter", IMM(0, 1), CMP(EQ, 0, 0, 1), DROP, PID, END),
		TAKES(0, 3, "a filter alone", IMM(0, 1), CMP(EQ, 0, 0, 1), DROP, END),
		TAKES(4, 6, "a filter with two drops", IMM(0, 1), CMP(EQ, 0, 0, 1), DROP,
		      CMP(NE, 0, 0, 1), JUMP(1), DROP, PID, END),
		TAKES(8, 0, "arithmetic with constants", IMM(0, 1), ALUI(SHL, 0, 3), ALUI(SMOD, 0, 0),
		      EXT(S8, 0), EMIT(0, 8), END),
		TAKES(4, 0, "a comparison's result", IMM(0, 1), IMM(1, 2), SET(SGE, 0, 1), EMIT(0, 4), END),
		TAKES(4, 3, "a filter by a constant", I(REG, .imm = 1), CMPI(GT, 0, 7, 1), DROP, PID, END),
		TAKES(0, 0, "a constant that jumps over nothing", IMM(0, 1), CMPI(EQ, 0, 1, 0), END),
		TAKES(64, 0, "a string", I(REG, .imm = 1), STR(0, 64), END),
		TAKES(KT_MAX_STR, 0, "the longest string", IMM(7, 1), STR(7, KT_MAX_STR), END),
		TAKES(16, 0, "a name", I(EMITCOMM), END),
		TAKES(512, 0, "the deepest stack", I(EMITSTACK, .imm = KT_MAX_DEPTH), END),
		TAKES(8, 0, "a stack of one", I(EMITSTACK, .imm = 1), END),
		TAKES(12, 0, "a chain with its faults", I(FAULTS), CHAIN(U64, 5, 3), LINK(0x18), LINK(0),
		      LINK(-8), END),
		TAKES(4, 0, "a chain to a byte", CHAIN(S8, 5, 1), LINK(0), END),
		TAKES(8, 0, "the longest chain", CHAIN(U64, 5, 8), LINK(0), LINK(0), LINK(0), LINK(0),
		      LINK(0), LINK(0), LINK(0), LINK(0), END),
		TAKES(16, 0, "a chain behind a chain", CHAIN(U64, 5, 1), LINK(0), CHAIN(U64, 4, 1), LINK(0),
		      END),
		TAKES(8, 0, "a jump over a chain", IMM(0, 1), CMP(EQ, 0, 0, 3), CHAIN(U64, 5, 1), LINK(0),
		      JUMP(1), EMIT(0, 8), END),
		TAKES(4, 0, "a pattern", IMM(0, 1), MATCH(1, 0, 16, 1), PATTERN(0x2a), EMIT(1, 4), END),
		TAKES(4, 5, "the longest pattern and string in a filter", IMM(0, 1), MATCH(0, 0, KT_MAX_MATCH, 1, | KT_MATCH_ENDS),
		      PATTERN(0), CMPI(EQ, 0, 1, 1), DROP, PID, END),
		TAKES(0, 0, "16 words of a pattern", IMM(0, 1), MATCH(0, 0, 1, 16), PATTERN(0), PATTERN(0), PATTERN(0),
		      PATTERN(0), PATTERN(0), PATTERN(0), PATTERN(0), PATTERN(0), PATTERN(0), PATTERN(0), PATTERN(0),
		      PATTERN(0), PATTERN(0), PATTERN(0), PATTERN(0), PATTERN(0), END),
		TAKES(4, 3, "a register anew behind the filter", IMM(0, 1), CMP(EQ, 0, 0, 1), DROP,
		      IMM(0, 1), EMIT(0, 4), END),
	};

	judge(rules, ARRAY_SIZE(rules));
}

static void test_refused(void **state)
{
	const struct rule rules[] = {
		REFUSES("no end", PID),
		REFUSES("an end on one way only", IMM(0, 1), CMP(EQ, 0, 0, 1), END, IMM(0, 1)),
		REFUSES("never records", DROP),
		REFUSES("only ever drops", IMM(0, 1), CMP(EQ, 0, 0, 1), DROP, DROP),
		REFUSES("code that is not reached", END, END),
		REFUSES("code behind a jump that is not reached", JUMP(1), PID, END),
		REFUSES("an unknown instruction", { .op = KT_NR_OPS }, END),
		REFUSES("an unknown instruction, the last one", { .op = 255 }, END),
		/* registers */
		REFUSES("register 8 written", IMM(8, 1), END),
		REFUSES("register 8 read", EMIT(8, 8), END),
		REFUSES("register 8 named where none is used", I(EMITREG, .imm = 1, .src = 8), END),
		REFUSES("emits what was not written", EMIT(0, 8), END),
		REFUSES("adds to what was not written", I(ADDI, .imm = 1), END),
		REFUSES("adds what was not written", IMM(0, 1), ALU(ADD, 0, 1), END),
		REFUSES("adds to another not written", IMM(0, 1), ALU(ADD, 1, 0), END),
		REFUSES("loads through what was not written", LOAD(U64, 0, 0, 0), END),
		REFUSES("high half of what was not written", I(IMMHI, .imm = 1), END),
		REFUSES("compares what was not written", IMM(0, 1), CMP(EQ, 1, 0, 0), END),
		REFUSES("compares with what was not written", IMM(0, 1), CMP(EQ, 0, 1, 0), END),
		REFUSES("written on one way only", IMM(0, 1), CMP(EQ, 0, 0, 1), IMM(1, 1), EMIT(1, 4),
			END),
		/* operands */
		REFUSES("register number 17", I(REG, .imm = 17), END),
		REFUSES("register number -1", I(REG, .imm = -1), END),
		REFUSES("emits register number 17", I(EMITREG, .imm = 17), END),
		REFUSES("emits register number -1", I(EMITREG, .imm = -1), END),
		REFUSES("an unknown property", I(CUR, .imm = KT_NR_CURS), END),
		REFUSES("property -1", I(CUR, .imm = -1), END),
		REFUSES("emits an unknown property", I(EMITCUR, .imm = KT_NR_CURS), END),
		REFUSES("emits the CPU, which is none of the task's", I(EMITCUR, .imm = KT_CUR_CPU),
			END),
		REFUSES("unknown arithmetic", IMM(0, 1), I(ALU, .aux = KT_NR_ALUS), END),
		REFUSES("an unknown size", IMM(0, 1), I(LOAD, .aux = KT_NR_SIZES), END),
		REFUSES("an unknown comparison", IMM(0, 1), I(CMP, .aux = KT_NR_CMPS), END),
		REFUSES("emits no bytes", IMM(0, 1), EMIT(0, 0), END),
		REFUSES("emits two bytes", IMM(0, 1), EMIT(0, 2), END),
		REFUSES("emits nine bytes", IMM(0, 1), EMIT(0, 9), END),
		REFUSES("unknown arithmetic with a constant", IMM(0, 1), I(ALUI, .aux = KT_NR_ALUS), END),
		REFUSES("arithmetic with what was not written", ALUI(ADD, 0, 1), END),
		REFUSES("an unknown width", IMM(0, 1), I(EXT, .aux = KT_NR_SIZES), END),
		REFUSES("the width of what was not written", EXT(U8, 0), END),
		REFUSES("an unknown comparison's result", IMM(0, 1), I(SET, .aux = KT_NR_CMPS), END),
		REFUSES("the result of no comparison", IMM(0, 1), SET(ALWAYS, 0, 0), END),
		REFUSES("a result of what was not written", IMM(0, 1), SET(EQ, 0, 1), END),
		REFUSES("compares what was not written with a constant", CMPI(EQ, 0, 0, 0), END),
		REFUSES("an unknown comparison with a constant", IMM(0, 1),
			I(CMPI, .aux = KT_NR_CMPS), END),
		REFUSES("always, with a constant", IMM(0, 1), CMPI(ALWAYS, 0, 0, 0), END),
		REFUSES("compares register 8 with a constant", CMPI(EQ, 8, 0, 0), END),
		REFUSES("a string at what was not written", STR(0, 8), END),
		REFUSES("a string at register 8", STR(8, 8), END),
		REFUSES("a string of no bytes", IMM(0, 1), STR(0, 0), END),
		REFUSES("a string of -4 bytes", IMM(0, 1), STR(0, -4), END),
		REFUSES("a string of six bytes", IMM(0, 1), STR(0, 6), END),
		REFUSES("a string that is too long", IMM(0, 1), STR(0, KT_MAX_STR + 4), END),
		REFUSES("no callers", I(EMITSTACK), END),
		REFUSES("-1 callers", I(EMITSTACK, .imm = -1), END),
		REFUSES("too many callers", I(EMITSTACK, .imm = KT_MAX_DEPTH + 1), END),
		REFUSES("emits a property that is no word", I(EMITCUR, .imm = KT_CUR_UID), END),
		/* chains */
		REFUSES("a chain without links", CHAIN(U64, 5, 0), END),
		REFUSES("a chain that lacks a link", CHAIN(U64, 5, 2), LINK(0), END),
		REFUSES("a chain with a link too many", CHAIN(U64, 5, 1), LINK(0), LINK(0), END),
		REFUSES("a chain that ends the program", CHAIN(U64, 5, 2), LINK(0)),
		REFUSES("a chain that is too long", CHAIN(U64, 5, 9), LINK(0), LINK(0), LINK(0), LINK(0),
			LINK(0), LINK(0), LINK(0), LINK(0), LINK(0), END),
		REFUSES("a chain from register number 17", CHAIN(U64, 17, 1), LINK(0), END),
		REFUSES("a chain to an unknown size", I(EMITCHAIN, .aux = KT_NR_SIZES, .src = 1), LINK(0),
			END),
		REFUSES("a link alone", LINK(0), END),
		REFUSES("a jump into a chain", IMM(0, 1), CMP(EQ, 0, 0, 1), CHAIN(U64, 5, 1), LINK(0), END),
		REFUSES("a chain in the filter", CHAIN(U64, 5, 1), LINK(0), IMM(0, 1), CMP(EQ, 0, 0, 1), DROP,
			END),
		/* patterns */
		REFUSES("a match of what was not written", MATCH(0, 0, 8, 1), PATTERN(0), END),
		REFUSES("a match without a pattern", IMM(0, 1), MATCH(0, 0, 8, 0), END),
		REFUSES("a match that lacks a word", IMM(0, 1), MATCH(0, 0, 8, 2), PATTERN(0), END),
		REFUSES("a match whose word is a link", IMM(0, 1), MATCH(0, 0, 8, 1), LINK(0), END),
		REFUSES("a chain whose link is a word", CHAIN(U64, 5, 1), PATTERN(0), END),
		REFUSES("a match with a word too many", IMM(0, 1), MATCH(0, 0, 8, 1), PATTERN(0), PATTERN(0), END),
		REFUSES("a match that ends the program", IMM(0, 1), MATCH(0, 0, 8, 1)),
		REFUSES("a word alone", PATTERN(0), END),
		REFUSES("a match of no bytes", IMM(0, 1), MATCH(0, 0, 0, 1), PATTERN(0), END),
		REFUSES("a match of -1 bytes", IMM(0, 1), MATCH(0, 0, -1, 1), PATTERN(0), END),
		REFUSES("a match of too many bytes", IMM(0, 1), MATCH(0, 0, KT_MAX_MATCH + 1, 1), PATTERN(0), END),
		REFUSES("a pattern of 17 words", IMM(0, 1), MATCH(0, 0, 1, 17), PATTERN(0), PATTERN(0), PATTERN(0), PATTERN(0),
			PATTERN(0), PATTERN(0), PATTERN(0), PATTERN(0), PATTERN(0), PATTERN(0), PATTERN(0), PATTERN(0),
			PATTERN(0), PATTERN(0), PATTERN(0), PATTERN(0), PATTERN(0), END),
		REFUSES("a match that is confined already", IMM(0, 1), MATCH(0, 0, 8, 0x81), PATTERN(0), END),
		REFUSES("a jump into a pattern", IMM(0, 1), CMP(EQ, 0, 0, 1), MATCH(0, 0, 8, 1), PATTERN(0), END),
		/* jumps */
		REFUSES("a jump of a constant behind the end", IMM(0, 1), CMPI(EQ, 0, 0, 1), END),
		REFUSES("a jump of a constant far behind the end", IMM(0, 1), CMPI(EQ, 0, 0, 255), END),
		REFUSES("a jump of a constant out of the filter", IMM(0, 1), CMPI(EQ, 0, 0, 2), DROP,
			IMM(0, 1), END),
		REFUSES("a jump back", IMM(0, 1), CMP(EQ, 0, 0, -1), END),
		REFUSES("a jump to itself", JUMP(-1), END),
		REFUSES("a jump behind the end", IMM(0, 1), CMP(EQ, 0, 0, 1), END),
		REFUSES("a jump far behind the end", IMM(0, 1), CMP(EQ, 0, 0, 0x7fffffff), END),
		REFUSES("a jump from the last instruction", IMM(0, 1), CMP(EQ, 0, 0, 1), END, JUMP(0)),
		REFUSES("a long jump from the last instruction", IMM(0, 1), CMP(EQ, 0, 0, 1), END,
			JUMP(0x7fffff)),
		/* output */
		REFUSES("an item on one way only", IMM(0, 1), CMP(EQ, 0, 0, 1), PID, END),
		REFUSES("the same bytes in another number of items", IMM(0, 1), CMP(EQ, 0, 0, 3),
			EMIT(0, 4), EMIT(0, 4), JUMP(1), EMIT(0, 8), END),
		REFUSES("two ends with other bytes", IMM(0, 1), CMP(EQ, 0, 0, 1), END, PID, END),
		REFUSES("two ends, one with faults", IMM(0, 1), CMP(EQ, 0, 0, 2), I(FAULTS), END, PID,
			END),
		REFUSES("too many bytes", I(EMITREGS), I(EMITREGS), I(EMITREGS), I(EMITREGS),
			I(EMITREGS), I(EMITREGS), I(EMITREGS), I(EMITREGS), END),
		REFUSES("faults twice", I(FAULTS), I(FAULTS), END),
		REFUSES("faults of both sizes", I(FAULTS2), I(FAULTS), END),
		REFUSES("masks of two sizes", IMM(0, 1), CMP(EQ, 0, 0, 3), I(FAULTS2), EMIT(0, 4), END, I(FAULTS),
			I(EMIT2, .src = 0), END),
		REFUSES("more items than a mask of two bytes has", IMM(0, 1), I(FAULTS2), PID, PID, PID, PID, PID, PID,
			PID, PID, PID, PID, PID, PID, PID, PID, PID, PID, PID, END),
		REFUSES("an odd number of bytes", IMM(0, 1), I(EMITBYTES, .src = 0, .imm = 3), END),
		REFUSES("no bytes", IMM(0, 1), I(EMITBYTES, .src = 0), END),
		REFUSES("too long a text", IMM(0, 1), I(EMITTEXT, .src = 0, .imm = KT_MAX_STR + 2), END),
		REFUSES("an object of nothing", I(EMITOBJECT, .src = 3, .imm = KT_PACKET_BYTES), END),
		REFUSES("an object of fewer bytes", IMM(0, 1), I(EMITOBJECT, .src = 0, .imm = KT_PACKET_BYTES - 2), END),
		REFUSES("an object of more bytes", IMM(0, 1), I(EMITOBJECT, .src = 0, .imm = KT_PIDS_BYTES), END),
		REFUSES("an unknown object", IMM(0, 1), I(EMITOBJECT, .src = 0, .aux = KT_NR_OBJECTS, .imm = KT_PACKET_BYTES), END),
		REFUSES("an object in the filter", IMM(0, 1), I(EMITOBJECT, .src = 0, .imm = KT_PACKET_BYTES), CMP(EQ, 0, 0, 1), DROP,
			END),
		REFUSES("a half of nothing", I(EMIT2, .src = 3), END),
		REFUSES("faults behind an item", PID, I(FAULTS), END),
		REFUSES("faults on one way only", IMM(0, 1), CMP(EQ, 0, 0, 1), I(FAULTS), END),
		/* the filter */
		REFUSES("records in the filter", IMM(0, 1), CMP(EQ, 0, 0, 1), END, CMP(EQ, 0, 0, 1),
			DROP, END),
		REFUSES("an item in the filter", PID, IMM(0, 1), CMP(EQ, 0, 0, 1), DROP, END),
		REFUSES("a register's item in the filter", I(EMITREG), IMM(0, 1), CMP(EQ, 0, 0, 1),
			DROP, END),
		REFUSES("all registers in the filter", I(EMITREGS), IMM(0, 1), CMP(EQ, 0, 0, 1), DROP,
			END),
		REFUSES("a value emitted in the filter", IMM(0, 1), EMIT(0, 4), CMP(EQ, 0, 0, 1), DROP,
			END),
		REFUSES("faults in the filter", I(FAULTS), IMM(0, 1), CMP(EQ, 0, 0, 1), DROP, END),
		REFUSES("a jump out of the filter", IMM(0, 1), CMP(EQ, 0, 0, 2), DROP, IMM(0, 1), END),
		REFUSES("a register carried out of the filter", IMM(0, 1), CMP(EQ, 0, 0, 1), DROP,
			EMIT(0, 4), END),
		REFUSES("nothing behind the filter", IMM(0, 1), CMP(EQ, 0, 0, 1), DROP),
	};

	judge(rules, ARRAY_SIZE(rules));
}

/* The limits: one below, and at each. */
static void test_limits(void **state)
{
	struct kt_insn insns[KT_MAX_PROG + 1] = { 0 }, copy[KT_MAX_PROG + 1];
	struct kt_verdict verdict;
	u32 i;

	assert_int_equal(kt_capture_verify(insns, 0, &verdict), -EINVAL);
	for (i = 0; i < KT_MAX_PROG; i++)
		insns[i] = (struct kt_insn)IMM(0, 1);
	memcpy(copy, insns, sizeof(copy));
	assert_int_equal(kt_capture_verify(copy, KT_MAX_PROG + 1, &verdict), -EINVAL);
	assert_int_equal(kt_capture_verify(copy, KT_MAX_PROG, &verdict), -EINVAL);
	insns[KT_MAX_PROG - 1] = (struct kt_insn)END;
	memcpy(copy, insns, sizeof(copy));
	assert_int_equal(kt_capture_verify(copy, KT_MAX_PROG, &verdict), 0);
	/* The last instruction drops the record, and the one before jumps over it. */
	insns[KT_MAX_PROG - 2] = (struct kt_insn)CMP(EQ, 0, 0, 1);
	insns[KT_MAX_PROG - 1] = (struct kt_insn)DROP;
	memcpy(copy, insns, sizeof(copy));
	assert_int_equal(kt_capture_verify(copy, KT_MAX_PROG, &verdict), -EINVAL);

	for (i = 0; i <= KT_MAX_ITEMS; i++)
		insns[i] = (struct kt_insn)PID;
	insns[KT_MAX_ITEMS] = (struct kt_insn)END;
	memcpy(copy, insns, sizeof(copy));
	assert_int_equal(kt_capture_verify(copy, KT_MAX_ITEMS + 1, &verdict), 4 * KT_MAX_ITEMS);
	insns[KT_MAX_ITEMS] = (struct kt_insn)PID;
	insns[KT_MAX_ITEMS + 1] = (struct kt_insn)END;
	assert_int_equal(kt_capture_verify(insns, KT_MAX_ITEMS + 2, &verdict), -EINVAL);
}

static bool needs_all(const struct kt_insn *insns, u32 len)
{
	struct kt_insn copy[KT_MAX_PROG];
	struct kt_verdict verdict;

	memcpy(copy, insns, len * sizeof(*copy));
	assert_true(kt_capture_verify(copy, len, &verdict) >= 0);
	return verdict.all_regs;
}

#define NEEDS_ALL(...) \
	needs_all((const struct kt_insn[]){ __VA_ARGS__ }, \
		  ARRAY_SIZE(((const struct kt_insn[]){ __VA_ARGS__ })))

/* On any path that reads a register that functions preserve, the instruction pointer, or the flags. */
static void test_registers_needed(void **state)
{
	for (s32 i = 0; i < KT_NR_GENERAL; i++) {
		const bool all = !kt_reg_is_scratch(kt_reg_offset(i));

		assert_int_equal(NEEDS_ALL(PID, I(EMITREG, .imm = i), END), all);
		assert_int_equal(NEEDS_ALL(I(REG, .imm = i), EMIT(0, 8), PID, END), all);
		assert_int_equal(NEEDS_ALL(CHAIN(U64, i, 1), LINK(0), END), all);
		assert_int_equal(NEEDS_ALL(I(REG, .imm = i), CMPI(EQ, 0, 1, 1), DROP, PID, END), all);
		assert_int_equal(NEEDS_ALL(IMM(0, 1), CMPI(EQ, 0, 1, 1), I(REG, .imm = i), END), all);
	}
	assert_false(NEEDS_ALL(PID, I(EMITCOMM), I(CUR, .imm = KT_CUR_TASK), EMIT(0, 8), END));
	assert_true(NEEDS_ALL(I(PSR), EMIT(0, 8), END));
	assert_true(NEEDS_ALL(I(PSR), CMPI(EQ, 0, 1, 1), DROP, END));
	assert_true(NEEDS_ALL(I(EMITREGS), END));
	assert_true(NEEDS_ALL(I(EMITSTACK, .imm = 1), END));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepted), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_limits), cmocka_unit_test(test_registers_needed),
	};

	return cmocka_run_group_tests_name("capture_verify", tests, NULL, NULL);
}
