// SPDX-License-Identifier: GPL-2.0-or-later
/* test_generate_measure_step.c - interrupt the generated code of a measurement at each instruction: nothing is lost. */
#include "unit.h"

#if defined(__x86_64__) || defined(EMULATED)

#include "measure_scene.h"

/*
 * An interrupt of this CPU between any two instructions, by other calls, and by the thread that gives back what threads that are gone
 * have left.  The interval is the one that was opened; nothing is lost.
 */
static u64 entered, taken, abandoned;

static void enter(u32 k, u64 thread)
{
	struct kt_interval *at = kt_interval_find(&intervals, key_of(k), 6), *outer = READ_ONCE(all.mine.inner);

	kt_add_local(&entered, 1);
	if (at)
		at = kt_interval_take_over(&intervals, key_of(k), thread);
	if (at)
		kt_add_local(&abandoned, 1);
	else
		at = kt_interval_claim(&intervals, key_of(k));
	assert_non_null(at);
	at->off = at->unwanted = 0;
	at->method = 1;
	at->outer = outer;
	at->pid = (u32)thread;
	WRITE_ONCE(all.mine.inner, at);
	at->start = kt_clock_read();
	kt_interval_publish(at, thread);
}

static void leave(u32 k, u64 thread)
{
	struct kt_interval *at = kt_interval_find(&intervals, key_of(k), 6);
	u64 value;

	if (at && READ_ONCE(at->thread) != thread)
		at = kt_interval_find_own(&intervals, key_of(k), thread, &abandoned);
	if (!at)
		return;
	value = kt_clock_read() - at->start;
	WRITE_ONCE(all.mine.inner, at->outer);
	kt_interval_free(at);
	kt_samples_add(&all.samples, value, 0);
	kt_add_local(&all.buckets[kt_hist_index(value)], 1);
	kt_add_local(&taken, 1);
}

static bool is_gone(u32 pid, u64 thread)
{
	return thread == OTHER;
}

static void others_call(void)
{
	enter(4, MINE);
	enter(2, MINE);
	enter(7, MINE);
	leave(7, MINE);
	leave(2, MINE);
	leave(4, MINE);
}

static void reap(void)
{
	kt_intervals_mark(&intervals, is_gone);
	abandoned += kt_intervals_reap(&intervals, is_gone);
}

static void reap_and_call(void)
{
	reap();
	others_call();
}

/* Its samples change the carry, the least and the largest. */
static void call_long(void)
{
	struct kt_interval *at;

	enter(3, MINE);
	at = kt_interval_find(&intervals, key_of(3), 6);
	at->start -= 3ULL << 32;
	leave(3, MINE);
	enter(3, MINE);
	kt_interval_find(&intervals, key_of(3), 6)->start = kt_clock_read() + 50;
	leave(3, MINE);
}

/* It stays open, in the place that the code looks at. */
static void claim(void)
{
	enter(4, MINE);
}

static u64 nr_open(void)
{
	u64 n = 0;

	for (u32 i = 0; i < SLOTS + KT_INTERVAL_REACH; i++) {
		assert_true(!all.slots[i].key == !all.slots[i].thread);
		assert_int_equal(all.slots[i].thread & KT_INTERVAL_GONE, 0);
		n += !!all.slots[i].key;
	}
	return n;
}

static u64 in_buckets(void)
{
	u64 n = 0;

	for (u32 i = 0; i < KT_HIST_BUCKETS; i++)
		n += all.buckets[i];
	return n;
}

/* What is open before: an enclosing call; places that are taken; a call of a thread that is gone, at the same key. */
enum { ENCLOSED = 1, BEHIND = 2, DEAD = 4 };

static void step_begin(bool begins, u32 open)
{
	reset_all();
	entered = taken = abandoned = 0;
	if (open & ENCLOSED)
		enter(0, MINE);
	if (open & BEHIND) {
		enter(5, MINE);
		enter(0, MINE);
	}
	if (open & DEAD)
		enter(1, OTHER);
	if (!begins && !(open & DEAD))
		enter(1, MINE);
	steps_on();
}

static void step_check(bool begins, u64 from)
{
	const struct kt_interval *at = kt_interval_find(&intervals, key_of(1), 6);
	const u64 to = kt_clock_read();

	if (begins) {
		assert_non_null(at);
		assert_int_equal(at->thread, MINE);
		assert_true(is_before(from, at->start) && is_before(at->start, to));
		assert_ptr_equal(all.mine.inner, at);
		leave(1, MINE);
	} else {
		assert_null(at);
	}
	assert_int_equal(entered, taken + abandoned + nr_open());
	assert_int_equal(all.samples.count, taken);
	assert_int_equal(in_buckets(), taken);
}

/* Returns the instructions without the trampoline. */
static u32 play(bool begins, u32 open, void (*by)(void))
{
	const void *code = NULL;
	u32 left = 0;

	steps_do(by);
	for_each_step() {
		u64 from;

		reset_all();
		code = code_of(begins, 1, true);
		step_begin(begins, open);
		from = kt_clock_read();
		run_direct(&machine, code);
		steps_off();
		left += hit_left;
		if (hit_left && begins)
			enter(1, MINE);
		else if (hit_left)
			leave(1, MINE);
		else if (begins)
			entered++;
		else
			taken++;
		if (by == claim && steps_met())
			leave(4, MINE);
		if (by == claim)
			all.mine.inner = kt_interval_find(&intervals, key_of(1), 6);
		step_check(begins, from);
	}
	return left ? 0 : steps_count();
}

static void test_interrupted(void **state)
{
	void (*const by[])(void) = { others_call, reap_and_call, call_long, claim };
	u32 begin = 0, end = 0;

	for (u32 i = 0; i < ARRAY_SIZE(by); i++) {
		for (u32 open = 0; open < 8; open++) {
			const u32 steps = play(true, open, by[i]);

			if (!open && by[i] == others_call)
				begin = steps;
			if (open & DEAD)
				continue;
			if (!open && by[i] == others_call)
				end = play(false, open, by[i]);
			else
				play(false, open, by[i]);
		}
	}
	signal(SIGTRAP, SIG_DFL);
	print_message("begin: %u instructions, end: %u\n", begin, end);
	assert_int_equal(begin, STEPS_BEGIN);
	assert_in_range(end, STEPS_END_LEAST, STEPS_END);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interrupted),
	};

	return cmocka_run_group_tests_name("generate_measure_step", tests, begin_tests, NULL);
}

#else

/* For arm64 these tests are emulated: tests/unit/arm64. */
int main(void)
{
	return 0;
}

#endif
