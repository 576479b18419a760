// SPDX-License-Identifier: GPL-2.0-or-later
/* test_capture_random.c - random capture programs: the interpreter does what a second evaluator does. */
#include "unit.h"

#include <stdbool.h>
#include <stdlib.h>

#include "capture_contract.h"
#include "capture_dice.h"

static void test_random(void **state)
{
	u64 recorded = 0, filtered = 0, faults = 0, scratch_only = 0;

	srand(2);
	for (u32 i = 0; i < 60000; i++) {
		struct kt_insn insns[KT_MAX_PROG];
		struct machine m, expected;
		enum machine_end end;
		u32 len = random_program(insns);

		machine_reset(&m);
		machine_dice(&m);
		expected = m;
		end = machine_run(&m, insns, len);
		if (end == MACHINE_REFUSED)
			fail_msg("program %u is refused", i);
		assert_int_equal(machine_evaluate(&expected, insns, len), end);
		if (end == MACHINE_RECORDED) {
			assert_int_equal(m.payload, expected.payload);
			assert_memory_equal(m.out, expected.out, m.payload);
		}
		recorded += end == MACHINE_RECORDED;
		filtered += end == MACHINE_FILTERED;
		faults += end == MACHINE_RECORDED && insns[0].op == KT_OP_FAULTS && m.out[0];
		scratch_only += end == MACHINE_RECORDED && !m.all_regs && m.payload;
	}
	/* All kinds of programs occurred. */
	assert_true(recorded > 20000 && filtered > 2000 && faults > 2000 && scratch_only > 5000);
}

/* Programs with a wrong byte or two: refused, or the evaluator has the same result. */
static void test_damaged(void **state)
{
	u64 accepted = 0;

	srand(3);
	for (u32 i = 0; i < 60000; i++) {
		struct kt_insn insns[KT_MAX_PROG];
		struct machine m, expected;
		u32 len = random_program(insns);
		enum machine_end end;

		for (int n = rand() % 3; n >= 0; n--)
			((u8 *)insns)[rand() % (len * sizeof(*insns))] = rand();
		machine_reset(&m);
		machine_dice(&m);
		expected = m;
		end = machine_run(&m, insns, len);
		if (end == MACHINE_REFUSED)
			continue;
		accepted++;
		assert_int_equal(machine_evaluate(&expected, insns, len), end);
		if (end == MACHINE_RECORDED)
			assert_memory_equal(m.out, expected.out, m.payload);
	}
	assert_true(accepted > 5000);
}

/* A program that reads only user memory, or nothing, does the same when it is confined to that. */
static void test_confined_random(void **state)
{
	u32 compared = 0;

	srand(4);
	for (u32 i = 0; i < 20000; i++) {
		struct kt_insn insns[KT_MAX_PROG];
		struct machine m, confined;
		u32 len = random_program(insns);
		enum machine_end end, confined_end;

		machine_reset(&m);
		machine_dice(&m);
		m.user_at = 0x7f0000001000;
		for (u32 r = 0; r < KT_NR_GENERAL; r++)
			if (rand() % 2)
				m.regs.general[r] = m.user_at + rand() % MACHINE_BYTES;
		confined = m;
		confined.confined = true;
		end = machine_run(&m, insns, len);
		confined_end = machine_run(&confined, insns, len);
		if (confined_end == MACHINE_REFUSED)
			continue;
		compared++;
		assert_int_equal(confined_end, end);
		if (end == MACHINE_RECORDED)
			assert_memory_equal(m.out, confined.out, m.payload);
	}
	assert_true(compared > 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random), cmocka_unit_test(test_damaged), cmocka_unit_test(test_confined_random),
	};

	return cmocka_run_group_tests_name("capture_random", tests, NULL, NULL);
}
