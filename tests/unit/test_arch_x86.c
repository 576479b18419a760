// SPDX-License-Identifier: GPL-2.0-or-later
/* test_arch_x86.c - registers, flags, decoding and prologues of x86-64. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <string.h>

#include "arch/arch.h"

#define ADDR	0xffffffff81000000ULL

static struct arch_insn decode(const char *bytes, size_t n)
{
	struct arch_insn insn = { .len = 0 };

	assert_true(arch_native.decode((const uint8_t *)bytes, n, ADDR, &insn));
	return insn;
}

static void test_registers(void **state)
{
	static const struct {
		const char *name;
		uint16_t dwarf;
		uint8_t bytes, shift;
	} rows[] = {
		{ "rax", 0, 8, 0 }, { "%RAX", 0, 8, 0 }, { "$eax", 0, 4, 0 }, { "ax", 0, 2, 0 },
		{ "al", 0, 1, 0 }, { "ah", 0, 1, 8 }, { "rdi", 5, 8, 0 }, { "dil", 5, 1, 0 },
		{ "rsi", 4, 8, 0 }, { "rsp", 7, 8, 0 }, { "rbp", 6, 8, 0 }, { "r8", 8, 8, 0 },
		{ "r15b", 15, 1, 0 }, { "r10w", 10, 2, 0 }, { "r9d", 9, 4, 0 },
		{ "rip", 16, 8, 0 }, { "rflags", 49, 8, 0 }, { "EFLAGS", 49, 4, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct arch_reg *reg = arch_reg_by_name(&arch_native, rows[i].name);

		assert_non_null(reg);
		assert_int_equal(reg->dwarf, rows[i].dwarf);
		assert_int_equal(reg->bytes, rows[i].bytes);
		assert_int_equal(reg->shift, rows[i].shift);
	}
	assert_null(arch_reg_by_name(&arch_native, "r16"));
	assert_null(arch_reg_by_name(&arch_native, ""));
	assert_null(arch_reg_by_name(&arch_native, "%%rax"));
}

static void test_register_names(void **state)
{
	static const char *const order[] = {
		"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11",
		"r12", "r13", "r14", "r15", "rip",
	};

	assert_int_equal(arch_native.elf_machine, EM_X86_64);
	assert_int_equal(arch_native.nr_all_regs, 17);
	for (size_t i = 0; i < 17; i++)
		assert_string_equal(arch_reg_name(&arch_native, arch_native.all_regs[i]), order[i]);
	assert_string_equal(arch_reg_name(&arch_native, arch_native.dwarf_sp), "rsp");
	assert_string_equal(arch_reg_name(&arch_native, arch_native.dwarf_fp), "rbp");
	assert_null(arch_reg_name(&arch_native, 200));
}

static void test_flags(void **state)
{
	char names[64] = "";

	for (const struct arch_flag *flag = arch_native.flags; flag->name; flag++)
		if ((0x3246 & flag->mask) == flag->value)
			strcat(strcat(names, flag->name), " ");
	assert_string_equal(names, "PF ZF IF IOPL3 ");
}

static void test_decode(void **state)
{
	struct arch_insn insn;

	insn = decode("\x48\x89\x74\x24\x18", 5);
	assert_int_equal(insn.len, 5);
	assert_string_equal(insn.text, "movq %rsi, 0x18(%rsp)");
	assert_int_equal(insn.target, 0);
	insn = decode("\xf3\x0f\x1e\xfa", 4);
	assert_int_equal(insn.len, 4);
	assert_string_equal(insn.text, "endbr64");
	insn = decode("\x0f\x1f\x44\x00\x00", 5);
	assert_int_equal(insn.len, 5);
	assert_false(insn.is_call || insn.is_return);
}

static void test_branches(void **state)
{
	struct arch_insn insn;

	insn = decode("\xe8\x10\x00\x00\x00", 5);
	assert_true(insn.is_call);
	assert_int_equal(insn.target, ADDR + 0x15);
	insn = decode("\xe9\xfb\xff\xff\xff", 5);
	assert_false(insn.is_call);
	assert_int_equal(insn.target, ADDR);
	insn = decode("\x75\x0e", 2);
	assert_int_equal(insn.target, ADDR + 0x10);
	assert_non_null(strstr(insn.text, "0xffffffff81000010"));
	insn = decode("\xe2\xfe", 2);			/* loop */
	assert_int_equal(insn.target, ADDR);
	insn = decode("\xe3\x05", 2);			/* jrcxz */
	assert_int_equal(insn.target, ADDR + 7);
	insn = decode("\xff\xd0", 2);			/* call *%rax */
	assert_true(insn.is_call);
	assert_int_equal(insn.target, 0);
	insn = decode("\xff\xe0", 2);			/* jmp *%rax */
	assert_int_equal(insn.target, 0);
	insn = decode("\x6a\x05", 2);			/* push $5: an immediate is no target */
	assert_int_equal(insn.target, 0);
}

static void test_returns(void **state)
{
	assert_true(decode("\xc3", 1).is_return);
	assert_true(decode("\xc2\x08\x00", 3).is_return);
	assert_true(decode("\x48\xcf", 2).is_return);	/* iretq */
	assert_false(decode("\x90", 1).is_return);
}

/* Without these the ends of handle_mm_fault() and copy_thread() would be unknown. */
static void test_decode_unknown_to_capstone(void **state)
{
	struct arch_insn insn;

	insn = decode("\x0f\x01\xee\x8b", 4);
	assert_string_equal(insn.text, "rdpkru");
	assert_int_equal(insn.len, 3);
	assert_false(insn.is_call || insn.is_jump || insn.is_return || insn.target);
	assert_string_equal(decode("\x0f\x01\xe8", 3).text, "serialize");
	assert_string_equal(decode("\xf2\x0f\x01\xff", 4).text, "pvalidate");
	assert_false(arch_native.decode((const uint8_t *)"\x0f\x01", 2, ADDR, &insn));
}

static void test_not_decoded(void **state)
{
	struct arch_insn insn;

	assert_false(arch_native.decode((const uint8_t *)"\x06", 1, ADDR, &insn));
	assert_false(arch_native.decode((const uint8_t *)"\xe8\x00", 2, ADDR, &insn));
	assert_false(arch_native.decode((const uint8_t *)"", 0, ADDR, &insn));
}

static void test_prologue(void **state)
{
	static const struct {
		const char *bytes;
		size_t n, expected;
	} rows[] = {
		{ "\xf3\x0f\x1e\xfa\x0f\x1f\x44\x00\x00\x55", 10, 9 },
		{ "\xf3\x0f\x1e\xfa\xe8\x01\x02\x03\x04\x55", 10, 9 },	/* live */
		{ "\x66\x0f\x1f\x00\x0f\x1f\x44\x00\x00\x55", 10, 9 },	/* sealed */
		{ "\x0f\x1f\x44\x00\x00\x55", 6, 5 },
		{ "\xe8\x01\x02\x03\x04\x55", 6, 5 },
		{ "\x66\x66\x66\x66\x90\x55", 6, 5 },
		{ "\xf3\x0f\x1e\xfa\x55", 5, 4 },
		{ "\x55\x48\x89\xe5\xe8\x01\x02\x03\x04", 9, 0 },
		{ "\x0f\x1f\x44\x00", 4, 0 },	/* cut off */
		{ "\xe8\x01", 2, 0 },
		{ "", 0, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(arch_native.prologue((const uint8_t *)rows[i].bytes, rows[i].n,
						      ADDR), rows[i].expected);
}

/* kind, register, index, scale, constant, name */
#define C(n)		OPERAND_CONSTANT, NULL, NULL, 0, n, NULL
#define R(reg)		OPERAND_REGISTER, reg, NULL, 0, 0, NULL
#define M(...)		OPERAND_MEMORY, __VA_ARGS__

static void test_operands(void **state)
{
	static const struct {
		const char *text;
		enum arch_operand_kind kind;
		const char *reg, *index;
		uint8_t scale;
		int64_t constant;
		const char *name;
	} rows[] = {
		{ "$5", C(5) }, { "$-1", C(-1) }, { "$0x10", C(16) }, { "%eax", R("eax") }, { "%r15", R("r15") },
		{ "$name", OPERAND_CONSTANT, NULL, NULL, 0, 0, "name" },
		{ "$name+8", OPERAND_CONSTANT, NULL, NULL, 0, 8, "name" },
		{ "(%rax)", M("rax", NULL, 0, 0, NULL) }, { "-4(%rbp)", M("rbp", NULL, 0, -4, NULL) },
		{ "8(%rax,%rbx,4)", M("rax", "rbx", 4, 8, NULL) }, { "(%rax,%rbx)", M("rax", "rbx", 1, 0, NULL) },
		{ "16(,%rcx,8)", M(NULL, "rcx", 8, 16, NULL) }, { "name(%rip)", M(NULL, NULL, 0, 0, "name") },
		{ "name+4(%rip)", M(NULL, NULL, 0, 4, "name") }, { "4+name.1(%rip)", M(NULL, NULL, 0, 4, "name.1") },
		{ "name-4(%rip)", M(NULL, NULL, 0, -4, "name") }, { "name", M(NULL, NULL, 0, 0, "name") },
		{ "table(,%rdi,8)", M(NULL, "rdi", 8, 0, "table") }, { "4096", M(NULL, NULL, 0, 4096, NULL) },
	};
	static const char *const bad[] = {
		"", "$", "%", "%xmm0", "%nonsense", "%rip", "5(%rip)", "%fs:0", "%fs:4(%rax)", "(%eax)", "()", "(%rax", "(%rax))",
		"(%rax,%rbx,3)", "(%rax,5)", "-name", "a+b", "5 5", "--5", "$5x", "%eax5", "%eax ", "4(%rax)4",
	};
	struct arch_operand o;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(arch_native.operand(rows[i].text, &o));
		assert_int_equal(o.kind, rows[i].kind);
		assert_string_equal(o.reg ? o.reg->name : "", rows[i].reg ? rows[i].reg : "");
		assert_string_equal(o.index ? o.index->name : "", rows[i].index ? rows[i].index : "");
		assert_int_equal(o.scale, rows[i].scale);
		assert_int_equal(o.constant, rows[i].constant);
		assert_int_equal(o.symbol_len, rows[i].name ? strlen(rows[i].name) : 0);
		if (rows[i].name)
			assert_memory_equal(o.symbol, rows[i].name, o.symbol_len);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (arch_native.operand(bad[i], &o))
			fail_msg("'%s' is taken", bad[i]);
}

/* An instruction that was decoded before is known again, unless its text depends on its address. */
static void test_again(void **state)
{
	static const uint8_t load[] = { 0x48, 0x8b, 0x47, 0x28, 0xc3 }, call[] = { 0xe8, 0x10, 0x00, 0x00, 0x00 };
	struct arch_insn first, again;

	for (size_t n = sizeof(load); n >= 4; n--) {
		assert_true(arch_native.decode(load, sizeof(load), ADDR, &first));
		assert_true(arch_native.decode(load, n, ADDR + 64, &again));
		assert_int_equal(again.len, 4);
		assert_string_equal(again.text, first.text);
		assert_false(again.target || again.is_call || again.is_return || again.is_jump);
	}
	for (uint64_t at = ADDR; at < ADDR + 3; at++) {
		assert_true(arch_native.decode(call, sizeof(call), at, &first));
		assert_int_equal(first.target, at + sizeof(call) + 0x10);
		assert_true(first.is_call);
	}
	assert_false(arch_native.decode(load, 3, ADDR, &again));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_register_names),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_decode),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_returns),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_decode_unknown_to_capstone),
		cmocka_unit_test(test_not_decoded),
		cmocka_unit_test(test_prologue),
		cmocka_unit_test(test_operands),
	};

	return cmocka_run_group_tests_name("arch x86", tests, NULL, NULL);
}
