// SPDX-License-Identifier: GPL-2.0-or-later
/* test_brake.c - when hits are turned away and recorded again, and which tracepoints are disarmed. */
#include "unit.h"

#include "core/brake_rule.c"

#define TICKS	1000000U	/* between two estimates */
#define BUDGET	30U
#define NR_SITES	200U

static const struct kt_brake_cost cost = { .hit = 100, .trap = 900, .fault = 2000 };
static struct kt_brake_state state;

static int reset(void **unused)
{
	(void)unused;
	state = (struct kt_brake_state){ .on = false };
	return 0;
}

static bool look(struct kt_brake_load load)
{
	load.ticks = TICKS;
	return kt_brake_rule(&state, &cost, &load, BUDGET);
}

/* This per cent of the CPU, by cheap hits; or the same by hits that are turned away. */
static struct kt_brake_load of(u32 percent)
{
	return (struct kt_brake_load){ .hits = TICKS / 100 * percent / cost.hit };
}

static struct kt_brake_load turned_away(u32 percent)
{
	struct kt_brake_load load = of(percent);

	load.braked = load.hits;
	return load;
}

/* Apply this load until hits are turned away; that must take exactly the right time. */
static void overload(struct kt_brake_load load)
{
	for (u32 i = 1; i < KT_BRAKE_STRIKES; i++)
		assert_false(look(load));
	assert_true(look(load));
}

static void turn_away_all(void)
{
	while (!look(of(90)))
		;
}

static void test_cost(void **unused)
{
	const struct kt_brake_load load = { .hits = 10, .traps = 2, .faults = 3, .spent = 5000 };
	const struct kt_brake_load excused = { .hits = 10, .excused = 800 };
	const struct kt_brake_load all_excused = { .hits = 10, .excused = 8000 };

	(void)unused;
	assert_int_equal(kt_brake_spent(&state, &cost, &load), 10 * 100 + 2 * 900 + 3 * 2000 + 5000);
	assert_int_equal(kt_brake_spent(&state, &cost, &excused), 200);
	assert_int_equal(kt_brake_spent(&state, &cost, &all_excused), 0);
}

static void test_never_below_budget(void **unused)
{
	(void)unused;
	for (int i = 0; i < 100; i++) {
		assert_false(look(of(10)));
		assert_false(look(of(BUDGET)));
	}
}

static void test_one_burst_is_let_through(void **unused)
{
	(void)unused;
	for (int i = 0; i < 100; i++) {
		for (u32 tick = 1; tick < KT_BRAKE_STRIKES; tick++)
			assert_false(look(of(95)));
		assert_false(look(of(5)));
	}
}

static void test_on_after_so_many_strikes(void **unused)
{
	(void)unused;
	overload(of(BUDGET + 1));
	assert_true(state.on);
}

/* Each kind of cost alone. */
static void test_what_counts(void **unused)
{
	(void)unused;
	overload((struct kt_brake_load){ .hits = 400, .traps = 400 });
	reset(NULL);
	overload((struct kt_brake_load){ .hits = 3, .spent = 400000 });
}

/* A dear hit that started the brake counts as a strike, but only if the load confirms it. */
static void test_early(void **unused)
{
	struct kt_brake_load load = of(50);

	(void)unused;
	load.early = true;
	assert_true(look(load));
	reset(NULL);
	load = of(5);
	load.early = true;
	assert_false(look(load));
}

static void test_stays_while_it_would_be_too_much(void **unused)
{
	(void)unused;
	turn_away_all();
	for (int i = 0; i < 100; i++)
		assert_true(look(turned_away(90)));
	/* Just below the budget is not well below it. */
	for (int i = 0; i < 100; i++)
		assert_true(look(turned_away(BUDGET - 2)));
}

static void test_let_go(void **unused)
{
	(void)unused;
	turn_away_all();
	assert_true(look(turned_away(10)));
	assert_true(look(turned_away(10)));
	assert_false(look(turned_away(10)));
	assert_false(state.on);
	/* And again from the beginning. */
	overload(of(90));
}

static void test_calm_in_a_row(void **unused)
{
	(void)unused;
	turn_away_all();
	for (int i = 0; i < 30; i++) {
		assert_true(look(turned_away(0)));
		assert_true(look(turned_away(0)));
		assert_true(look(turned_away(90)));
	}
}

/* Hits that are turned away are charged with their former cost, including traps. */
static void test_would_be(void **unused)
{
	const struct kt_brake_load dear = { .hits = 20, .spent = 900000 };

	(void)unused;
	overload(dear);
	assert_in_range(state.each, 45000, 45200);
	for (int i = 0; i < 10; i++)
		assert_true(look((struct kt_brake_load){ .hits = 10, .braked = 10 }));
	for (u32 i = 1; i < KT_BRAKE_CALM; i++)
		assert_true(look((struct kt_brake_load){ .hits = 2, .braked = 2 }));
	assert_false(look((struct kt_brake_load){ .hits = 2, .braked = 2 }));
}

/* The average of failed loads contains only these, not the time that dear hits took by the clock. */
static void test_failed_loads(void **unused)
{
	const struct kt_brake_load dear = { .hits = 20, .spent = 900000 };
	const struct kt_brake_load failing = { .hits = 200, .faults = 400 };

	(void)unused;
	overload(dear);
	assert_int_equal(state.faults, 0);
	reset(NULL);
	overload(failing);
	assert_int_equal(state.faults, 2 * cost.fault);
	assert_int_equal(state.each, cost.hit + 2 * cost.fault + 1);
}

static void test_off(void **unused)
{
	struct kt_brake_load load = of(99);

	(void)unused;
	turn_away_all();
	load.ticks = TICKS;
	for (int i = 0; i < 10; i++)
		assert_false(kt_brake_rule(&state, &cost, &load, 0));
}

/* --------------------------------------------------------------- the dearest */

static u32 cut_of(const u64 *ticks, size_t n, u64 most)
{
	struct kt_brake_classes classes = { { 0 } };

	for (size_t i = 0; i < n; i++)
		kt_brake_class_add(&classes, ticks[i]);
	return kt_brake_cut(&classes, most);
}

static void test_classes(void **unused)
{
	(void)unused;
	assert_int_equal(kt_brake_class(0), 0);
	assert_int_equal(kt_brake_class(1), 1);
	assert_int_equal(kt_brake_class(1023), 10);
	assert_int_equal(kt_brake_class(1024), 11);
	assert_int_equal(kt_brake_class(~0ULL), KT_BRAKE_CLASSES - 1);
}

static void test_cut(void **unused)
{
	const u64 one_dear[] = { 10, 20, 30, 100000, 15 }, same[] = { 500, 500, 500, 500 };

	(void)unused;
	assert_int_equal(cut_of(one_dear, 5, 1000000), KT_BRAKE_CLASSES);
	assert_int_equal(cut_of(one_dear, 5, 1000), kt_brake_class(100000));
	assert_int_equal(cut_of(one_dear, 5, 75), kt_brake_class(100000));
	/* Tracepoints of one class go together. */
	assert_int_equal(cut_of(same, 4, 1999), kt_brake_class(500));
	assert_int_equal(cut_of(same, 4, 2000), KT_BRAKE_CLASSES);
	assert_int_equal(cut_of(NULL, 0, 0), KT_BRAKE_CLASSES);
}

/* The rest never takes more than the limit; with one more class it would. */
static void test_cut_at_random(void **unused)
{
	u64 ticks[NR_SITES], seed = 12345;

	(void)unused;
	for (int round = 0; round < 500; round++) {
		u64 left = 0, with_next = 0, most;
		u32 cut;

		for (size_t i = 0; i < NR_SITES; i++) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			ticks[i] = (seed >> 20) >> (seed % 44);
		}
		most = seed >> (16 + seed % 40);
		cut = cut_of(ticks, NR_SITES, most);
		for (size_t i = 0; i < NR_SITES; i++) {
			left += kt_brake_class(ticks[i]) < cut ? ticks[i] : 0;
			with_next += kt_brake_class(ticks[i]) <= cut ? ticks[i] : 0;
		}
		assert_true(left <= most);
		assert_true(cut == KT_BRAKE_CLASSES || with_next > most);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_cost, reset),
		cmocka_unit_test_setup(test_never_below_budget, reset),
		cmocka_unit_test_setup(test_one_burst_is_let_through, reset),
		cmocka_unit_test_setup(test_on_after_so_many_strikes, reset),
		cmocka_unit_test_setup(test_what_counts, reset),
		cmocka_unit_test_setup(test_early, reset),
		cmocka_unit_test_setup(test_stays_while_it_would_be_too_much, reset),
		cmocka_unit_test_setup(test_let_go, reset),
		cmocka_unit_test_setup(test_calm_in_a_row, reset),
		cmocka_unit_test_setup(test_would_be, reset),
		cmocka_unit_test_setup(test_failed_loads, reset),
		cmocka_unit_test_setup(test_off, reset),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_cut_at_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
