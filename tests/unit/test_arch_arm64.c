// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_arch_arm64.c - registers, flags, decoding, prologues and switches of arm64. The GNU assembler made the
 * encodings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"

#define ADDR	0xffff800008000000ULL
#define NOP	0xd503201f
#define SAVE	0xaa1e03e9	/* mov x9, x30 */
#define CALL	0x97fffffc	/* bl .-16 */
#define SIGN	0xd503233f	/* paciasp */
#define LAND	0xd503245f	/* bti c */

#define COUNT(rows)	(sizeof(rows) / sizeof((rows)[0]))

static struct arch_insn decode(uint32_t word)
{
	uint8_t code[4] = { word, word >> 8, word >> 16, word >> 24 };
	struct arch_insn insn = { .len = 0 };

	assert_true(arch_native.decode(code, sizeof(code), ADDR, &insn));
	assert_int_equal(insn.len, 4);
	return insn;
}

static void test_registers(void **state)
{
	static const struct {
		const char *name;
		uint16_t dwarf;
		uint8_t bytes;
	} rows[] = {
		{ "x0", 0, 8 }, { "%X0", 0, 8 }, { "$w0", 0, 4 }, { "x29", 29, 8 }, { "fp", 29, 8 }, { "w29", 29, 4 },
		{ "x30", 30, 8 }, { "lr", 30, 8 }, { "sp", 31, 8 }, { "wsp", 31, 4 }, { "pc", 32, 8 }, { "w18", 18, 4 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct arch_reg *reg = arch_reg_by_name(&arch_native, rows[i].name);

		assert_non_null(reg);
		assert_int_equal(reg->dwarf, rows[i].dwarf);
		assert_int_equal(reg->bytes, rows[i].bytes);
		assert_int_equal(reg->shift, 0);
	}
	assert_int_equal(arch_reg_by_name(&arch_native, "pstate")->dwarf, arch_native.dwarf_psr);
	assert_null(arch_reg_by_name(&arch_native, "x31"));
	assert_null(arch_reg_by_name(&arch_native, "rdi"));
	assert_null(arch_reg_by_name(&arch_native, ""));
}

static void test_register_names(void **state)
{
	char name[4];

	assert_int_equal(arch_native.elf_machine, EM_AARCH64);
	assert_int_equal(arch_native.nr_all_regs, 33);
	for (unsigned int i = 0; i < 31; i++) {
		snprintf(name, sizeof(name), "x%u", i);
		assert_int_equal(arch_native.all_regs[i], i);
		assert_string_equal(arch_reg_name(&arch_native, i), name);
	}
	assert_string_equal(arch_reg_name(&arch_native, arch_native.all_regs[31]), "sp");
	assert_string_equal(arch_reg_name(&arch_native, arch_native.all_regs[32]), "pc");
	assert_string_equal(arch_reg_name(&arch_native, arch_native.dwarf_sp), "sp");
	assert_string_equal(arch_reg_name(&arch_native, arch_native.dwarf_fp), "x29");
	assert_int_equal(arch_native.nr_dwarf_args, 8);
	assert_null(arch_reg_name(&arch_native, 34));
}

static void flags_of(uint64_t psr, char names[128])
{
	*names = '\0';
	for (const struct arch_flag *flag = arch_native.flags; flag->name; flag++)
		if ((psr & flag->mask) == flag->value)
			strcat(strcat(names, flag->name), " ");
}

static void test_flags(void **state)
{
	char names[128];

	flags_of(0x60400005, names);
	assert_string_equal(names, "Z C PAN EL1h ");
	flags_of(0x804013c9, names);
	assert_string_equal(names, "N PAN SSBS D A I F EL2h ");
	flags_of(0x10000800, names);
	assert_string_equal(names, "V BTYPE2 EL0t ");
}

static void test_branches(void **state)
{
	enum { NEITHER, IS_JUMP, IS_CALL, IS_RETURN };
	static const struct {
		uint32_t word;
		const char *text;
		int kind;
		int64_t distance;	/* 0: not in the instruction */
	} rows[] = {
		{ 0x14000004, "b 0xffff800008000010", IS_JUMP, 16 },
		{ 0x16000000, "b 0xffff800000000000", IS_JUMP, -0x8000000 },
		{ 0x97fffffc, "bl 0xffff800007fffff0", IS_CALL, -16 },
		{ 0x54000041, "b.ne 0xffff800008000008", NEITHER, 8 },
		{ 0x54800000, "b.eq 0xffff800007f00000", NEITHER, -0x100000 },
		{ 0xb4000061, "cbz x1, 0xffff80000800000c", NEITHER, 12 },
		{ 0x35000061, "cbnz w1, 0xffff80000800000c", NEITHER, 12 },
		{ 0xb6080041, "tbz x1, #0x21, 0xffff800008000008", NEITHER, 8 },
		{ 0x36000040, "tbz w0, #0, 0xffff800008000008", NEITHER, 8 },
		{ 0x37fbffe1, "tbnz w1, #0x1f, 0xffff800008007ffc", NEITHER, 0x7ffc },
		{ 0x371c0001, "tbnz w1, #3, 0xffff800007ff8000", NEITHER, -0x8000 },
		{ 0xd61f0020, "br x1", IS_JUMP, 0 },
		{ 0xd61f083f, "braaz x1", IS_JUMP, 0 },
		{ 0xd61f0c3f, "brabz x1", IS_JUMP, 0 },
		{ 0xd71f0822, "braa x1, x2", IS_JUMP, 0 },
		{ 0xd71f0c22, "brab x1, x2", IS_JUMP, 0 },
		{ 0xd63f0020, "blr x1", IS_CALL, 0 },
		{ 0xd63f087f, "blraaz x3", IS_CALL, 0 },
		{ 0xd73f087f, "blraa x3, sp", IS_CALL, 0 },
		{ 0xd65f03c0, "ret", IS_RETURN, 0 },
		{ 0xd65f0020, "ret x1", IS_RETURN, 0 },
		{ 0xd65f0bff, "retaa", IS_RETURN, 0 },
		{ 0xd65f0fff, "retab", IS_RETURN, 0 },
		{ 0xd69f03e0, "eret", IS_RETURN, 0 },
		{ 0xd69f0bff, "eretaa", IS_RETURN, 0 },
		{ 0x58000081, "ldr x1, #0xffff800008000010", NEITHER, 0 },
		{ 0x100000a1, "adr x1, #0xffff800008000014", NEITHER, 0 },
		{ 0xa9be7bfd, "stp x29, x30, [sp, #-0x20]!", NEITHER, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct arch_insn insn = decode(rows[i].word);

		assert_string_equal(insn.text, rows[i].text);
		assert_int_equal(insn.target, rows[i].distance ? ADDR + rows[i].distance : 0);
		assert_int_equal(insn.is_jump, rows[i].kind == IS_JUMP);
		assert_int_equal(insn.is_call, rows[i].kind == IS_CALL);
		assert_int_equal(insn.is_return, rows[i].kind == IS_RETURN);
	}
}

/* Instructions that capstone 4 does not know. */
static void test_younger(void **state)
{
	static const struct {
		uint32_t word;
		const char *text;
	} rows[] = {
		{ SIGN, "paciasp" }, { 0xd50323bf, "autiasp" }, { 0xd503237f, "pacibsp" }, { 0xd50320ff, "xpaclri" },
		{ LAND, "bti c" }, { 0xd503249f, "bti j" }, { 0xd50324df, "bti jc" }, { 0xd503241f, "bti" },
		{ 0xd503221f, "esb" }, { 0xd503229f, "csdb" }, { 0xd503223f, "psb csync" }, { NOP, "nop" },
		{ 0xd503203f, "yield" }, { 0xd50330ff, "sb" },
		{ 0xf8e10062, "ldaddal x1, x2, [x3]" }, { 0xb8618062, "swpl w1, w2, [x3]" },
		{ 0xf821005f, "stadd x1, [x2]" }, { 0xc8e1fc62, "casal x1, x2, [x3]" },
		{ 0x48207c82, "casp x0, x1, x2, x3, [x4]" }, { 0xf8bfc041, "ldapr x1, [x2]" },
		{ 0xf8201441, ".inst 0xf8201441" },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		assert_string_equal(decode(rows[i].word).text, rows[i].text);
}

static void test_not_decoded(void **state)
{
	struct arch_insn insn;

	assert_false(arch_native.decode((const uint8_t *)"\x1f\x20\x03", 3, ADDR, &insn));
	assert_false(arch_native.decode((const uint8_t *)"\x01\x00\x00\x00", 4, ADDR, &insn));	/* udf #1 */
	assert_false(arch_native.decode((const uint8_t *)"", 0, ADDR, &insn));
}

static void test_prologue(void **state)
{
	static const struct {
		uint32_t words[4];
		size_t n, expected;
	} rows[] = {
		{ { NOP, NOP, SIGN }, 12, 8 },
		{ { SAVE, NOP, SIGN }, 12, 8 },
		{ { SAVE, CALL, SIGN }, 12, 8 },		/* live */
		{ { 0xd4200080, NOP, SIGN }, 12, 8 },		/* a kprobe's brk #4 */
		{ { 0xd4200080, SIGN }, 8, 0 },
		{ { LAND, NOP, NOP, SIGN }, 16, 12 },
		{ { LAND, SAVE, CALL, SIGN }, 16, 12 },
		{ { LAND, SIGN }, 8, 4 },
		{ { SIGN, 0xa9be7bfd }, 8, 4 },
		{ { 0xa9be7bfd, NOP, NOP }, 12, 0 },
		{ { NOP, CALL, SIGN }, 12, 0 },
		{ { SAVE, SIGN }, 8, 0 },
		{ { NOP }, 4, 0 },
		{ { LAND, NOP }, 6, 4 },			/* cut off */
		{ { 0 }, 0, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(arch_native.prologue((const uint8_t *)rows[i].words, rows[i].n, ADDR),
				 rows[i].expected);
}

static void test_switches(void **state)
{
	static const struct {
		uint32_t before, jump;
		bool expected;
	} rows[] = {
		{ 0x8b20c820, 0xd61f0000, true },	/* add x0, x1, w0, sxtw #2; br x0 */
		{ 0x8b208820, 0xd61f0000, true },	/* add x0, x1, w0, sxtb #2 */
		{ 0x8b20a820, 0xd61f0000, true },	/* add x0, x1, w0, sxth #2 */
		{ 0x8b20c821, 0xd61f0000, false },	/* another register */
		{ 0xa8c27bfd, 0xd61f0020, false },	/* ldp x29, x30, [sp], #32; br x1 */
		{ 0x8b20c820, 0xd65f03c0, false },
		{ 0x8b20c820, 0x14000004, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const uint8_t *code = (const uint8_t *)&rows[i].before;

		assert_int_equal(arch_native.is_switch(code, 4), rows[i].expected);
		assert_false(arch_native.is_switch(code + 4, 0));
	}
}

static void test_go_sequences(void **state)
{
	static const struct {
		uint32_t words[4];
		size_t n, expected;
	} rows[] = {
		{ { 0x9000001b, 0x3954b761 }, 8, 4 },			/* adrp x27, .; ldrb w1, [x27, #1325] */
		{ { 0x9000001b, 0xfd000760 }, 8, 4 },			/* str d0, [x27, #8] */
		{ { 0x9000001b, 0x9101237b, 0xa9401363 }, 12, 8 },	/* add x27, x27, #0x48; ldp x3, x4, [x27] */
		{ { 0xd282469b, 0xf2aacf1b, 0x8b1b0041 }, 12, 8 },	/* movz x27; movk x27; add x1, x2, x27 */
		{ { 0x9ac20c3b, 0x9b028761 }, 8, 4 },			/* sdiv x27, x1, x2; msub x1, x27, x2, x1 */
		{ { 0x5800001b, 0xf83b6841 }, 8, 4 },			/* ldr x27, .; str x1, [x2, x27] */
		{ { 0xb2401ffb, 0x8b1b0041 }, 8, 4 },			/* orr x27, xzr, #0xff */
		{ { 0xd14007fb, 0xa9401363 }, 8, 4 },			/* sub x27, sp, #0x1000 */
		{ { 0xd282469b, 0xf2aacf1b, NOP }, 12, 0 },
		{ { 0xd282469b, 0xf2aacf1b }, 8, 0 },			/* cut off */
		{ { 0x9000001b }, 4, 0 },
		{ { 0x90000002, 0x91002042 }, 8, 0 },			/* adrp x2, .; add x2, x2, #8 */
		{ { 0xc81bfc22, 0xb500001b }, 8, 0 },			/* stlxr w27, x2, [x1]; cbnz w27, . */
		{ { 0x9000001b, 0xb500001b }, 8, 0 },
		{ { 0x3954b761 }, 4, 0 },
		{ { 0 }, 0, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(arch_native.go_sequence((const uint8_t *)rows[i].words, rows[i].n), rows[i].expected);
}

static void test_operands(void **state)
{
	static const struct {
		const char *text;
		enum arch_operand_kind kind;
		const char *reg, *index;
		uint8_t scale;
		bool is_signed;
		int64_t constant;
	} rows[] = {
		{ "5", OPERAND_CONSTANT, NULL, NULL, 0, false, 5 }, { "#-5", OPERAND_CONSTANT, NULL, NULL, 0, false, -5 },
		{ "x0", OPERAND_REGISTER, "x0", NULL, 0, false, 0 }, { "w19", OPERAND_REGISTER, "w19", NULL, 0, false, 0 },
		{ "[x0]", OPERAND_MEMORY, "x0", NULL, 0, false, 0 }, { "[sp, 24]", OPERAND_MEMORY, "sp", NULL, 0, false, 24 },
		{ "[x29, #-8]", OPERAND_MEMORY, "x29", NULL, 0, false, -8 },
		{ "[x0, x1]", OPERAND_MEMORY, "x0", "x1", 1, false, 0 },
		{ "[x0,x1,lsl 3]", OPERAND_MEMORY, "x0", "x1", 8, false, 0 },
		{ "[x0, x1, lsl #3]", OPERAND_MEMORY, "x0", "x1", 8, false, 0 },
		{ "[x0, w1, sxtw 2]", OPERAND_MEMORY, "x0", "w1", 4, true, 0 },
		{ "[x0, w1, sxtw]", OPERAND_MEMORY, "x0", "w1", 1, true, 0 },
		{ "[x0, w1, uxtw 1]", OPERAND_MEMORY, "x0", "w1", 2, false, 0 },
	};
	static const char *const bad[] = {
		"", "#", "v0", "d0", "q1", "[w0]", "[x0", "[x0]]", "[x0]!", "[x0], 8", "[x0, w1]", "[x0, x1, sxtw]", "[x0, w1, lsl 2]",
		"[x0, x1, lsl 9]", "[x0, name]", "name", "x31", "x0 ", "5 5", "[]", "[x0,]", "[x0, x1,]",
	};
	struct arch_operand o;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!arch_native.operand(rows[i].text, &o))
			fail_msg("'%s' is not taken", rows[i].text);
		assert_int_equal(o.kind, rows[i].kind);
		assert_string_equal(o.reg ? o.reg->name : "", rows[i].reg ? rows[i].reg : "");
		assert_string_equal(o.index ? o.index->name : "", rows[i].index ? rows[i].index : "");
		assert_int_equal(o.scale, rows[i].scale);
		assert_int_equal(o.index_is_signed, rows[i].is_signed);
		assert_int_equal(o.constant, rows[i].constant);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (arch_native.operand(bad[i], &o))
			fail_msg("'%s' is taken", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_register_names),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_younger),
		cmocka_unit_test(test_not_decoded),
		cmocka_unit_test(test_prologue),
		cmocka_unit_test(test_switches),
		cmocka_unit_test(test_go_sequences),
		cmocka_unit_test(test_operands),
	};

	return cmocka_run_group_tests_name("arch arm64", tests, NULL, NULL);
}
