// SPDX-License-Identifier: GPL-2.0-or-later
/* test_option.c - the programs that options of a tracepoint compile to. */
#include "plan_line.h"

#include <stdlib.h>

#include "ctl/ask/lang/option.h"
#include "ctl/base/device/property.h"

static void check_insn(const struct desc *desc, size_t i, struct kt_insn want)
{
	assert_true(i < desc->prog_len);
	assert_memory_equal(&desc->prog[i], &want, sizeof(want));
}

static void test_items_in_order(void **state)
{
	AUTO_PLANS struct plans plans = { 0 };
	const struct desc *desc;

	must_plan("vfs_write+d PID REG %rdi CONST 7 PSR ALLREGS STACK 10 FRAME -8 LOC jiffies",
		  &plans);
	assert_int_equal(plans.n, 1);
	desc = plans.v[0].desc;
	assert_string_equal(desc->name, "vfs_write+0xd");
	assert_string_equal(desc->typed, "vfs_write+d");
	assert_string_equal(desc->options,
			    "PID REG %rdi CONST 7 PSR ALLREGS STACK 10 FRAME -8 LOC jiffies");
	assert_int_equal(desc->nr_fields, 8);
	assert_int_equal(desc->fields[0].kind, FIELD_NUMBER);
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

/* The processor status is a register by name, but not for the module. */
static void test_status_register(void **state)
{
	AUTO_PLANS struct plans plans = { 0 };

	must_plan("vfs_write REG rflags REG eflags", &plans);
	check_insn(plans.v[0].desc, 0, (struct kt_insn){ .op = KT_OP_PSR });
	check_insn(plans.v[0].desc, 1, (struct kt_insn){ .op = KT_OP_EMIT, .aux = 8 });
	check_insn(plans.v[0].desc, 2, (struct kt_insn){ .op = KT_OP_PSR });
	check_program(plans.v[0].desc);
}

static void test_cpu(void **state)
{
	AUTO_PLANS struct plans plans = { 0 };
	const struct desc *desc;

	must_plan("vfs_write CPU PID", &plans);
	desc = plans.v[0].desc;
	assert_int_equal(desc->fields[0].kind, FIELD_NUMBER);
	assert_string_equal(desc->fields[0].name, "cpu");
	check_insn(desc, 0, (struct kt_insn){ .op = KT_OP_CUR, .imm = KT_CUR_CPU });
	check_insn(desc, 1, (struct kt_insn){ .op = KT_OP_EMIT, .aux = 4 });
	check_program(desc);
}

/* Numbers that the module uses for other purposes than to show a property. */
static bool is_internal(enum kt_cur number)
{
	return number == KT_CUR_TASK || number == KT_CUR_PERCPU || number == KT_CUR_COMM_LOW || number == KT_CUR_COMM_HIGH;
}

static size_t rows_of(enum kt_cur number)
{
	size_t n = 0;

	for (size_t i = 0; i < nr_properties; i++)
		n += properties[i].number == number;
	return n;
}

static void check_property(const struct property *property)
{
	AUTO_FREE char *option = mem_printf("vfs_write %s", property->option);
	AUTO_FREE char *variable = mem_printf("vfs_write VAR $%s", property->name);
	AUTO_PLANS struct plans plans = { 0 };
	const struct field *fields;

	must_plan(variable, &plans);
	check_insn(plans.v[0].desc, 0, (struct kt_insn){ .op = KT_OP_CUR, .imm = property->number });
	assert_int_equal(plans.v[0].desc->fields[0].is_signed, property->is_signed);
	if (!property->option)
		return;
	must_plan(option, &plans);
	check_program(plans.v[1].desc);
	fields = plans.v[1].desc->fields;
	assert_string_equal(fields[0].name, property->name);
	assert_int_equal(fields[0].kind, FIELD_NUMBER);
	assert_int_equal(fields[0].bytes, 4);
	assert_int_equal(fields[0].is_signed, property->is_signed);
	assert_int_equal(field_layout(&fields[0]).is_signed, property->is_signed);
	assert_int_equal(plans.v[1].desc->prog[0].imm, property->number);
}

/* Each number of the ABI has one row, and everything made from the row is consistent. */
static void test_properties(void **state)
{
	for (enum kt_cur number = 0; number < KT_NR_CURS; number++)
		if (rows_of(number) != !is_internal(number))
			fail_msg("ctl/base/device/property_list.h has %zu rows of KT_CUR_ number %d", rows_of(number), number);
	for (size_t i = 0; i < nr_properties; i++) {
		assert_ptr_equal(property_named(properties[i].name), &properties[i]);
		if (property_is_variable(&properties[i]))
			check_property(&properties[i]);
	}
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

	must_plan("vfs_write REG ah REG eax", &plans);
	desc = plans.v[0].desc;
	assert_int_equal(desc->fields[0].bytes, 1);
	check_insn(desc, 1, (struct kt_insn){ .op = KT_OP_ALUI, .aux = KT_ALU_SHR, .imm = 8 });
	check_insn(desc, 2, (struct kt_insn){ .op = KT_OP_EXT, .aux = KT_SIZE_U8 });
	assert_int_equal(desc->fields[1].bytes, 4);
	check_insn(desc, 5, (struct kt_insn){ .op = KT_OP_EXT, .aux = KT_SIZE_U32 });
	check_program(desc);
}

static void test_filter(void **state)
{
	AUTO_PLANS struct plans plans = { 0 };
	const struct desc *desc;

	must_plan("vfs_write STACK 0 ONLYPID 12 PID ONLYPID 0x20", &plans);
	desc = plans.v[0].desc;
	check_insn(desc, 0, (struct kt_insn){ .op = KT_OP_CUR, .dst = 0, .imm = KT_CUR_PID });
	check_insn(desc, 1, (struct kt_insn){ .op = KT_OP_CMPI, .src = 5, .imm = 12 });
	check_insn(desc, 2, (struct kt_insn){ .op = KT_OP_CMPI, .src = 4, .imm = 0x20 });
	check_insn(desc, 3, (struct kt_insn){ .op = KT_OP_CUR, .dst = 0, .imm = KT_CUR_TGID });
	check_insn(desc, 4, (struct kt_insn){ .op = KT_OP_CMPI, .src = 2, .imm = 12 });
	check_insn(desc, 5, (struct kt_insn){ .op = KT_OP_CMPI, .src = 1, .imm = 0x20 });
	check_insn(desc, 6, (struct kt_insn){ .op = KT_OP_DROP });
	check_insn(desc, 7, (struct kt_insn){ .op = KT_OP_FAULTS });
	check_program(desc);
}

/* Every property, alone and with others; several of one kind. */
static void test_onlies(void **state)
{
	static const char *const lines[] = {
		"vfs_write ONLYTGID 5", "vfs_write ONLYPGRP 5 PID", "vfs_write ONLYUID 4294967295",
		"vfs_write ONLYGID 0", "vfs_write ONLYCPU 3 ONLYCPU 4", "vfs_write ONLYCOMM sh",
		"vfs_write ONLYCOMM a_name_of_15_ch ONLYCOMM kworker/0:1 PID",
		"vfs_write ONLYCOMM dd,cp NOTCOMM sh,a_name_of_15_ch ONLYPID 1,2,0x3", "vfs_write NOTUID 4294967295 NOTCPU 1,2 PID",
		"vfs_write NOTCPU 1 NOTPID 2 NOTTGID 3 NOTPGRP 4 NOTUID 5 NOTGID 6 NOTCOMM seven ONLYPID 8,9 IF $rdi == 8",
		"vfs_write ONLYCPU 1 ONLYPID 2 ONLYTGID 3 ONLYPGRP 4 ONLYUID 5 ONLYGID 6 ONLYCOMM seven IF $rdi == 8",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		AUTO_PLANS struct plans plans = { 0 };

		must_plan(lines[i], &plans);
		check_program(plans.v[0].desc);
		assert_string_equal(plans.v[0].desc->options, lines[i] + strlen("vfs_write "));
	}
	refused("vfs_write ONLYUID 4294967296", STATUS_USAGE, "number too large");
	refused("vfs_write ONLYCOMM a_name_of_16_cha", STATUS_USAGE, "the name is too long");
	refused("vfs_write NOTCOMM sh,a_name_of_16_cha", STATUS_USAGE, "NOTCOMM a_name_of_16_cha: the name is too long");
	refused("vfs_write ONLYCOMM dd,", STATUS_USAGE, "ONLYCOMM: a name is empty");
	refused("vfs_write NOTPID 1,,2", STATUS_USAGE, "NOTPID : not an id: give a number; NOTCOMM takes a name");
	refused("vfs_write ONLYPID 1,x", STATUS_USAGE, "ONLYPID x: not an id: give a number; ONLYCOMM takes a name");
}

/* An expression extends as far as the words form one. */
static void test_expressions(void **state)
{
	static const struct {
		const char *line;
		size_t nr_plans, nr_fields;
		const char *options;	/* of the first address */
	} rows[] = {
		{ "vfs_write IF $rdx > 4096 && $rdi == 5 PID", 1, 1, "IF $rdx > 4096 && $rdi == 5 PID" },
		{ "vfs_write IF $rdx  >  4096 plain_fn PID", 2, 0, "IF $rdx > 4096" },
		{ "vfs_write VAR *(u64*) ($rdi + 0x18) STR $rsi:20 REG rax", 1, 4,
		  "VAR *(u64*) ($rdi + 0x18) STR $rsi:20 REG rax" },
		{ "vfs_write VAR '*(u64*)($rdi + 0x18)' PID", 1, 2, "VAR *(u64*)($rdi + 0x18) PID" },
		{ "vfs_write IF \"*(char*)$rdi == 'x'\" PID", 1, 1, "IF \"*(char*)$rdi == 'x'\" PID" },
		{ "vfs_write IF (char *)$rdi == \"a  b\" PID", 1, 1, "IF (char *)$rdi == \"a  b\" PID" },
		{ "vfs_write IF '(char *)$rdi !~ \"a\\\"*\"' PID", 1, 1, "IF (char *)$rdi !~ \"a\\\"*\" PID" },
		{ "vfs_write BACKTRACE PID", 1, 2, "BACKTRACE PID" },
		{ "vfs_write BACKTRACE 5 PID", 1, 2, "BACKTRACE 5 PID" },
		{ "vfs_write ONLYCOMM 'two words' COMM TGID UID", 1, 3, "ONLYCOMM \"two words\" COMM TGID UID" },
		{ "vfs_write EVERY 10 LIMIT 5", 1, 0, "EVERY 10 LIMIT 5" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_PLANS struct plans plans = { 0 };
		AUTO_PLANS struct plans again = { 0 };
		AUTO_FREE char *line = NULL;

		must_plan(rows[i].line, &plans);
		assert_int_equal(plans.n, rows[i].nr_plans);
		assert_int_equal(plans.v[0].desc->nr_fields, rows[i].nr_fields);
		assert_string_equal(plans.v[0].desc->options, rows[i].options);
		check_program(plans.v[0].desc);
		/* The output of list gives the same again. */
		line = mem_printf("vfs_write %s", plans.v[0].desc->options);
		must_plan(line, &again);
		assert_string_equal(again.v[0].desc->options, rows[i].options);
		assert_int_equal(again.v[0].req.desc_len, plans.v[0].req.desc_len);
		assert_memory_equal(again.v[0].desc->blob, plans.v[0].desc->blob, plans.v[0].req.desc_len);
	}
}

static void test_fields(void **state)
{
	AUTO_PLANS struct plans plans = { 0 };
	const struct field *fields;

	must_plan("vfs_write TGID UID COMM VAR (s16)$rax VAR *(u64*)($rdi+8) VAR (void*)$rdi VAR (char*)$rsi "
		  "STR $rsi:5 BACKTRACE VAR *(s32*)$rsp EVERY 7 LIMIT 9", &plans);
	fields = plans.v[0].desc->fields;
	assert_int_equal(fields[0].kind, FIELD_NUMBER);
	assert_int_equal(fields[1].kind, FIELD_NUMBER);
	assert_int_equal(fields[2].kind, FIELD_STRING);
	assert_int_equal(fields[2].length, KT_COMM_BYTES);
	assert_int_equal(fields[2].fault_bit, -1);
	assert_int_equal(fields[3].kind, FIELD_INT);
	assert_int_equal(fields[3].bytes, 2);
	assert_true(fields[3].is_signed);
	assert_int_equal(fields[3].fault_bit, -1);
	assert_int_equal(fields[4].fault_bit, 4);
	assert_string_equal(fields[4].name, "*(u64*)($rdi+8)");
	assert_int_equal(fields[5].kind, FIELD_POINTER);
	assert_false(fields[5].is_address);
	assert_int_equal(fields[6].kind, FIELD_POINTER);
	assert_true(fields[6].is_address);
	assert_int_equal(fields[6].fault_bit, -1);
	assert_int_equal(fields[7].kind, FIELD_STRING);
	assert_int_equal(fields[7].length, 68);
	assert_int_equal(fields[7].limit, 64);
	assert_int_equal(fields[7].fault_bit, 7);
	assert_true(fields[8].is_address);
	assert_int_equal(fields[9].length, 8);
	assert_int_equal(fields[9].limit, 5);
	assert_string_equal(fields[9].name, "$rsi");
	assert_int_equal(fields[10].length, 16);
	assert_int_equal(fields[11].fault_bit, 11);
	assert_int_equal(plans.v[0].desc->every, 7);
	assert_int_equal(plans.v[0].desc->limit, 9);
	check_program(plans.v[0].desc);
}

static void test_flags(void **state)
{
	AUTO_PLANS struct plans plans = { 0 };

	must_plan("vfs_write UNFREEZE LATEFREEZE 100 BASE plain_fn FREEZE ADJACENT", &plans);
	assert_int_equal(plans.n, 2);
	assert_int_equal(plans.v[0].desc->control, KT_DESC_UNFREEZE | KT_DESC_LATEFREEZE);
	assert_int_equal(plans.v[0].desc->late, 100);
	assert_int_equal(plans.v[0].desc->timing, DESC_BASE);
	assert_int_equal(plans.v[1].desc->control, KT_DESC_FREEZE);
	assert_int_equal(plans.v[1].desc->timing, DESC_ADJACENT);
	assert_int_equal(plans.v[1].desc->addr, FAKE_TEXT + 0x2000);
}

static uint32_t flags_of(const struct plan *plan)
{
	return ((const struct kt_desc_req *)plan->desc->blob)->flags;
}

/* ktrace itself is left out where SELF was not given; a tracepoint that opens calls does as those that close them. */
static void test_self(void **state)
{
	AUTO_PLANS struct plans plans = { 0 };

	must_plan("vfs_write PID plain_fn FREEZE SELF vfs_write%return ENTRY $rdi vfs_write%return SELF ENTRY $rdi", &plans);
	assert_string_equal(plans.v[1].desc->options, "FREEZE SELF");
	plans_leave_out_own(&plans);
	assert_int_equal(flags_of(&plans.v[0]), KT_DESC_OTHERS);
	assert_int_equal(flags_of(&plans.v[1]), KT_DESC_FREEZE);
	for (size_t i = 2; i < plans.n; i++)
		assert_int_equal(flags_of(&plans.v[i]), i < 2 + (plans.n - 2) / 2 ? KT_DESC_OTHERS : 0);
	assert_true(plans.v[2].nr_closing && plans.n == 2 + 2 * (1 + plans.v[2].nr_closing));
}

/* `start PID PID ...`, n times. */
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
	AUTO_FREE char *filters = repeated("vfs_write", " ONLYPID 1", 130);
	AUTO_PLANS struct plans plans = { 0 };

	must_plan(most, &plans);
	check_program(plans.v[0].desc);
	refused(many, STATUS_USAGE, "too many items");
	refused(filters, STATUS_USAGE, "too many filters");
	refused("vfs_write ALLREGS ALLREGS ALLREGS ALLREGS ALLREGS ALLREGS ALLREGS ALLREGS ALLREGS",
		STATUS_USAGE, "too much data");
}

static void test_refused(void **state)
{
	refused("vfs_write VAR $rdi:q", STATUS_USAGE, "VAR $rdi: unknown form 'q': a value is shown as x, d, o, b, c, e, t, ip, dev, mode, ret, flags, mac, uuid, ip6, bytes, s, p, packet, pids");
	refused("vfs_write VAR $rdi: PID", STATUS_USAGE, "unknown form ''");
	refused("vfs_write VAR (char*)$rdi:x", STATUS_USAGE, "only a number can be shown so");
	refused("PID vfs_write", STATUS_USAGE, "PID stands before any address");
	refused("vfs_write REG", STATUS_USAGE, "REG needs its NAME");
	refused("vfs_write REG PID", STATUS_USAGE, "REG needs its NAME");
	refused("vfs_write LATEFREEZE", STATUS_USAGE, "LATEFREEZE needs its COUNT");
	refused("vfs_write PIDD", STATUS_USAGE, "unknown option PIDD: did you mean PID");
	refused("vfs_write PDI", STATUS_USAGE, "unknown option PDI: did you mean PID");
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
	refused("vfs_write FREEZE UNFREEZE", STATUS_USAGE, "FREEZE and UNFREEZE contradict each other");
	refused("vfs_write LATEFREEZE 5 FREEZE", STATUS_USAGE, "FREEZE and LATEFREEZE contradict each other");
	refused("vfs_write VAR", STATUS_USAGE, "VAR needs its EXPRESSION");
	refused("vfs_write VAR PID", STATUS_USAGE, "VAR needs its EXPRESSION");
	refused("vfs_write IF", STATUS_USAGE, "IF needs its EXPRESSION");
	refused("vfs_write IF $rdi ==", STATUS_USAGE, "IF $rdi ==: at column 8: something is missing");
	refused("vfs_write IF $rdi=5", STATUS_USAGE, "IF $rdi=5: at column 5: an operator is expected, not '=5'");
	refused("vfs_write IF 1 == 2", STATUS_USAGE, "always false");
	refused("vfs_write IF 5", STATUS_USAGE, "always true");
	refused("vfs_write VAR *(u65*)$rdi", STATUS_USAGE, "VAR *(u65*)$rdi: at column 3: no type");
	refused("vfs_write STR $eax", STATUS_USAGE, "the expression is not a pointer");
	refused("vfs_write STR $rax:0", STATUS_USAGE, "must be from 1 to 512");
	refused("vfs_write STR $rax:513", STATUS_USAGE, "must be from 1 to 512");
	refused("vfs_write STR $rax:", STATUS_USAGE, "must be from 1 to 512");
	refused("vfs_write EVERY 0", STATUS_USAGE, "at least 1");
	refused("vfs_write LIMIT 0", STATUS_USAGE, "at least 1");
	refused("vfs_write LIMIT", STATUS_USAGE, "LIMIT needs its COUNT");
	refused("vfs_write BACKTRACE 0", STATUS_USAGE, "at least 1");
	refused("vfs_write BACKTRACE 65", STATUS_USAGE, "number too large");
	refused("vfs_write STR $rsi:512 STR $rdi:512 PID", STATUS_USAGE, "too much data");
}

static void test_rows(void **state)
{
	size_t n = 0;

	for (const struct option_row *row = option_rows; row->name; row++, n++) {
		assert_ptr_equal(option_find(row->name), row);
		assert_true(row->summary && row->example && row->encode);
		assert_int_equal(row->arg != ARG_NONE, row->metavar != NULL);
	}
	assert_int_equal(n, 56);
	assert_null(option_find("pid"));
	assert_true(option_looks_like("FOO"));
	assert_false(option_looks_like("FACE"));
	assert_false(option_looks_like("vfs_write"));
}

/* Each example can be typed as it is, apart from its symbols. */
static void test_descriptor_survives(void **state)
{
	AUTO_PLANS struct plans plans = { 0 };
	struct desc *back;

	must_plan("vfs_write PID REG rdi LOC jiffies BASE FREEZE CONST 0xffffffffffffffff",
		  &plans);
	back = desc_decode(plans.v[0].desc->blob, plans.v[0].req.desc_len, &err);
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
		cmocka_unit_test(test_items_in_order), cmocka_unit_test(test_no_options),
		cmocka_unit_test(test_status_register), cmocka_unit_test(test_cpu),
		cmocka_unit_test(test_properties), cmocka_unit_test(test_constants),
		cmocka_unit_test(test_sub_registers), cmocka_unit_test(test_filter), cmocka_unit_test(test_onlies),
		cmocka_unit_test(test_expressions), cmocka_unit_test(test_fields), cmocka_unit_test(test_flags),
		cmocka_unit_test(test_self), cmocka_unit_test(test_limits), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_rows), cmocka_unit_test(test_descriptor_survives),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
