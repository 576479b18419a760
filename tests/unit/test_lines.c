// SPDX-License-Identifier: GPL-2.0-or-later
/* test_lines.c - which source line an instruction counts for, and in which function. */
#include "unit.h"

#include "ctl/ask/resolve/line_begins.h"
#include "ctl/base/memory.h"
#include "symbols/index/line.h"

enum { OWN_FILE, HEADER };	/* numbers of files */

#define STMT(addr, file, line)	{ addr, file, (line) | LINE_IS_STMT }
#define OTHER(addr, file, line)	{ addr, file, line }

/*
 * write() at line 564. In line 572 it calls access() of the header, which first contains limit() from line 33,
 * and then code of its own. In line 584 it calls sync() of its own file, at line 481.
 */
static struct scope_range limit_range = { 0x3a, 0x44 }, access_range = { 0x3a, 0x5f }, block_range = { 0x90, 0xc0 },
			  sync_range = { 0x98, 0xb0 }, all = { 0, 0x100 };
static struct scope limit[] = { { .kind = SCOPE_INLINED, .name = "limit", .file = HEADER + 1, .line = 87, .entry = 0x3a,
				  .call_file = HEADER + 1, .call_line = 33, .ranges = &limit_range, .nr_ranges = 1 } };
static struct scope sync_copy[] = { { .kind = SCOPE_INLINED, .name = "sync", .file = OWN_FILE + 1, .line = 481, .entry = 0x98,
				      .call_file = OWN_FILE + 1, .call_line = 584, .ranges = &sync_range, .nr_ranges = 1 } };
static struct scope inner[] = {
	{ .kind = SCOPE_INLINED, .name = "access", .file = HEADER + 1, .line = 31, .entry = 0x3a, .call_file = OWN_FILE + 1,
	  .call_line = 572, .ranges = &access_range, .nr_ranges = 1, .inner = limit, .nr_inner = 1 },
	{ .kind = SCOPE_BLOCK, .name = "", .ranges = &block_range, .nr_ranges = 1, .inner = sync_copy, .nr_inner = 1 },
};
static struct scope function = { .kind = SCOPE_FUNCTION, .name = "write", .file = OWN_FILE + 1, .line = 564, .ranges = &all,
				 .nr_ranges = 1, .inner = inner, .nr_inner = 2 };

static int tie_scopes(void **state)
{
	inner[0].outer = inner[1].outer = &function;
	limit->outer = &inner[0];
	sync_copy->outer = &inner[1];
	return 0;
}

static const struct ix_line at_call[] = {
	OTHER(0x3a, OWN_FILE, 571), STMT(0x3a, OWN_FILE, 572), STMT(0x3a, HEADER, 31), STMT(0x3a, HEADER, 33),
	STMT(0x3a, HEADER, 87), STMT(0x3a, HEADER, 91), OTHER(0x3a, HEADER, 92),
};
static const struct ix_line behind[] = { STMT(0x44, HEADER, 97), STMT(0x44, HEADER, 34), STMT(0x44, HEADER, 40) };
static const struct ix_line no_statement[] = { OTHER(0x50, OWN_FILE, 575), { 0x50, OWN_FILE, LINE_IS_STMT },
					       { 0x50, OWN_FILE, 576 | LINE_IS_STMT | LINE_END } };

static void test_statement(void **state)
{
	assert_ptr_equal(lines_statement(&function, at_call, 7), &at_call[1]);
	assert_ptr_equal(lines_statement(&function, &at_call[2], 5), &at_call[3]);
	assert_ptr_equal(lines_statement(&function, &at_call[4], 3), &at_call[5]);
	assert_ptr_equal(lines_statement(NULL, at_call, 7), &at_call[5]);
	assert_ptr_equal(lines_statement(&function, behind, 3), &behind[2]);
	assert_null(lines_statement(&function, no_statement, 3));
}

static void test_inlined(void **state)
{
	static const struct {
		struct ix_line row;
		const char *inlined;
	} cases[] = {
		{ STMT(0x3a, OWN_FILE, 572), NULL },	/* the call, at an address of the innermost copy */
		{ STMT(0x3a, HEADER, 33), "access" },	/* the same */
		{ STMT(0x3a, HEADER, 91), "limit" },
		{ STMT(0x44, HEADER, 40), "access" },
		{ STMT(0x44, HEADER, 30), NULL },	/* before all lines of the copies */
		{ STMT(0x44, HEADER + 1, 40), NULL },	/* in no file of the copies */
		{ STMT(0x98, OWN_FILE, 585), NULL },	/* the call continues in another line */
		{ STMT(0x98, OWN_FILE, 490), "sync" },
		{ STMT(0xb0, OWN_FILE, 490), "sync" },	/* moved out of its copy */
		{ STMT(0x90, OWN_FILE, 583), NULL },
		{ OTHER(0x00, OWN_FILE, 564), NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *inlined = lines_inlined(&function, &cases[i].row);

		if (cases[i].inlined)
			assert_string_equal(inlined, cases[i].inlined);
		else
			assert_null(inlined);
	}
}

enum { STEP = 4 };	/* bytes of each instruction of the code below */

/*
 * Lines 0 to 4, as letters:
 *	0 for (i = 0; ...; i++)	1 its body	2 if (a || b) behind it	3 the code of both	4 a loop in one line
 */
static const struct {
	char line;	/* of the address there; '.': none */
	int to;		/* the instruction that a jump leads to; 0: it is no jump */
	bool goes_on;
	bool begins, repeats;
} code[] = {
	{ '0', 0, true, true, false },	/* 0: i = 0 */
	{ '0', 5, true, false, false },	/* 1: the first test jumps behind the loop */
	{ '1', 0, true, true, false },	/* 2: the body */
	{ '0', 0, true, true, false },	/* 3: i++ */
	{ '.', 2, true, false, false },	/* 4: back to the body, or on */
	{ '2', 8, true, true, false },	/* 5: a, or */
	{ '2', 8, true, false, false },	/* 6: b */
	{ '.', 9, false, false, false },	/* 7: neither */
	{ '3', 0, true, true, false },	/* 8 */
	{ '4', 0, true, true, true },	/* 9: from lines 2 and 3, and from itself */
	{ '.', 9, true, false, false },	/* 10 */
	{ '.', 0, false, false, false },	/* 11: return */
	{ '1', 0, true, true, false },	/* 12: nothing leads here, so an exception may */
	{ '.', 5, false, false, false },	/* 13 */
};

static void test_begins(void **state)
{
	struct flow_insn insns[ARRAY_SIZE(code)];
	struct line_addr addrs[ARRAY_SIZE(code) + 1];
	struct function_lines lines = { .n = 5, .addrs = addrs };

	for (size_t i = 0; i < ARRAY_SIZE(code); i++) {
		insns[i] = (struct flow_insn){
			.addr = 0x1000 + i * STEP, .target = code[i].to ? 0x1000 + code[i].to * STEP : 0, .goes_on = code[i].goes_on,
			.from_outside = !i,
		};
		if (code[i].line != '.')
			addrs[lines.nr_addrs++] = (struct line_addr){ .addr = insns[i].addr, .line = code[i].line - '0' };
	}
	/* It is not among the instructions. */
	addrs[lines.nr_addrs++] = (struct line_addr){ .addr = 0x1001, .line = 0 };
	line_begins_mark(&lines, insns, ARRAY_SIZE(insns));
	for (size_t i = 0; i + 1 < lines.nr_addrs; i++) {
		const size_t at = (addrs[i].addr - 0x1000) / STEP;

		if (addrs[i].begins != code[at].begins || addrs[i].repeats != code[at].repeats)
			fail_msg("instruction %zu: begins %d, repeats %d", at, addrs[i].begins, addrs[i].repeats);
	}
	assert_true(addrs[lines.nr_addrs - 1].begins);
	line_begins_mark(&lines, NULL, 0);
	for (size_t i = 0; i < lines.nr_addrs; i++)
		assert_true(addrs[i].begins);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_statement),
		cmocka_unit_test(test_inlined),
		cmocka_unit_test(test_begins),
	};

	return cmocka_run_group_tests(tests, tie_scopes, NULL);
}
