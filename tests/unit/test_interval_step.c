// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_interval_step.c - the table of open intervals as the compiler made it. A thread that enters and leaves a
 * call, and a thread that gives back abandoned intervals, are interrupted behind each of their instructions by
 * operations that collide with them.
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/interval.c"
#include "interrupt_step.h"

enum { DENSE = 300, SPARSE = 800, SPARSE_STRIDE = 41 };
enum { KEYS = KT_INTERVAL_REACH + 8, DEAD = 9, LIVE = 10 };

static struct kt_intervals intervals;
static u64 keys[KEYS];		/* all with the same home */
static u64 begun[KEYS];		/* the entry that is open; 0: none */
static u64 entered, overflow, abandoned, returned, taken, unmatched;
static unsigned int runs;

/* ------------------------------------------------------------------- hits */

static void enter(u32 k, u32 thread)
{
	struct kt_interval *interval = kt_interval_find(&intervals, keys[k], intervals.size_shift);

	kt_add_local(&entered, 1);
	if (interval)
		interval = kt_interval_take_over(&intervals, keys[k], thread);
	if (interval)
		kt_add_local(&abandoned, 1);
	else
		interval = kt_interval_claim(&intervals, keys[k]);
	if (!interval) {
		kt_add_local(&overflow, 1);
		return;
	}
	WRITE_ONCE(interval->pid, thread);
	WRITE_ONCE(interval->start, READ_ONCE(entered));
	WRITE_ONCE(begun[k], READ_ONCE(interval->start));
	kt_interval_publish(interval, thread);
}

/* The interval that is found is the one that was opened. */
static void leave(u32 k, u32 thread)
{
	struct kt_interval *interval = kt_interval_find(&intervals, keys[k], intervals.size_shift);

	kt_add_local(&returned, 1);
	if (interval && READ_ONCE(interval->thread) != thread)
		interval = kt_interval_find_own(&intervals, keys[k], thread, &abandoned);
	if (!interval) {
		assert_int_equal(begun[k], 0);
		kt_add_local(&unmatched, 1);
		return;
	}
	assert_int_equal(interval->start, begun[k]);
	assert_int_equal(READ_ONCE(interval->thread) & ~KT_INTERVAL_GONE, thread);	/* it may be marked meanwhile */
	begun[k] = 0;
	kt_interval_free(interval);
	kt_add_local(&taken, 1);
}

static bool gone(u32 pid, u64 thread)
{
	return pid != LIVE || thread != LIVE;
}

static void reap(void)
{
	kt_intervals_mark(&intervals, gone);
	kt_add_local(&abandoned, kt_intervals_reap(&intervals, gone));
}

/* Its two steps: hits may be in progress during either, but no hit during both. */
static void mark(void)
{
	kt_intervals_mark(&intervals, gone);
}

static void reap_marked(void)
{
	kt_add_local(&abandoned, kt_intervals_reap(&intervals, gone));
}

/* ------------------------------------------------------------------- scenes */

struct scene {
	void (*outer)(void);
	void (*nested)(void);
	void (*after)(void);	/* or NULL */
	u32 others;		/* open before, each further from its home */
	bool dead;		/* and one whose thread no longer exists */
	void (*first)(void);	/* done before, or NULL */
	u32 stride;		/* interrupt only every so many instructions, in long operations */
	bool walks;		/* it walks over the whole table; the first DENSE instructions are about the places in use */
};

static void find_keys(void)
{
	u64 key = 0xffffc90000004000ULL;

	for (u32 k = 0; k < KEYS; key += 8)
		if (kt_interval_home(&intervals, key) == 5)
			keys[k++] = key;
}

static void begin(const struct scene *scene)
{
	memset(intervals.slots, 0, kt_intervals_bytes(&intervals));
	memset(begun, 0, sizeof(begun));
	intervals.reach = 1;
	entered = overflow = abandoned = returned = taken = unmatched = 0;
	if (scene->dead)
		enter(0, DEAD);
	for (u32 k = 8; k < 8 + scene->others; k++)
		enter(k, LIVE);
	if (scene->first)
		scene->first();
}

static u64 count_open(void)
{
	u64 open = 0;

	for (u32 i = 0; i < intervals.nr + KT_INTERVAL_REACH; i++) {
		const struct kt_interval *interval = kt_interval_at(&intervals, i, intervals.size_shift);

		assert_true((interval->key != 0) == (interval->thread != 0));
		assert_false(interval->thread & KT_INTERVAL_GONE);
		open += interval->key != 0;
	}
	return open;
}

static void check(const struct scene *scene)
{
	assert_int_equal(entered, taken + count_open() + abandoned + overflow);
	assert_int_equal(returned, taken + unmatched);
	for (u32 k = 8; k < 8 + scene->others; k++)
		leave(k, LIVE);
	assert_int_equal(returned, taken + unmatched);
}

/* Each step costs a signal, and each run all steps before its own: be sparse where one place is like another. */
static u32 stride_of(const struct scene *scene)
{
	if (scene->walks)
		return plan.at < DENSE ? 1 : SPARSE_STRIDE;
	return scene->stride ? scene->stride : 1;
}

static void play(const struct scene *scene)
{
	plan.nested = scene->nested;
	plan.met = true;
	for (plan.at = 0; plan.met && !(scene->walks && plan.at >= SPARSE); plan.at += stride_of(scene)) {
		begin(scene);
		plan_run(scene->outer);
		if (scene->after)
			scene->after();
		check(scene);
		runs++;
	}
	assert_true(plan.at > 20);
}

static void call(void)
{
	enter(1, LIVE);
	leave(1, LIVE);
}

static void nested_calls(void)
{
	for (u32 k = 2; k < 5; k++)
		enter(k, LIVE);
	for (u32 k = 4; k >= 2; k--)
		leave(k, LIVE);
}

/* Enter without leaving, then enter again; leave without entering. */
static void nested_halves(void)
{
	enter(2, LIVE);
	enter(3, LIVE);
	enter(2, LIVE);
	leave(4, LIVE);
}

static void nested_reap_and_calls(void)
{
	reap();
	nested_calls();
}

/* A new thread has the stack of a thread that no longer exists. */
static void same_stack(void)
{
	enter(0, LIVE);
	leave(0, LIVE);
}

static void same_stack_enter(void)
{
	enter(0, LIVE);
}

/* The call is found, whenever it was entered; or it was not entered before the last step. */
static void same_stack_leave(void)
{
	const u64 had = taken;

	if (!plan.met)
		return;
	leave(0, LIVE);
	assert_int_equal(taken, had + 1);
}

/* Another call claims the place as soon as it is free. */
static void second_claimer(void)
{
	enter(1, LIVE);
	enter(2, LIVE);
}

static void reap_and_claim(void)
{
	reap();
	second_claimer();
}

static void reap_marked_and_claim(void)
{
	reap_marked();
	second_claimer();
}

/* All three have their own places. */
static void leave_all(void)
{
	const u64 had = taken;

	if (!plan.met)
		return;
	leave(1, LIVE);
	leave(2, LIVE);
	leave(0, LIVE);
	assert_int_equal(taken, had + 3);
}

static void reap_and_leave_all(void)
{
	reap_marked();
	leave_all();
}

/* A thread that looked dead executes its last instructions. */
static void dead_leave(void)
{
	leave(0, DEAD);
}

static void dead_leave_after(void)
{
	reap_marked();
	assert_int_equal(taken, 1);
	assert_int_equal(abandoned, 0);
}

static void dead_leave_end(void)
{
	reap_marked();
	if (plan.met)
		assert_int_equal(taken, 1);
}

static void test_calls(void **state)
{
	static const struct scene scenes[] = {
		{ .outer = call, .nested = nested_calls },
		{ .outer = call, .nested = nested_calls, .others = 3 },
		{ .outer = call, .nested = nested_halves },
		{ .outer = call, .nested = nested_halves, .others = 3 },
		{ .outer = call, .nested = nested_reap_and_calls, .others = 3, .dead = true },
	};

	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
		play(&scenes[i]);
}

/* There is room for all but some. */
static void test_overflow(void **state)
{
	for (u32 room = 0; room < 4; room++) {
		struct scene scene = { .outer = call, .nested = nested_calls, .others = KT_INTERVAL_REACH - room, .stride = 83 };

		play(&scene);
		scene.nested = nested_halves;
		play(&scene);
	}
}

/*
 * A thread enters with the key of a dead thread, and is interrupted by the thread that gives back that
 * interval.
 */
static void test_take_over(void **state)
{
	static const struct scene scenes[] = {
		{ .outer = same_stack_enter, .nested = reap_and_claim, .after = leave_all, .dead = true },
		{ .outer = same_stack_enter, .nested = reap_and_claim, .after = leave_all, .others = 3, .dead = true },
		{ .outer = same_stack_enter, .nested = reap_marked_and_claim, .after = leave_all, .dead = true, .first = mark },
		{ .outer = same_stack_enter, .nested = reap_marked_and_claim, .after = leave_all, .others = 3, .dead = true,
		  .first = mark },
		{ .outer = same_stack, .nested = reap, .dead = true },
		{ .outer = dead_leave, .nested = mark, .after = dead_leave_after, .dead = true },
		{ .outer = dead_leave, .nested = mark, .after = dead_leave_after, .others = 3, .dead = true },
	};

	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
		play(&scenes[i]);
}

/* The thread that gives back is interrupted by one that takes over, and by one that claims a free place. */
static void same_stack_and_claim(void)
{
	enter(0, LIVE);
	second_claimer();
}

static void test_reap(void **state)
{
	static const struct scene scenes[] = {
		{ .outer = reap, .nested = same_stack_and_claim, .after = leave_all, .dead = true, .walks = true },
		{ .outer = reap_marked, .nested = same_stack_and_claim, .after = leave_all, .dead = true, .first = mark,
		  .walks = true },
		{ .outer = mark, .nested = same_stack_and_claim, .after = reap_and_leave_all, .dead = true, .walks = true },
		{ .outer = mark, .nested = dead_leave, .after = dead_leave_end, .dead = true, .walks = true },
		{ .outer = reap, .nested = nested_calls, .others = 2, .dead = true, .walks = true },
		{ .outer = reap, .nested = same_stack, .dead = true, .walks = true },
		{ .outer = reap, .nested = same_stack_enter, .after = same_stack_leave, .dead = true, .walks = true },
		{ .outer = reap, .nested = same_stack_enter, .after = same_stack_leave, .others = 2, .dead = true, .walks = true },
	};

	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
		play(&scenes[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),	 cmocka_unit_test(test_take_over),
		cmocka_unit_test(test_reap),	 cmocka_unit_test(test_overflow),
	};
	int failed;

	kt_intervals_plan(&intervals, 64, 0);
	intervals.slots = calloc(1, kt_intervals_bytes(&intervals));
	if (!intervals.slots)
		return 1;
	find_keys();
	failed = cmocka_run_group_tests_name("open calls, instruction by instruction", tests, plan_setup, NULL);
	if (getenv("V"))
		fprintf(stderr, "%u calls and searches were interrupted in different ways\n", runs);
	free(intervals.slots);
	return failed;
}
