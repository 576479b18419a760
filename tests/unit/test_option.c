// SPDX-License-Identifier: GPL-2.0-or-later
/* test_option.c - what the options of a tracepoint compile to. */
#include "unit.h"

#include <stdlib.h>

#include "ctl/memory.h"
#include "ctl/option.h"
#include "ctl/plan.h"
#include "ctl/request.h"
#include "fake_kernel.h"
#include "verify.h"

static struct fake_kernel *fake;
static struct error err;

static int setup(void **state)
{
	(void)state;
	fake = fake_create();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fake_free(fake);
	return 0;
}

static bool plan(const char *line, struct plans *plans)
{
	AUTO_REQUESTS struct requests requests = { 0 };
	AUTO_WORDS struct words words = { 0 };
	struct target target = session_target(&fake->session);

	err.text[0] = '\0';
	assert_int_equal(lex_command(&line, &words, &err), LEX_COMMAND);
	if (!requests_parse(&words, 0, &requests, &err))
		return false;
	for (size_t i = 0; i < requests.n; i++)
		if (!plan_request(&target, &requests.v[i], plans, &err))
			return false;
	return true;
}

static void must_plan(const char *line, struct plans *plans)
{
	if (!plan(line, plans))
		fail_msg("%s: %s", line, err.text);
}

static void refused(const char *line, enum exit_status status, const char *said)
{
	AUTO_PLANS struct plans plans = { 0 };

	assert_false(plan(line, &plans));
	assert_contains(err.text, said);
	assert_one_line(err.text);
	assert_int_equal(err.status, status);
}

/* The module's own verifier accepts it, and finds the bytes that the descriptor says. */
static void check_program(const struct desc *desc)
{
	assert_int_equal(verify_program(desc->prog, desc->prog_len), desc_payload(desc));
}

static void check_insn(const struct desc *desc, size_t i, struct kt_insn want)
{
	assert_true(i < desc->prog_len);
	assert_memory_equal(&desc->prog[i], &want, sizeof(want));
}

static void test_items_in_order(void **state)
{
	AUTO_PLANS struct plans plans = { 0 };
	const struct desc *desc;

	(void)state;
	must_plan("vfs_write PID REG %rdi CONST 7 PSR ALLREGS STACK 10 FRAME -8 LOC jiffies",
		  &plans);
	assert_int_equal(plans.n, 1);
	desc = plans.v[0].desc;
	assert_string_equal(desc->name, "vfs_write");
	assert_string_equal(desc->typed, "vfs_write");
	assert_string_equal(desc->options,
			    "PID REG %rdi CONST 7 PSR ALLREGS STACK 10 FRAME -8 LOC jiffies");
	assert_int_equal(desc->nr_fields, 8);
	assert_int_equal(desc->fields[0].kind, FIELD_PID);
	assert_int_equal(desc->fields[1].kind, FIELD_REG);
	assert_string_equal(desc->fields[1].name, "rdi");
	assert_int_equal(desc->fields[2].kind, FIELD_CONST);
	assert_int_equal(desc->fields[2].value, 7);
	assert_int_equal(desc->fields[3].kind, FIELD_PSR);
	assert_int_equal(desc->fields[4].kind, FIELD_ALLREGS);
	assert_string_equal(desc->fields[5].name, "stack+0x10");
	assert_int_equal(desc->fields[5].fault_bit, 4);
	assert_string_equal(desc->fields[6].name, "frame-0x8");
	assert_int_equal(desc->fields[6].fault_bit, 5);
	assert_string_equal(desc->fields[7].name, "jiffies");
	assert_int_equal(desc->fields[7].fault_bit, 6);
	assert_true(desc->has_faults);
	check_insn(desc, 0, (struct kt_insn){ .op = KT_OP_FAULTS });
	check_insn(desc, 1, (struct kt_insn){ .op = KT_OP_EMITCUR, .imm = KT_CUR_PID });
	check_insn(desc, 2, (struct kt_insn){ .op = KT_OP_EMITREG, .imm = 5 });
	check_insn(desc, 3, (struct kt_insn){ .op = KT_OP_PSR });
	check_program(desc);
	assert_true(plans.v[0].uses_frame);
}

/* The status is one of the registers by name, but not to the module. */
static void test_status_register(void **state)
{
	AUTO_PLANS struct plans plans = { 0 };

	(void)state;
	must_plan("vfs_write REG rflags REG eflags", &plans);
	check_insn(plans.v[0].desc, 0, (struct kt_insn){ .op = KT_OP_PSR });
	check_insn(plans.v[0].desc, 1, (struct kt_insn){ .op = KT_OP_EMIT, .aux = 8 });
	check_insn(plans.v[0].desc, 2, (struct kt_insn){ .op = KT_OP_PSR });
	check_program(plans.v[0].desc);
}

static void test_processor(void **state)
{
	AUTO_PLANS struct plans plans = { 0 };
	const struct desc *desc;

	(void)state;
	must_plan("vfs_write CPU PID", &plans);
	desc = plans.v[0].desc;
	assert_int_equal(desc->fields[0].kind, FIELD_CPU);
	assert_string_equal(desc->fields[0].name, "cpu");
	check_insn(desc, 0, (struct kt_insn){ .op = KT_OP_CUR, .imm = KT_CUR_CPU });
	check_insn(desc, 1, (struct kt_insn){ .op = KT_OP_EMIT, .aux = 4 });
	check_program(desc);
}

static void test_constants(void **state)
{
	static const struct {
		const char *line;
		uint64_t value;
	} rows[] = {
		{ "vfs_write CONST 10", 10 },
		{ "vfs_write CONST 0x10", 16 },
		{ "vfs_write CONST -5", -5 },
		{ "vfs_write CONST 18446744073709551615", UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_PLANS struct plans plans = { 0 };

		must_plan(rows[i].line, &plans);
		assert_int_equal(plans.v[0].desc->fields[0].value, rows[i].value);
	}
	refused("vfs_write CONST --5", STATUS_USAGE, "not a number");
	refused("vfs_write CONST -9223372036854775809", STATUS_USAGE, "number too large");
}

static void test_no_options(void **state)
{
	AUTO_PLANS struct plans plans = { 0 };

	(void)state;
	must_plan("vfs_write", &plans);
	assert_int_equal(plans.v[0].desc->prog_len, 1);
	check_insn(plans.v[0].desc, 0, (struct kt_insn){ .op = KT_OP_END });
	assert_string_equal(plans.v[0].desc->options, "");
	check_program(plans.v[0].desc);
}

static void test_sub_registers(void **state)
{
	AUTO_PLANS struct plans plans = { 0 };
	const struct desc *desc;

	(void)state;
	must_plan("vfs_write REG ah REG eax", &plans);
	desc = plans.v[0].desc;
	assert_int_equal(desc->fields[0].bytes, 1);
	check_insn(desc, 1, (struct kt_insn){ .op = KT_OP_IMM, .dst = 1, .imm = 8 });
	check_insn(desc, 2, (struct kt_insn){ .op = KT_OP_ALU, .src = 1, .aux = KT_ALU_SHR });
	check_insn(desc, 3, (struct kt_insn){ .op = KT_OP_IMM, .dst = 1, .imm = 0xff });
	check_insn(desc, 4, (struct kt_insn){ .op = KT_OP_ALU, .src = 1, .aux = KT_ALU_AND });
	assert_int_equal(desc->fields[1].bytes, 4);
	check_insn(desc, 7, (struct kt_insn){ .op = KT_OP_IMM, .dst = 1, .imm = -1 });
	check_insn(desc, 8, (struct kt_insn){ .op = KT_OP_IMMHI, .dst = 1, .imm = 0 });
	check_program(desc);
}

static void test_filter(void **state)
{
	AUTO_PLANS struct plans plans = { 0 };
	const struct desc *desc;

	(void)state;
	must_plan("vfs_write STACK 0 ONLYPID 12 PID ONLYPID 0x20", &plans);
	desc = plans.v[0].desc;
	check_insn(desc, 0, (struct kt_insn){ .op = KT_OP_CUR, .dst = 0, .imm = KT_CUR_PID });
	check_insn(desc, 1, (struct kt_insn){ .op = KT_OP_CUR, .dst = 2, .imm = KT_CUR_TGID });
	check_insn(desc, 2, (struct kt_insn){ .op = KT_OP_IMM, .dst = 1, .imm = 12 });
	check_insn(desc, 3, (struct kt_insn){ .op = KT_OP_CMP, .dst = 0, .src = 1, .imm = 5 });
	check_insn(desc, 4, (struct kt_insn){ .op = KT_OP_CMP, .dst = 2, .src = 1, .imm = 4 });
	check_insn(desc, 5, (struct kt_insn){ .op = KT_OP_IMM, .dst = 1, .imm = 0x20 });
	check_insn(desc, 6, (struct kt_insn){ .op = KT_OP_CMP, .dst = 0, .src = 1, .imm = 2 });
	check_insn(desc, 7, (struct kt_insn){ .op = KT_OP_CMP, .dst = 2, .src = 1, .imm = 1 });
	check_insn(desc, 8, (struct kt_insn){ .op = KT_OP_DROP });
	check_insn(desc, 9, (struct kt_insn){ .op = KT_OP_FAULTS });
	check_program(desc);
}

static void test_flags(void **state)
{
	AUTO_PLANS struct plans plans = { 0 };

	(void)state;
	must_plan("vfs_write UNFREEZE LATEFREEZE 100 BASE plain_fn FREEZE ADJACENT", &plans);
	assert_int_equal(plans.n, 2);
	assert_int_equal(plans.v[0].desc->control, KT_DESC_UNFREEZE | KT_DESC_LATEFREEZE);
	assert_int_equal(plans.v[0].desc->late, 100);
	assert_int_equal(plans.v[0].desc->timing, DESC_BASE);
	assert_int_equal(plans.v[1].desc->control, KT_DESC_FREEZE);
	assert_int_equal(plans.v[1].desc->timing, DESC_ADJACENT);
	assert_int_equal(plans.v[1].desc->addr, FAKE_TEXT + 0x2000);
}

/* `start PID PID ...`, n times */
static char *repeated(const char *start, const char *part, size_t n)
{
	char *line = mem_zalloc(strlen(start) + n * strlen(part) + 1, 1);

	strcpy(line, start);
	while (n--)
		strcat(line, part);
	return line;
}

static void test_limits(void **state)
{
	AUTO_FREE char *most = repeated("vfs_write", " REG rax", 32);
	AUTO_FREE char *many = repeated("vfs_write", " REG rax", 33);
	AUTO_FREE char *filters = repeated("vfs_write", " ONLYPID 1", 100);
	AUTO_PLANS struct plans plans = { 0 };

	(void)state;
	must_plan(most, &plans);
	check_program(plans.v[0].desc);
	refused(many, STATUS_USAGE, "too many items");
	refused(filters, STATUS_USAGE, "too many items and filters");
	refused("vfs_write ALLREGS ALLREGS ALLREGS ALLREGS ALLREGS ALLREGS ALLREGS ALLREGS ALLREGS",
		STATUS_USAGE, "too much data");
}

static void test_refused(void **state)
{
	(void)state;
	refused("PID vfs_write", STATUS_USAGE, "PID stands before any address");
	refused("vfs_write REG", STATUS_USAGE, "REG needs its NAME");
	refused("vfs_write REG PID", STATUS_USAGE, "REG needs its NAME");
	refused("vfs_write LATEFREEZE", STATUS_USAGE, "LATEFREEZE needs its COUNT");
	refused("vfs_write PIDD", STATUS_USAGE, "unknown option PIDD: did you mean PID");
	refused("vfs_write FOO", STATUS_USAGE, "unknown option FOO");
	refused("vfs_write REG rxa", STATUS_USAGE, "x86-64 has no such register");
	refused("vfs_write CONST ten", STATUS_USAGE, "not a number");
	refused("vfs_write CONST 18446744073709551616", STATUS_USAGE, "number too large");
	refused("vfs_write LATEFREEZE 9223372036854775808", STATUS_USAGE, "number too large");
	refused("vfs_write ONLYPID 2147483648", STATUS_USAGE, "number too large");
	refused("vfs_write STACK 80000000", STATUS_USAGE, "number too large");
	refused("vfs_write STACK xyz", STATUS_USAGE, "not an offset");
	refused("vfs_write LOC 1000", STATUS_FAILURE, "not an address of the kernel");
	refused("vfs_write LOC jiffeis", STATUS_FAILURE, "did you mean jiffies");
	refused("vfs_write BASE ADJACENT", STATUS_USAGE, "contradict");
}

static void test_rows(void **state)
{
	size_t n = 0;

	(void)state;
	for (const struct option_row *row = option_rows; row->name; row++, n++) {
		assert_ptr_equal(option_find(row->name), row);
		assert_true(row->summary && row->example && row->encode);
		assert_int_equal(row->arg != ARG_NONE, row->metavar != NULL);
	}
	assert_int_equal(n, 16);
	assert_null(option_find("pid"));
	assert_true(option_looks_like("FOO"));
	assert_false(option_looks_like("FACE"));
	assert_false(option_looks_like("vfs_write"));
}

/* Each example can be typed as it stands, but for its symbols. */
static void test_descriptor_survives(void **state)
{
	AUTO_PLANS struct plans plans = { 0 };
	struct desc *back;

	(void)state;
	must_plan("vfs_write PID REG rdi LOC jiffies BASE FREEZE CONST 0xffffffffffffffff",
		  &plans);
	back = desc_decode(plans.v[0].blob, plans.v[0].req.desc_len, &err);
	assert_non_null(back);
	assert_string_equal(back->name, "vfs_write");
	assert_string_equal(back->options, plans.v[0].desc->options);
	assert_int_equal(back->nr_fields, 4);
	assert_int_equal(back->fields[3].value, UINT64_MAX);
	desc_free(back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_items_in_order),
		cmocka_unit_test(test_no_options),
		cmocka_unit_test(test_status_register),
		cmocka_unit_test(test_processor),
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_sub_registers),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_descriptor_survives),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
