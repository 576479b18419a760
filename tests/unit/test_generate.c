// SPDX-License-Identifier: GPL-2.0-or-later
/* test_generate.c - generated code for capture programs: on the CPU of this machine, compared with the interpreter. */
#include "unit.h"

#include "capture_code.h"
#include "capture_insns.h"
#include "ctl/base/memory.h"

/* The list of instructions has code that records the same as the interpreter.  Returns how often it gave up: 0 or 1. */
#define SAME(machine, ...) \
	same(machine, (const struct kt_insn[]){ __VA_ARGS__ }, ARRAY_SIZE(((const struct kt_insn[]){ __VA_ARGS__ })))

static u32 same(struct machine *m, const struct kt_insn *insns, u32 len)
{
	struct machine code = *m;
	const u32 before = code_given_up;

	assert_int_equal(machine_run(m, insns, len), MACHINE_RECORDED);
	assert_true(code_run(&code, insns, len));
	assert_int_equal(code.payload, m->payload);
	assert_memory_equal(code.out, m->out, m->payload);
	return code_given_up - before;
}

static bool has_code(const struct kt_insn *insns, u32 len)
{
	struct machine m;

	machine_reset(&m);
	assert_int_equal(machine_run(&m, insns, len), MACHINE_RECORDED);
	return code_run(&m, insns, len);
}

static void test_items(void **state)
{
	struct machine m;

	srand(5);
	machine_reset(&m);
	machine_dice(&m);
	m.regs.general[5] = MACHINE_MEMORY + 8;
	for (u64 at = 0; at < MACHINE_BYTES; at += 8)
		memcpy(m.memory + at, &(u64){ MACHINE_MEMORY + (at + 8) % 48 }, 8);
	m.syscall = true;
	assert_int_equal(SAME(&m, END), 0);
	assert_int_equal(SAME(&m, PID, I(EMITCUR, .imm = KT_CUR_TGID), END), 0);
	assert_int_equal(SAME(&m, I(EMITREG, .imm = 5), I(EMITREG, .imm = 3), END), 0);
	assert_int_equal(SAME(&m, I(FAULTS), CHAIN(U64, 5, 3), LINK(0), LINK(8), LINK(-4), END), 0);
	assert_int_equal(SAME(&m, I(FAULTS2), CHAIN(S8, 5, 2), LINK(0), LINK(3), END), 0);
	assert_int_equal(SAME(&m, I(REG, .imm = 5), I(EMITBYTES, .imm = 14), I(EMITBYTES, .imm = 16), END), 0);
	assert_int_equal(SAME(&m, I(ARG, .dst = 2, .imm = 5), EMIT(2, 8), I(EMITARG, .aux = 2, .imm = 1), END), 0);
	assert_int_equal(SAME(&m, I(CUR, .imm = KT_CUR_TGID), EMIT(0, 4), I(EMIT2, .src = 0), END), 0);
}

/* Offsets that are too large, or too odd, for the short form of an instruction. */
static void test_long(void **state)
{
	struct kt_insn insns[KT_MAX_ITEMS + 2] = { I(REG, .imm = 5), I(EMIT2, .src = 0) };
	struct machine m;
	u32 n;

	srand(4);
	machine_reset(&m);
	machine_dice(&m);
	m.regs.general[5] = MACHINE_MEMORY;
	for (n = 2; n < 8; n++)
		insns[n] = (struct kt_insn)I(EMITBYTES, .imm = 64);
	for (; n < KT_MAX_ITEMS; n++)
		insns[n] = (struct kt_insn)EMIT(0, n % 3 ? 8 : 4);
	insns[n++] = (struct kt_insn)I(EMIT2, .src = 0);
	insns[n++] = (struct kt_insn)END;
	assert_int_equal(same(&m, insns, n), 0);
}

/* Every operation with every pair of registers that the code has. */
static void test_operations(void **state)
{
	struct machine m;

	srand(6);
	for (u32 i = 0; i < 2000; i++) {
		const u8 a = rand() % 4, b = rand() % 4, alu = rand() % KT_ALU_DIV, size = rand() % KT_NR_SIZES;

		machine_reset(&m);
		machine_dice(&m);
		assert_int_equal(SAME(&m, I(REG, .dst = a, .imm = 5), I(REG, .dst = b, .imm = 4),
				      I(ALU, .dst = a, .src = b, .aux = alu), EMIT(a, 8),
				      I(ALUI, .dst = b, .aux = alu, .imm = (s32)dice_value()), EMIT(b, 8),
				      I(EXT, .dst = b, .aux = size), EMIT(b, 8), I(ADDI, .dst = b, .imm = rand()), EMIT(b, 8),
				      I(SET, .dst = a, .src = b, .aux = a_comparison()), EMIT(a, 4),
				      IMM(a, (s32)dice_value()), I(IMMHI, .dst = a, .imm = (s32)dice_value()), EMIT(a, 8), END), 0);
	}
}

/* A jump that depends on a comparison just before, both ways; with a register that only has an argument so far. */
static void test_conditions(void **state)
{
	struct machine m;

	srand(9);
	for (u32 i = 0; i < 2000; i++) {
		const u8 how = a_comparison();
		const s32 with = rand() % 2;

		machine_reset(&m);
		machine_dice(&m);
		assert_int_equal(SAME(&m, IMM(0, rand() % 3), IMM(1, rand() % 3), I(REG, .dst = 2, .imm = 5),
				      I(SET, .dst = 0, .src = 1, .aux = how), CMPI(EQ, 0, with, 2), CMPI(EQ, 0, 1 - with, 2),
				      JUMP(2), IMM(2, 7), JUMP(0), EMIT(2, 8), EMIT(0, 4), END), 0);
	}
}

static void test_gives_up(void **state)
{
	struct machine m;

	machine_reset(&m);
	m.regs.general[5] = MACHINE_MEMORY + MACHINE_BYTES - 4;
	assert_int_equal(SAME(&m, I(FAULTS), I(REG, .imm = 5), LOAD(U64, 1, 0, 0), EMIT(1, 8), PID, END), 1);
	assert_int_equal(m.out[0], 1);
	assert_int_equal(SAME(&m, I(FAULTS), I(REG, .imm = 5), LOAD(U32, 1, 0, 0), EMIT(1, 8), PID, END), 0);
	assert_int_equal(SAME(&m, I(FAULTS2), I(EMITARG, .aux = 8), END), 1);
}

/* Texts of all lengths at all addresses; the code gives up where kt_load_text() does not reach the end. */
static void test_texts(void **state)
{
	const struct kt_insn text[] = { I(ARG, .imm = 1), I(EMITTEXT, .imm = 8), END };
	u32 fast = 0, total = 0;

	assert_int_equal(has_code(text, ARRAY_SIZE(text)), CODE_TEXTS);
	srand(8);
	for (u32 at = 0; CODE_TEXTS && at < MACHINE_BYTES; at++)
		for (u32 length = 0; length < 40; length++) {
			struct machine m;

			machine_reset(&m);
			machine_dice(&m);
			m.syscall = true;
			memset(m.memory, 'x', MACHINE_BYTES);
			if (at + length < MACHINE_BYTES)
				m.memory[at + length] = 0;
			m.args[0] |= 1;
			m.args[1] = m.args[3] = MACHINE_MEMORY + at;
			total++;
			fast += !SAME(&m, I(FAULTS2), I(EMITARG, .aux = 4, .imm = 0), I(ARG, .dst = 1, .imm = 1),
				      I(EMITTEXT, .src = 1, .imm = 32), I(EMITARG, .aux = 2, .imm = 2),
				      I(ARG, .dst = 2, .imm = 3), I(EMITTEXT, .src = 2, .imm = 24),
				      I(EMITARG, .aux = 8, .imm = 4), EMIT(1, 8), END);
		}
	print_message("%u of %u texts were fast\n", fast, total);
	assert_in_range(fast, total / 10, total / 2);
}

static void test_no_code(void **state)
{
	const struct kt_insn division[] = { IMM(0, 3), ALUI(DIV, 0, 2), EMIT(0, 8), END };
	const struct kt_insn stack[] = { I(EMITSTACK, .imm = 2), END };
	const struct kt_insn text[] = { I(REG, .imm = 5), I(EMITTEXT, .imm = 8), END };
	const struct kt_insn jump[] = { I(ARG, .imm = 1), CMPI(EQ, 0, 1, 1), IMM(0, 2), I(EMITTEXT, .imm = 8), END };
	struct kt_insn many[20];
	u32 i;

	assert_false(has_code(text, ARRAY_SIZE(text)));
	assert_false(has_code(jump, ARRAY_SIZE(jump)));

	assert_false(has_code(division, ARRAY_SIZE(division)));
	assert_false(has_code(stack, ARRAY_SIZE(stack)));
	/* The last programs of these use more registers than the generator has for a program. */
	for (i = 0; i < KT_NR_REGS; i++) {
		many[2 * i] = (struct kt_insn)IMM(i, i);
		many[2 * i + 1] = (struct kt_insn)EMIT(i, 8);
		many[2 * i + 2] = (struct kt_insn)END;
		assert_int_equal(has_code(many, 2 * i + 3), i < CODE_REGISTERS);
	}
}

/* The length does not depend on the address, and a small room is not exceeded. */
static void test_room(void **state)
{
	const struct kt_insn insns[] = { PID, CMP(EQ, 0, 0, 0), END };
	const struct kt_insn program[] = { IMM(0, 1), CMPI(EQ, 0, 1, 1), IMM(0, 2), EMIT(0, 8), END };
	const int n = code_generate(program, ARRAY_SIZE(program), NULL, 0, 0);

	(void)insns;
	for (int room = 0; room < n; room++) {
		u8 *out = malloc(room);

		assert_int_equal(code_generate(program, ARRAY_SIZE(program), out, room, 0xffffffffc0000000), n);
		free(out);
	}
}

/* Calls do not reach so far. */
static void test_far(void **state)
{
	const struct kt_insn program[] = { I(REG, .imm = 5), LOAD(U32, 1, 0, 0), EMIT(1, 8), END };
	const int n = code_generate(program, ARRAY_SIZE(program), NULL, 0, 0);
	u8 out[256];

	assert_in_range(n, 1, sizeof(out));
	assert_int_equal(code_generate(program, ARRAY_SIZE(program), out, n, (unsigned long)out ^ 1UL << 40),
			 CODE_NEAR ? -EOPNOTSUPP : n);
}

static void test_random(void **state)
{
	u32 made = 0, total = 0;

	unit_random();
	code_given_up = 0;
	for (u32 i = 0; i < unit_rounds(60000); i++) {
		struct kt_insn insns[KT_MAX_PROG];
		struct machine m, code;
		u32 len;

		dice_registers = 1 + rand() % CODE_REGISTERS;
		len = random_program(insns);
		machine_reset(&m);
		machine_dice(&m);
		/* Otherwise most programs would use what only the interpreter has. */
		replace_rare(insns, len);
		if (machine_run(&m, insns, len) != MACHINE_RECORDED)
			continue;
		total++;
		code = m;
		memset(code.out, 0xaa, sizeof(code.out));
		if (!code_run(&code, insns, len))
			continue;
		made++;
		assert_int_equal(code.payload, m.payload);
		assert_memory_equal(code.out, m.out, m.payload);
	}
	print_message("%u of %u programs have code, which gave up in %u\n", made, total, code_given_up);
	assert_true(made > unit_rounds(10000) && code_given_up > unit_rounds(1000) && code_given_up < made / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_items), cmocka_unit_test(test_long), cmocka_unit_test(test_operations),
		cmocka_unit_test(test_conditions), cmocka_unit_test(test_gives_up), cmocka_unit_test(test_texts),
		cmocka_unit_test(test_no_code), cmocka_unit_test(test_room), cmocka_unit_test(test_far), cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests_name("generate", tests, NULL, NULL);
}
