// SPDX-License-Identifier: GPL-2.0-or-later
/* Open calls: the table against a plain list of them, from one thread and from many; groups by key. */
#include "unit.h"

#include <pthread.h>
#include <stdlib.h>

#include "kmod/pair.c"
#include "kmod/group.h"

static struct kt_pairs pairs;

static void create(u32 nr, u32 saved)
{
	kt_pairs_plan(&pairs, nr, saved);
	pairs.slots = calloc(1, kt_pairs_bytes(&pairs));
	assert_non_null(pairs.slots);
}

static void destroy(void)
{
	free(pairs.slots);
}

static struct kt_pair *find(u64 key)
{
	return kt_pair_find(&pairs, key, pairs.size_shift);
}

/* Stack pointers of threads that call themselves. */
static u64 key_of(u64 thread, u64 depth)
{
	return 0xffffc90000004000ULL + thread * 0x8000 - depth * 0x30;
}

static void test_open_and_close(void **state)
{
	struct kt_pair *pair;

	(void)state;
	create(64, 40);
	assert_null(find(key_of(1, 0)));
	pair = kt_pair_claim(&pairs, key_of(1, 0));
	assert_non_null(pair);
	pair->saved[9] = 7;
	assert_ptr_equal(find(key_of(1, 0)), pair);
	assert_null(find(key_of(1, 1)));
	kt_pair_free(pair);
	assert_null(find(key_of(1, 0)));
	destroy();
}

/* Each has a place of its own as long as there are any, whatever is opened and closed between. */
static void test_against_list(void **state)
{
	enum { KEYS = 200 };
	struct kt_pair *open[KEYS] = { NULL };

	(void)state;
	create(256, 0);
	for (unsigned int i = 0; i < 200000; i++) {
		const unsigned int k = rand() % KEYS;
		const u64 key = key_of(k % 10, k / 10);

		assert_ptr_equal(find(key), open[k]);
		if (open[k]) {
			assert_int_equal(open[k]->start, k);
			kt_pair_free(open[k]);
			open[k] = NULL;
		} else {
			open[k] = kt_pair_claim(&pairs, key);
			if (open[k])
				open[k]->start = k;
		}
	}
	assert_true(pairs.reach > 1 && pairs.reach <= KT_PAIR_REACH);
	destroy();
}

/* No more than there are places; those that are there stay to be found. */
static void test_overflow(void **state)
{
	u64 had = 0, refused = 0;

	(void)state;
	create(64, 0);
	for (u64 i = 0; i < 1000; i++) {
		if (kt_pair_claim(&pairs, key_of(i, i % 7)))
			had++;
		else
			refused++;
	}
	assert_true(had >= 64 && had <= 64 + KT_PAIR_REACH);
	assert_int_equal(had + refused, 1000);
	for (u64 i = 0; i < 1000; i++)
		had -= find(key_of(i, i % 7)) != NULL;
	assert_int_equal(had, 0);
	destroy();
}

static void test_encloses(void **state)
{
	struct kt_pair outer = { .key = key_of(1, 0), .thread = 5 };

	(void)state;
	assert_true(kt_pair_encloses(&outer, key_of(1, 3), 5, 0x4000));
	assert_false(kt_pair_encloses(&outer, key_of(1, 0), 5, 0x4000));
	assert_false(kt_pair_encloses(&outer, key_of(1, 3), 6, 0x4000));
	assert_false(kt_pair_encloses(&outer, key_of(2, 3), 5, 0x4000));
	assert_false(kt_pair_encloses(NULL, key_of(1, 3), 5, 0x4000));
	outer.key = 0;
	assert_false(kt_pair_encloses(&outer, key_of(1, 3), 5, 0x4000));
}

/* Threads with even numbers are gone. */
static bool gone(u32 pid, u64 thread)
{
	assert_int_equal(pid, thread);
	return pid % 2 == 0;
}

static void test_reap(void **state)
{
	u64 open;

	(void)state;
	create(256, 0);
	for (u32 i = 1; i <= 100; i++) {
		struct kt_pair *pair = kt_pair_claim(&pairs, key_of(i, 0));

		pair->thread = i;
		pair->pid = i <= 90 ? i : 0;	/* some are only just being filled in */
	}
	assert_int_equal(kt_pairs_reap(&pairs, gone, &open), 45);
	assert_int_equal(open, 55);
	for (u32 i = 1; i <= 100; i++)
		assert_int_equal(find(key_of(i, 0)) != NULL, i > 90 || i % 2);
	destroy();
}

/* Threads open and close, each its own calls, and somebody looks for those that are gone. */
static bool never(u32 pid, u64 thread)
{
	(void)pid;
	(void)thread;
	return false;
}

static void *work(void *arg)
{
	const u64 thread = (uintptr_t)arg;
	u64 lost = 0;

	for (unsigned int i = 0; i < 20000; i++) {
		struct kt_pair *open[8];

		for (unsigned int depth = 0; depth < 8; depth++) {
			open[depth] = kt_pair_claim(&pairs, key_of(thread, depth));
			if (open[depth])
				open[depth]->thread = open[depth]->pid = thread;
			else
				lost++;
		}
		for (unsigned int depth = 8; depth-- > 0;) {
			if (find(key_of(thread, depth)) != open[depth] ||
			    (open[depth] && open[depth]->thread != thread))
				return (void *)-1;
			if (open[depth])
				kt_pair_free(open[depth]);
		}
	}
	return (void *)(uintptr_t)lost;
}

static void test_threads(void **state)
{
	pthread_t threads[4];
	u64 open = 0;
	void *lost;

	(void)state;
	create(128, 0);
	for (uintptr_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)(i + 1)), 0);
	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(kt_pairs_reap(&pairs, never, &open), 0);
	for (unsigned int i = 0; i < 4; i++) {
		pthread_join(threads[i], &lost);
		assert_int_equal((uintptr_t)lost, 0);
	}
	assert_int_equal(kt_pairs_reap(&pairs, never, &open), 0);
	assert_int_equal(open, 0);
	destroy();
}

static void test_groups(void **state)
{
	struct kt_group groups[16] = { 0 };
	u32 had[64], others = 0;

	(void)state;
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
		cmocka_unit_test(test_overflow),	cmocka_unit_test(test_encloses),
		cmocka_unit_test(test_reap),		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
