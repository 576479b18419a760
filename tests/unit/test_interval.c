// SPDX-License-Identifier: GPL-2.0-or-later
/* Open intervals: the table compared with a plain list, from one thread and from many; groups by key. */
#include "unit.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/interval.c"
#include "core/group.h"

static struct kt_intervals intervals;

static void create(u32 nr, u32 saved)
{
	kt_intervals_plan(&intervals, nr, saved);
	intervals.slots = calloc(1, kt_intervals_bytes(&intervals));
	assert_non_null(intervals.slots);
}

static void destroy(void)
{
	free(intervals.slots);
}

static struct kt_interval *find(u64 key)
{
	return kt_interval_find(&intervals, key, intervals.size_shift);
}

/* Stack pointers of threads with recursive calls. */
static u64 key_of(u64 thread, u64 depth)
{
	return 0xffffc90000004000ULL + thread * 0x8000 - depth * 0x30;
}

static void test_open_and_close(void **state)
{
	struct kt_interval *interval;

	create(64, 40);
	assert_null(find(key_of(1, 0)));
	interval = kt_interval_claim(&intervals, key_of(1, 0));
	assert_non_null(interval);
	interval->saved[9] = 7;
	assert_ptr_equal(find(key_of(1, 0)), interval);
	assert_null(find(key_of(1, 1)));
	kt_interval_free(interval);
	assert_null(find(key_of(1, 0)));
	destroy();
}

static struct kt_interval *open_among(u64 key, u64 process)
{
	struct kt_interval *interval = kt_interval_claim(&intervals, key);

	assert_non_null(interval);
	kt_interval_publish(interval, process);
	return interval;
}

/* A process can choose its stack pointer, and so the key of another one: neither sees the other's call, nor ends it. */
static void test_among(void **state)
{
	struct kt_interval *mine, *other;

	create(64, 0);
	mine = open_among(77, 1000);
	assert_null(kt_interval_find_among(&intervals, 77, 2000));
	other = open_among(77, 2000);
	assert_ptr_equal(kt_interval_find_among(&intervals, 77, 1000), mine);
	assert_ptr_equal(kt_interval_find_among(&intervals, 77, 2000), other);
	/* Only one thread closes it. */
	assert_true(kt_interval_take(other, 2000));
	assert_false(kt_interval_take(other, 2000));
	assert_null(kt_interval_find_among(&intervals, 77, 2000));
	kt_interval_publish(other, 2000);
	assert_ptr_equal(kt_interval_find_among(&intervals, 77, 2000), other);
	assert_true(kt_interval_take(other, 2000));
	kt_interval_free(other);
	assert_ptr_equal(kt_interval_find_among(&intervals, 77, 1000), mine);
	/* The thread that began it is gone, but the call goes on in another one. */
	mine->thread |= KT_INTERVAL_GONE;
	assert_ptr_equal(kt_interval_find_among(&intervals, 77, 1000), mine);
	assert_true(mine->thread == 1000);
	destroy();
}

/* Each has its own place as long as there are free places, whatever is opened and closed in between. */
static void test_against_list(void **state)
{
	enum { KEYS = 200 };
	struct kt_interval *open[KEYS] = { NULL };

	create(256, 0);
	for (unsigned int i = 0; i < 200000; i++) {
		const unsigned int k = rand() % KEYS;
		const u64 key = key_of(k % 10, k / 10);

		assert_ptr_equal(find(key), open[k]);
		if (open[k]) {
			assert_int_equal(open[k]->start, k);
			kt_interval_free(open[k]);
			open[k] = NULL;
		} else {
			open[k] = kt_interval_claim(&intervals, key);
			if (open[k])
				open[k]->start = k;
		}
	}
	assert_true(intervals.reach > 1 && intervals.reach <= KT_INTERVAL_REACH);
	destroy();
}

/* No more than the table holds; the existing ones stay findable. */
static void test_overflow(void **state)
{
	u64 had = 0, refused = 0;

	create(64, 0);
	for (u64 i = 0; i < 1000; i++) {
		if (kt_interval_claim(&intervals, key_of(i, i % 7)))
			had++;
		else
			refused++;
	}
	assert_true(had >= 64 && had <= 64 + KT_INTERVAL_REACH);
	assert_int_equal(had + refused, 1000);
	for (u64 i = 0; i < 1000; i++)
		had -= find(key_of(i, i % 7)) != NULL;
	assert_int_equal(had, 0);
	destroy();
}

static void test_encloses(void **state)
{
	struct kt_interval outer = { .key = key_of(1, 0), .thread = 5 };

	assert_true(kt_interval_encloses(&outer, key_of(1, 3), 5, 0x4000));
	assert_false(kt_interval_encloses(&outer, key_of(1, 0), 5, 0x4000));
	assert_false(kt_interval_encloses(&outer, key_of(1, 3), 6, 0x4000));
	assert_false(kt_interval_encloses(&outer, key_of(2, 3), 5, 0x4000));
	assert_false(kt_interval_encloses(NULL, key_of(1, 3), 5, 0x4000));
	outer.key = 0;
	assert_false(kt_interval_encloses(&outer, key_of(1, 3), 5, 0x4000));
}

/* Threads with even numbers no longer exist. */
static bool gone(u32 pid, u64 thread)
{
	assert_int_equal(pid, thread);
	return pid % 2 == 0;
}

static void test_reap(void **state)
{
	create(256, 0);
	for (u32 i = 1; i <= 100; i++) {
		struct kt_interval *interval = kt_interval_claim(&intervals, key_of(i, 0));

		interval->pid = i;
		if (i <= 90)		/* the others are just being filled */
			kt_interval_publish(interval, i);
	}
	assert_int_equal(kt_intervals_open(&intervals), 100);
	assert_int_equal(kt_intervals_reap(&intervals, gone), 0);
	assert_true(kt_intervals_mark(&intervals, gone));
	assert_int_equal(kt_intervals_open(&intervals), 100);
	assert_int_equal(kt_intervals_reap(&intervals, gone), 45);
	assert_int_equal(kt_intervals_open(&intervals), 55);
	assert_false(kt_intervals_mark(&intervals, gone));
	for (u32 i = 1; i <= 100; i++)
		assert_int_equal(find(key_of(i, 0)) != NULL, i > 90 || i % 2);
	destroy();
}

/*
 * A marked interval whose thread comes back belongs to that thread again; one that was taken is not given back.
 */
static void test_marked(void **state)
{
	u64 abandoned = 0;
	struct kt_interval *own, *other;

	create(64, 0);
	own = kt_interval_claim(&intervals, key_of(2, 0));
	other = kt_interval_claim(&intervals, key_of(4, 0));
	own->pid = 2;
	other->pid = 4;
	kt_interval_publish(own, 2);
	kt_interval_publish(other, 4);
	assert_true(kt_intervals_mark(&intervals, gone));
	assert_ptr_equal(kt_interval_find_own(&intervals, key_of(2, 0), 2, &abandoned), own);
	assert_ptr_equal(kt_interval_take_over(&intervals, key_of(4, 0), 5), other);
	assert_null(kt_interval_take_over(&intervals, key_of(4, 0), 6));
	other->pid = 5;
	kt_interval_publish(other, 5);
	assert_int_equal(kt_intervals_reap(&intervals, gone), 0);
	assert_null(kt_interval_find_own(&intervals, key_of(4, 0), 6, &abandoned));
	assert_int_equal(abandoned, 1);
	assert_null(find(key_of(4, 0)));
	kt_interval_free(own);
	assert_int_equal(kt_intervals_open(&intervals), 0);
	destroy();
}

/* The first idle task began at 0: its intervals are found, and only it takes them over. */
static void test_thread_of_zero(void **state)
{
	u64 abandoned = 0;
	struct kt_interval *interval;

	create(64, 0);
	interval = kt_interval_claim(&intervals, key_of(0, 0));
	interval->pid = 0;
	kt_interval_publish(interval, 0);
	assert_false(kt_intervals_mark(&intervals, gone));
	assert_ptr_equal(kt_interval_find_own(&intervals, key_of(0, 0), 0, &abandoned), interval);
	assert_null(kt_interval_take_over(&intervals, key_of(0, 0), 7));
	assert_ptr_equal(kt_interval_take_over(&intervals, key_of(0, 0), 0), interval);
	destroy();
}

/* Threads open and close their own intervals, while another thread looks for threads that no longer exist. */
static bool never(u32 pid, u64 thread)
{
	return false;
}

static void *work(void *arg)
{
	const u64 thread = (uintptr_t)arg;
	u64 lost = 0;

	for (unsigned int i = 0; i < 20000; i++) {
		struct kt_interval *open[8];

		for (unsigned int depth = 0; depth < 8; depth++) {
			open[depth] = kt_interval_claim(&intervals, key_of(thread, depth));
			if (!open[depth]) {
				lost++;
				continue;
			}
			open[depth]->pid = thread;
			kt_interval_publish(open[depth], thread);
		}
		for (unsigned int depth = 8; depth-- > 0;) {
			if (find(key_of(thread, depth)) != open[depth] ||
			    (open[depth] && open[depth]->thread != thread))
				return (void *)-1;
			if (open[depth])
				kt_interval_free(open[depth]);
		}
	}
	return (void *)(uintptr_t)lost;
}

static void test_threads(void **state)
{
	pthread_t threads[4];
	void *lost;

	create(128, 0);
	for (uintptr_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)(i + 1)), 0);
	for (unsigned int i = 0; i < 100; i++)
		assert_false(kt_intervals_mark(&intervals, never));
	for (unsigned int i = 0; i < 4; i++) {
		pthread_join(threads[i], &lost);
		assert_int_equal((uintptr_t)lost, 0);
	}
	assert_int_equal(kt_intervals_open(&intervals), 0);
	destroy();
}

/*
 * Threads come one after the other, reuse each other's stacks, and leave intervals open at their end. Others
 * open intervals that collide with them, and another thread gives back abandoned ones. The counts agree.
 */
enum { STACKS = 4 };
static u64 living[STACKS];
static u64 n_entered, n_taken, n_superseded, n_overflow;

static bool gone_now(u32 pid, u64 thread)
{
	return pid && __atomic_load_n(&living[pid % STACKS], __ATOMIC_ACQUIRE) != thread;
}

static void counted(u64 *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static void enter_as(u64 key, u32 pid, u64 thread)
{
	struct kt_interval *interval = find(key);

	counted(&n_entered);
	if (interval)
		interval = kt_interval_take_over(&intervals, key, thread);
	if (interval)
		counted(&n_superseded);
	else
		interval = kt_interval_claim(&intervals, key);
	if (!interval) {
		counted(&n_overflow);
		return;
	}
	interval->pid = pid;
	interval->start = thread ^ key;
	kt_interval_publish(interval, thread);
}

static bool leave_as(u64 key, u64 thread)
{
	u64 abandoned = 0;
	struct kt_interval *interval = find(key);
	bool good;

	if (interval && READ_ONCE(interval->thread) != thread)
		interval = kt_interval_find_own(&intervals, key, thread, &abandoned);
	__atomic_fetch_add(&n_superseded, abandoned, __ATOMIC_RELAXED);
	if (!interval)
		return false;
	good = interval->start == (thread ^ key) && interval->key == key;
	kt_interval_free(interval);
	counted(&n_taken);
	return good;
}

static void *live_and_die(void *arg)
{
	const u32 stack = (uintptr_t)arg;

	for (u64 life = 1; life < 20000; life++) {
		const u64 thread = life << 8 | stack;

		__atomic_store_n(&living[stack], thread, __ATOMIC_RELEASE);
		for (u32 depth = 0; depth < 4; depth++)
			enter_as(key_of(stack, depth), STACKS + stack, thread);
		for (u32 depth = 4; depth-- > life % 4;)
			if (!leave_as(key_of(stack, depth), thread))
				return (void *)-1;
	}
	return NULL;
}

static void test_threads_that_go(void **state)
{
	pthread_t threads[STACKS];
	u64 reaped = 0;
	void *bad;

	create(64, 0);
	for (uintptr_t i = 0; i < STACKS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, live_and_die, (void *)i), 0);
	for (unsigned int i = 0; i < 2000; i++) {
		kt_intervals_mark(&intervals, gone_now);
		reaped += kt_intervals_reap(&intervals, gone_now);
	}
	for (unsigned int i = 0; i < STACKS; i++) {
		pthread_join(threads[i], &bad);
		assert_null(bad);
	}
	assert_int_equal(n_overflow, 0);
	assert_int_equal(n_entered, n_taken + n_superseded + reaped + kt_intervals_open(&intervals));
	destroy();
}

static void test_groups(void **state)
{
	struct kt_group groups[16] = { 0 };
	u32 had[64], others = 0;

	for (u64 i = 0; i < 64; i++) {
		const u64 key[2] = { i % 8, i / 8 };

		had[i] = kt_group_of(groups, 16, key);
		others += had[i] == KT_NO_GROUP;
	}
	assert_int_equal(others, 48);
	for (u64 i = 0; i < 64; i++) {
		const u64 key[2] = { i % 8, i / 8 };

		assert_int_equal(kt_group_of(groups, 16, key), had[i]);
		for (u64 j = 0; j < i; j++)
			assert_true(had[i] == KT_NO_GROUP || had[i] != had[j]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open_and_close), cmocka_unit_test(test_against_list),
		cmocka_unit_test(test_among),
		cmocka_unit_test(test_overflow),	cmocka_unit_test(test_encloses),
		cmocka_unit_test(test_reap),		cmocka_unit_test(test_marked),
		cmocka_unit_test(test_thread_of_zero),	cmocka_unit_test(test_threads),
		cmocka_unit_test(test_threads_that_go),	cmocka_unit_test(test_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
