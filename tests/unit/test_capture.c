// SPDX-License-Identifier: GPL-2.0-or-later
/* test_capture.c - capture programs: the results of the interpreter. */
#include "unit.h"

#include <stdbool.h>
#include <stdlib.h>

#include "capture_insns.h"
#include "capture_machine.h"
#include "ctl/base/memory.h"

/* Seven times all registers and nine single ones: exactly the largest record. */
static void test_largest_payload(void **state)
{
	struct kt_insn insns[32] = { 0 };
	struct machine m;
	u32 i;

	for (i = 0; i < 16; i++)
		insns[i] = (struct kt_insn)I(EMITREG, .imm = 3);
	for (i = 0; i < 7; i++)
		insns[i].op = KT_OP_EMITREGS;
	assert_int_equal(7 * 136 + 9 * 8, KT_MAX_PAYLOAD);
	machine_reset(&m);
	assert_int_equal(machine_run(&m, insns, 17), MACHINE_RECORDED);
	assert_int_equal(m.payload, KT_MAX_PAYLOAD);
	insns[16] = (struct kt_insn)PID;
	insns[17] = (struct kt_insn)END;
	assert_int_equal(machine_run(&m, insns, 18), MACHINE_REFUSED);
}

/* This list of instructions must emit exactly these words. */
#define EMITS(machine, words, ...) \
	emits(machine, (const struct kt_insn[]){ __VA_ARGS__ }, \
	      ARRAY_SIZE(((const struct kt_insn[]){ __VA_ARGS__ })), words, ARRAY_SIZE(words))
#define WORDS(...)	((const u32[]){ __VA_ARGS__ })

static void emits(struct machine *m, const struct kt_insn *insns, u32 len, const u32 *words, u32 nr)
{
	assert_int_equal(machine_run(m, insns, len), MACHINE_RECORDED);
	assert_int_equal(m->payload, nr * 4);
	assert_memory_equal(m->out, words, nr * 4);
}

static void test_sources(void **state)
{
	struct machine m;

	machine_reset(&m);
	m.regs.general[0] = 0x1122334455667788;
	m.regs.general[16] = 0xffffffff81000005;
	m.regs.psr = 0x246;
	m.current[KT_CUR_PID] = 4127;
	m.current[KT_CUR_TGID] = 4126;
	m.current[KT_CUR_CPU] = 3;
	EMITS(&m, WORDS(4127, 4126), PID, I(EMITCUR, .imm = KT_CUR_TGID), END);
	EMITS(&m, WORDS(0x55667788, 0x11223344), I(EMITREG), END);
	EMITS(&m, WORDS(0x81000005, 0xffffffff), I(REG, .dst = 2, .imm = 16), EMIT(2, 8), END);
	EMITS(&m, WORDS(0x55667788), I(REG, .dst = 2), EMIT(2, 4), END);
	EMITS(&m, WORDS(0x246, 0), I(PSR), EMIT(0, 8), END);
	EMITS(&m, WORDS(4127, 4126, 3), I(CUR, .imm = KT_CUR_PID), EMIT(0, 4),
	      I(CUR, .imm = KT_CUR_TGID), EMIT(0, 4), I(CUR, .imm = KT_CUR_CPU), EMIT(0, 4), END);
	EMITS(&m, WORDS(0xfffffff9, 0xffffffff), IMM(0, -7), EMIT(0, 8), END);
	EMITS(&m, WORDS(0xfffffff9, 0x12345678), IMM(0, -7), I(IMMHI, .imm = 0x12345678), EMIT(0, 8),
	      END);
	EMITS(&m, WORDS(7, 0xffffffff), IMM(0, 7), I(IMMHI, .imm = -1), EMIT(0, 8), END);
}

static void test_all_registers(void **state)
{
	const struct kt_insn insns[] = { PID, I(EMITREGS), PID, END };
	struct machine m;

	machine_reset(&m);
	for (u32 i = 0; i < KT_NR_GENERAL; i++)
		m.regs.general[i] = 0x100000000ULL * i + i;
	assert_int_equal(machine_run(&m, insns, ARRAY_SIZE(insns)), MACHINE_RECORDED);
	for (u32 i = 0; i < KT_NR_GENERAL; i++) {
		assert_int_equal(m.out[1 + 2 * i], i);
		assert_int_equal(m.out[2 + 2 * i], i);
	}
}

static u64 result_of(u8 how, u64 a, u64 b)
{
	const struct kt_insn insns[] = {
		I(REG, .dst = 3, .imm = 1), I(REG, .dst = 4, .imm = 2),
		I(ALU, .aux = how, .dst = 3, .src = 4), EMIT(3, 8), END,
	};
	struct machine m;

	machine_reset(&m);
	m.regs.general[1] = a;
	m.regs.general[2] = b;
	assert_int_equal(machine_run(&m, insns, ARRAY_SIZE(insns)), MACHINE_RECORDED);
	return m.out[0] | (u64)m.out[1] << 32;
}

static void test_arithmetic(void **state)
{
	static const struct {
		u8 how;
		u64 a, b, result;
	} sums[] = {
		{ KT_ALU_ADD, 5, 7, 12 },
		{ KT_ALU_ADD, UINT64_MAX, 1, 0 },
		{ KT_ALU_SUB, 5, 7, -2ULL },
		{ KT_ALU_SUB, 1ULL << 63, 1, INT64_MAX },
		{ KT_ALU_MUL, 3, -5ULL, -15ULL },
		{ KT_ALU_MUL, 1ULL << 32, 1ULL << 32, 0 },
		{ KT_ALU_AND, 0xff00ff00, 0x0ff00ff0, 0x0f000f00 },
		{ KT_ALU_OR, 0xff00ff00, 0x0ff00ff0, 0xfff0fff0 },
		{ KT_ALU_XOR, 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0 },
		{ KT_ALU_SHL, 1, 63, 1ULL << 63 },
		{ KT_ALU_SHL, 3, 64, 3 },
		{ KT_ALU_SHR, -1ULL, 60, 15 },
		{ KT_ALU_SHR, -1ULL, 68, -1ULL >> 4 },
		{ KT_ALU_SAR, -16ULL, 2, -4ULL },
		{ KT_ALU_SAR, 16, 2, 4 },
		{ KT_ALU_SAR, INT64_MIN, 127, -1ULL },
		{ KT_ALU_DIV, 17, 5, 3 },
		{ KT_ALU_DIV, -1ULL, 2, INT64_MAX },
		{ KT_ALU_MOD, 17, 5, 2 },
		{ KT_ALU_MOD, 3, -1ULL, 3 },
		{ KT_ALU_SDIV, -17ULL, 5, -3ULL },
		{ KT_ALU_SDIV, INT64_MIN, -1ULL, INT64_MIN },
		{ KT_ALU_SMOD, -17ULL, 5, -2ULL },
		{ KT_ALU_SMOD, INT64_MIN, -1ULL, 0 },
	};
	u32 met = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sums); i++) {
		assert_int_equal(result_of(sums[i].how, sums[i].a, sums[i].b), sums[i].result);
		met |= 1U << sums[i].how;
	}
	assert_int_equal(met, (1U << KT_NR_ALUS) - 1);
}

static bool holds(u8 how, u64 a, u64 b)
{
	const struct kt_insn insns[] = {
		I(REG, .dst = 3, .imm = 1), I(REG, .dst = 4, .imm = 2),
		I(CMP, .aux = how, .dst = 3, .src = 4, .imm = 1), DROP, END,
	};
	struct machine m;

	machine_reset(&m);
	m.regs.general[1] = a;
	m.regs.general[2] = b;
	return machine_run(&m, insns, ARRAY_SIZE(insns)) == MACHINE_RECORDED;
}

static void test_comparisons(void **state)
{
	/* The right results for: 5 and 5, 5 and 7, 7 and 5, -1 and 1, 1 and -1. */
	static const bool truth[KT_NR_CMPS][5] = {
		[KT_CMP_EQ] = { 1, 0, 0, 0, 0 },  [KT_CMP_NE] = { 0, 1, 1, 1, 1 },
		[KT_CMP_LT] = { 0, 1, 0, 0, 1 },  [KT_CMP_LE] = { 1, 1, 0, 0, 1 },
		[KT_CMP_SLT] = { 0, 1, 0, 1, 0 }, [KT_CMP_SLE] = { 1, 1, 0, 1, 0 },
		[KT_CMP_GT] = { 0, 0, 1, 1, 0 },  [KT_CMP_GE] = { 1, 0, 1, 1, 0 },
		[KT_CMP_SGT] = { 0, 0, 1, 0, 1 }, [KT_CMP_SGE] = { 1, 0, 1, 0, 1 },
		[KT_CMP_ALWAYS] = { 1, 1, 1, 1, 1 },
	};
	static const u64 pairs[5][2] = { { 5, 5 }, { 5, 7 }, { 7, 5 }, { -1ULL, 1 }, { 1, -1ULL } };

	for (u8 how = 0; how < KT_NR_CMPS; how++)
		for (int i = 0; i < 5 && how != KT_CMP_ALWAYS; i++)
			assert_int_equal(holds(how, pairs[i][0], pairs[i][1]), truth[how][i]);
}

/* A conditional jump that is taken, one that is not, and an unconditional one. */
static void test_jumps(void **state)
{
	struct machine m;

	machine_reset(&m);
	EMITS(&m, WORDS(2), IMM(0, 1), CMP(EQ, 0, 0, 2), EMIT(0, 4), END, IMM(0, 2), EMIT(0, 4), END);
	EMITS(&m, WORDS(1), IMM(0, 1), CMP(NE, 0, 0, 2), EMIT(0, 4), END, IMM(0, 2), EMIT(0, 4), END);
	EMITS(&m, WORDS(3), IMM(0, 3), IMM(1, 3), CMP(SLE, 0, 1, 1), IMM(0, 4), JUMP(0), EMIT(0, 4),
	      END);
	EMITS(&m, WORDS(5), IMM(0, 9), CMP(NE, 0, 0, 2), IMM(1, 5), JUMP(1), IMM(1, 6), EMIT(1, 4),
	      END);
}

/* Also with a jump to the very end of the filter. */
static void test_filter(void **state)
{
	const struct kt_insn insns[] = {
		I(CUR, .imm = KT_CUR_PID), IMM(1, 100), CMP(LT, 0, 1, 3), IMM(2, 200),
		CMP(LT, 0, 2, 1), DROP, PID, END,
	};
	struct machine m;

	machine_reset(&m);
	for (u32 pid = 0; pid < 300; pid++) {
		m.current[KT_CUR_PID] = pid;
		assert_int_equal(machine_run(&m, insns, ARRAY_SIZE(insns)),
				 pid < 200 ? MACHINE_RECORDED : MACHINE_FILTERED);
		assert_true(pid >= 200 || m.out[0] == pid);
	}
	assert_int_equal(m.filter, 7); /* with its END */
	assert_int_equal(m.len, 9);
}

static void test_loads(void **state)
{
	static const struct {
		u8 size;
		u32 low, high;
	} loads[] = {
		{ KT_SIZE_U8, 0x88, 0 },	   { KT_SIZE_S8, 0xffffff88, 0xffffffff },
		{ KT_SIZE_U16, 0x9988, 0 },	   { KT_SIZE_S16, 0xffff9988, 0xffffffff },
		{ KT_SIZE_U32, 0xbbaa9988, 0 },	   { KT_SIZE_S32, 0xbbaa9988, 0xffffffff },
		{ KT_SIZE_U64, 0xbbaa9988, 0x7fddcc },
	};
	struct kt_insn insns[] = {
		I(REG, .dst = 1, .imm = 5), LOAD(U8, 2, 1, 8), EMIT(2, 8), END,
	};
	struct machine m;

	machine_reset(&m);
	memcpy(m.memory, "\x88\x99\xaa\xbb\xcc\xdd\x7f\0\x01", 9);
	m.regs.general[5] = MACHINE_MEMORY - 8;
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
		insns[1].aux = loads[i].size;
		assert_int_equal(machine_run(&m, insns, ARRAY_SIZE(insns)), MACHINE_RECORDED);
		assert_int_equal(m.out[0], loads[i].low);
		assert_int_equal(m.out[1], loads[i].high);
	}
	/* A positive value is not sign-extended. */
	m.memory[0] = m.memory[1] = m.memory[3] = 0x7f;
	for (size_t i = 1; i < 6; i += 2) {
		insns[1].aux = loads[i].size;
		assert_int_equal(machine_run(&m, insns, ARRAY_SIZE(insns)), MACHINE_RECORDED);
		assert_int_equal(m.out[1], 0);
	}
}

#define BAD	0x10	/* an unmapped address */

/* Bit n belongs to the n-th item after the mask, however the bad memory leads to it. */
static void test_faults(void **state)
{
	struct machine m;

	machine_reset(&m);
	m.memory[0] = 77;
	m.regs.general[5] = MACHINE_MEMORY;
	EMITS(&m, WORDS(0, 77), I(FAULTS), I(REG, .imm = 5), LOAD(U8, 0, 0, 0), EMIT(0, 4), END);
	EMITS(&m, WORDS(1, 0), I(FAULTS), IMM(0, BAD), LOAD(U8, 0, 0, 0), EMIT(0, 4), END);
	EMITS(&m, WORDS(0), IMM(0, BAD), LOAD(U8, 0, 0, 0), EMIT(0, 4), END);
	EMITS(&m, WORDS(2, 5, 0, 5), I(FAULTS), IMM(1, 5), IMM(0, BAD), LOAD(U64, 0, 0, 0), EMIT(1, 4),
	      EMIT(0, 4), EMIT(1, 4), END);
	/* Faults pass through a chain, a sum, the high half of a constant; not into a new value. */
	EMITS(&m, WORDS(1, 0, 0), I(FAULTS), IMM(0, BAD), LOAD(U64, 0, 0, 0), LOAD(U64, 0, 0, 0),
	      EMIT(0, 8), END);
	EMITS(&m, WORDS(1, 8), I(FAULTS), IMM(1, 8), IMM(0, BAD), LOAD(U64, 0, 0, 0), ALU(ADD, 1, 0),
	      EMIT(1, 4), END);
	EMITS(&m, WORDS(1, 8), I(FAULTS), IMM(1, 8), IMM(0, BAD), LOAD(U64, 0, 0, 0), ALU(ADD, 0, 1),
	      EMIT(0, 4), END);
	EMITS(&m, WORDS(1, 9), I(FAULTS), IMM(0, BAD), LOAD(U64, 0, 0, 0), I(ADDI, .imm = 9),
	      EMIT(0, 4), END);
	EMITS(&m, WORDS(1, 0, 9), I(FAULTS), IMM(0, BAD), LOAD(U64, 0, 0, 0), I(IMMHI, .imm = 9),
	      EMIT(0, 8), END);
	EMITS(&m, WORDS(0, 6), I(FAULTS), IMM(0, BAD), LOAD(U64, 0, 0, 0), IMM(0, 6), EMIT(0, 4), END);
	EMITS(&m, WORDS(0, 77), I(FAULTS), I(REG, .dst = 1, .imm = 5), IMM(0, BAD), LOAD(U64, 0, 0, 0),
	      LOAD(U8, 0, 1, 0), EMIT(0, 4), END);
	/* The mask must be the first item, but need not be the first instruction. */
	EMITS(&m, WORDS(2, 3, 0), IMM(1, 3), IMM(0, BAD), I(FAULTS), EMIT(1, 4), LOAD(U64, 0, 0, 0),
	      EMIT(0, 4), END);
	EMITS(&m, WORDS(1, 0, 0), I(FAULTS), CHAIN(U64, 1, 1), LINK(BAD), END);
	/* Items of other kinds count, too. */
	m.current[KT_CUR_PID] = 4;
	m.regs.general[0] = 3;
	EMITS(&m, WORDS(4, 4, 3, 0, 0), I(FAULTS), PID, I(EMITREG), IMM(0, BAD), LOAD(U64, 0, 0, 0),
	      EMIT(0, 4), END);
}

/* If a value cannot be read, no comparison with it holds, nor the opposite, and it has no value. */
static void test_unknown(void **state)
{
	struct machine m;

	machine_reset(&m);
	for (u8 how = 0; how < KT_NR_CMPS; how++) {
		const struct kt_insn with_constant[] = {
			IMM(3, BAD), LOAD(U64, 3, 3, 0), I(CMPI, .aux = how, .dst = 3, .src = 1), DROP, END,
		};
		const struct kt_insn left[] = {
			IMM(3, BAD), IMM(1, 0), LOAD(U64, 3, 3, 0),
			I(CMP, .aux = how, .dst = 3, .src = 1, .imm = 1), DROP, END,
		};
		const struct kt_insn right[] = {
			IMM(3, BAD), IMM(1, 0), LOAD(U64, 3, 3, 0),
			I(CMP, .aux = how, .dst = 1, .src = 3, .imm = 1), DROP, END,
		};

		if (how == KT_CMP_ALWAYS)
			continue;
		assert_int_equal(machine_run(&m, with_constant, 5), MACHINE_FILTERED);
		assert_int_equal(machine_run(&m, left, 6), MACHINE_FILTERED);
		assert_int_equal(machine_run(&m, right, 6), MACHINE_FILTERED);
	}
	EMITS(&m, WORDS(1, 1), I(FAULTS), IMM(0, BAD), LOAD(U64, 0, 0, 0), IMM(1, 0), SET(EQ, 0, 1),
	      EMIT(0, 4), END);
	EMITS(&m, WORDS(1, 7), I(FAULTS), IMM(0, 7), ALUI(DIV, 0, 0), EMIT(0, 4), END);
	EMITS(&m, WORDS(1, 7), I(FAULTS), IMM(0, 7), IMM(1, 0), ALU(SMOD, 0, 1), EMIT(0, 4), END);
	EMITS(&m, WORDS(1, 0), I(FAULTS), IMM(0, BAD), LOAD(U64, 0, 0, 0), EXT(S8, 0), ALUI(MUL, 0, 5),
	      EMIT(0, 4), END);
}

/* Usual filters have a fast path; this tests the filters that it does not know. */
static void test_long_filters(void **state)
{
	struct kt_insn insns[] = {
		I(REG, .dst = 0, .imm = 5), LOAD(U8, 0, 0, 0), CMPI(EQ, 0, 0x41, 1), DROP,
		I(CUR, .dst = 0, .imm = KT_CUR_PID), CMPI(EQ, 0, 9, 1), DROP, END,
	};
	struct machine m;

	for (u8 r = 0; r < KT_NR_REGS; r++) {
		machine_reset(&m);
		m.regs.general[5] = MACHINE_MEMORY + MACHINE_BYTES - 1;
		m.memory[MACHINE_BYTES - 1] = 0x41;
		m.current[KT_CUR_PID] = 9;
		insns[0].dst = insns[1].dst = insns[1].src = insns[2].dst = r;
		insns[4].dst = insns[5].dst = KT_NR_REGS - 1 - r;
		assert_int_equal(machine_run(&m, insns, 8), MACHINE_RECORDED);
		m.current[KT_CUR_PID] = 8;
		assert_int_equal(machine_run(&m, insns, 8), MACHINE_FILTERED);
		m.current[KT_CUR_PID] = 9;
		m.memory[MACHINE_BYTES - 1] = 0x42;
		assert_int_equal(machine_run(&m, insns, 8), MACHINE_FILTERED);
		m.regs.general[5] = BAD;
		assert_int_equal(machine_run(&m, insns, 8), MACHINE_FILTERED);
	}
}

static void test_widths(void **state)
{
	struct machine m;

	machine_reset(&m);
	m.regs.general[1] = 0x1122334455f8e8d8;
	EMITS(&m, WORDS(0xd8, 0), I(REG, .imm = 1), EXT(U8, 0), EMIT(0, 8), END);
	EMITS(&m, WORDS(0xe8d8, 0), I(REG, .imm = 1), EXT(U16, 0), EMIT(0, 8), END);
	EMITS(&m, WORDS(0x55f8e8d8, 0), I(REG, .imm = 1), EXT(U32, 0), EMIT(0, 8), END);
	EMITS(&m, WORDS(0x55f8e8d8, 0x11223344), I(REG, .imm = 1), EXT(U64, 0), EMIT(0, 8), END);
	EMITS(&m, WORDS(0xffffffd8, 0xffffffff), I(REG, .imm = 1), EXT(S8, 0), EMIT(0, 8), END);
	EMITS(&m, WORDS(0xffffe8d8, 0xffffffff), I(REG, .imm = 1), EXT(S16, 0), EMIT(0, 8), END);
	EMITS(&m, WORDS(0x55f8e8d8, 0), I(REG, .imm = 1), EXT(S32, 0), EMIT(0, 8), END);
	EMITS(&m, WORDS(1, 0), I(REG, .imm = 1), IMM(1, 0), SET(GT, 0, 1), EMIT(0, 4), SET(LT, 0, 1),
	      EMIT(0, 4), END);
}

/* Links of one to eight words, each of which points at the next; and a bad link at each position. */
static void test_chains(void **state)
{
	struct machine m;

	machine_reset(&m);
	m.regs.general[3] = MACHINE_MEMORY - 8;
	for (u32 i = 0; i < 8; i++) {
		u64 next = MACHINE_MEMORY + 8 * i;

		memcpy(m.memory + 8 * i, &next, 8);
	}
	for (u32 n = 1; n <= KT_MAX_LINKS; n++) {
		struct kt_insn insns[KT_MAX_LINKS + 4] = { I(FAULTS), CHAIN(U64, 3, n) };
		const u64 end = MACHINE_MEMORY + 8 * (n - 1);

		for (u32 i = 0; i < n; i++)
			insns[2 + i] = (struct kt_insn)LINK(8);
		insns[2 + n] = (struct kt_insn)PID;
		insns[3 + n] = (struct kt_insn)END;
		assert_int_equal(machine_run(&m, insns, n + 4), MACHINE_RECORDED);
		assert_int_equal(m.payload, 16);
		assert_int_equal(m.out[0], 0);
		assert_int_equal(m.out[1] | (u64)m.out[2] << 32, end);
		insns[2 + n] = (struct kt_insn)END;
		assert_int_equal(machine_run(&m, insns, n + 3), MACHINE_RECORDED);
		assert_int_equal(m.out[1] | (u64)m.out[2] << 32, end);
		for (u32 i = 0; i < n; i++) {
			insns[2 + i].imm = 0x1000;
			assert_int_equal(machine_run(&m, insns, n + 3), MACHINE_RECORDED);
			assert_memory_equal(m.out, WORDS(1, 0, 0), 12);
			insns[2 + i].imm = 8;
		}
		insns[1].aux = KT_SIZE_U16;
		assert_int_equal(machine_run(&m, insns, n + 3), MACHINE_RECORDED);
		assert_int_equal(m.payload, 8);
		assert_int_equal(m.out[1], (u16)end);
	}
}

static void reads_part(struct machine *m, u64 addr, u32 bytes, const char *expected, bool faults)
{
	const struct kt_insn insns[] = { I(FAULTS), I(REG, .imm = 5), STR(0, bytes), PID, END };
	char padded[KT_MAX_STR] = "";

	memcpy(padded, expected, strnlen(expected, bytes));
	m->regs.general[5] = addr;
	assert_int_equal(machine_run(m, insns, ARRAY_SIZE(insns)), MACHINE_RECORDED);
	assert_int_equal(m->payload, 4 + bytes + 4);
	assert_int_equal(m->out[0], faults);
	assert_memory_equal(m->out + 1, padded, bytes);
}

static void reads_string(struct machine *m, u64 addr, u32 bytes, const char *expected)
{
	reads_part(m, addr, bytes, expected, false);
}

/* At each offset in a word and of each length, up to the end of readable memory. */
static void test_strings(void **state)
{
	struct machine m;

	machine_reset(&m);
	for (u32 at = 0; at < 20; at++) {
		for (u32 len = 0; len < 30; len++) {
			char text[32] = "";

			memset(text, 'x', len);
			memset(m.memory, 'y', sizeof(m.memory));
			memcpy(m.memory + at, text, len + 1);
			reads_string(&m, MACHINE_MEMORY + at, 12, text);
			reads_string(&m, MACHINE_MEMORY + at, 32, text);
		}
	}
	memset(m.memory, 'z', sizeof(m.memory));
	for (u32 left = 1; left < 16; left++) {
		/* Its page ends before the string does. */
		reads_part(&m, MACHINE_MEMORY + MACHINE_BYTES - left, 16, "zzzzzzzzzzzzzzzz" + 16 - left, true);
		if (left % 4 == 0)
			reads_string(&m, MACHINE_MEMORY + MACHINE_BYTES - left, left, "zzzzzzzzzzzzzzzz");
	}
	m.memory[MACHINE_BYTES - 1] = '\0';
	reads_string(&m, MACHINE_MEMORY + MACHINE_BYTES - 3, 16, "zz");
	reads_string(&m, MACHINE_MEMORY + MACHINE_BYTES - 1, 16, "");
	reads_part(&m, BAD, 16, "?", true);	/* KT_NO_TEXT */
}

static void test_task_and_stack(void **state)
{
	struct machine m;

	machine_reset(&m);
	memcpy(m.comm, "kworker/0:1", 12);
	m.callers[0] = 0xffffffff81000001;
	m.callers[1] = 0xffffffff81000002;
	EMITS(&m, WORDS(0x726f776b, 0x2f72656b, 0x00313a30, 0), I(EMITCOMM), END);
	EMITS(&m, WORDS(0x81000001, 0xffffffff), I(EMITSTACK, .imm = 1), END);
	EMITS(&m, WORDS(0x81000001, 0xffffffff, 0x81000002, 0xffffffff, 0, 0, 0), I(EMITSTACK, .imm = 3),
	      PID, END);
	m.current[KT_CUR_TASK] = MACHINE_MEMORY;
	m.memory[4] = 7;
	EMITS(&m, WORDS(7), I(CUR, .imm = KT_CUR_TASK), LOAD(U8, 0, 0, 4), EMIT(0, 4), END);
}

/* The 32 bits of the mask are enough for all items. */
static void test_fault_of_the_last(void **state)
{
	struct kt_insn insns[KT_MAX_ITEMS + 4] = { I(FAULTS), IMM(0, BAD), LOAD(U64, 1, 0, 0) };
	struct machine m;

	for (u32 i = 0; i < KT_MAX_ITEMS; i++)
		insns[3 + i] = (struct kt_insn)EMIT(0, 4);
	insns[2 + KT_MAX_ITEMS] = (struct kt_insn)EMIT(1, 4);
	machine_reset(&m);
	assert_int_equal(machine_run(&m, insns, ARRAY_SIZE(insns)), MACHINE_RECORDED);
	assert_int_equal(m.out[0], 1U << 31);
}

/* The first and the last readable byte, and those beside them. */
static void test_edges(void **state)
{
	struct kt_insn insns[] = { I(FAULTS), I(REG, .imm = 5), LOAD(U64, 0, 0, 0), EMIT(0, 4), END };
	struct machine m;

	machine_reset(&m);
	m.regs.general[5] = MACHINE_MEMORY;
	for (int offset = -8; offset < MACHINE_BYTES + 8; offset++) {
		insns[2].imm = offset;
		assert_int_equal(machine_run(&m, insns, ARRAY_SIZE(insns)), MACHINE_RECORDED);
		assert_int_equal(m.out[0], offset < 0 || offset > MACHINE_BYTES - 8);
	}
}

/* Memory of the kernel is unreadable for a program that is confined to user memory, by whatever instruction. */
static void test_confined(void **state)
{
	const struct kt_insn insns[] = {
		I(FAULTS), I(REG, .dst = 1, .imm = 5),
		I(LOAD, .dst = 2, .src = 1, .aux = KT_SIZE_U64), EMIT(2, 8),
		I(LOAD, .dst = 2, .src = 1, .aux = KT_SIZE_U16), EMIT(2, 4),
		I(EMITSTR, .src = 1, .imm = 8), I(EMITBYTES, .src = 1, .imm = 4),
		I(EMITCHAIN, .src = 1, .aux = KT_SIZE_U64, .imm = 5), I(LINK, .imm = 0),
		I(EMITCHAIN, .src = 2, .aux = KT_SIZE_U32, .imm = 5), I(LINK, .imm = 0), I(LINK, .imm = 8), END,
	};
	static const struct kt_insn stack[] = { I(EMITSTACK, .imm = 2), END };
	struct machine m;

	machine_reset(&m);
	memset(m.memory, 'x', sizeof(m.memory));
	m.regs.general[5] = MACHINE_MEMORY;
	assert_int_equal(machine_run(&m, insns, ARRAY_SIZE(insns)), MACHINE_RECORDED);
	assert_int_equal(m.out[0], 1 << 5);	/* the second link leads nowhere */
	m.confined = true;
	assert_int_equal(machine_run(&m, insns, ARRAY_SIZE(insns)), MACHINE_RECORDED);
	assert_int_equal(m.out[0], 0x3f);
	for (u32 i = 1; i < m.payload / 4; i++)
		assert_int_equal(m.out[i], i == 4 ? KT_NO_TEXT : 0);
	assert_int_equal(machine_run(&m, stack, ARRAY_SIZE(stack)), MACHINE_REFUSED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_largest_payload),
		cmocka_unit_test(test_sources), cmocka_unit_test(test_all_registers),
		cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_comparisons),
		cmocka_unit_test(test_jumps), cmocka_unit_test(test_filter),
		cmocka_unit_test(test_loads), cmocka_unit_test(test_faults),
		cmocka_unit_test(test_unknown), cmocka_unit_test(test_long_filters),
		cmocka_unit_test(test_widths), cmocka_unit_test(test_chains),
		cmocka_unit_test(test_strings), cmocka_unit_test(test_task_and_stack),
		cmocka_unit_test(test_fault_of_the_last), cmocka_unit_test(test_edges),
		cmocka_unit_test(test_confined),
	};

	return cmocka_run_group_tests_name("capture", tests, NULL, NULL);
}
