// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_generate_measure.c - generated code for jumps that begin or end a call in a measurement: on the CPU of this machine,
 * compared with core/interval.h and core/samples.h, with all registers and the flags.
 */
#include "unit.h"

#if defined(__x86_64__) || defined(EMULATED)

#include "measure_scene.h"

#define NEAR		16384

static struct all before, after;

/* ---------------------------------------------------------- what the code does */

/* The times that the code has read, and the task. */
struct times {
	u64 start, charged, thread;
};

static bool encloses(const struct kt_interval *outer, u64 key, u64 thread)
{
	return kt_interval_encloses(outer, key, thread, NEAR);
}

/* As kt_fast_open_far(), but the table does not reach further.  NULL: left to C. */
static struct kt_interval *room_for(u64 key)
{
	struct kt_interval *at = kt_interval_home_of(&intervals, key, 6);

	if (kt_interval_find(&intervals, key, 6))
		return NULL;
	for (u32 n = 0; n < intervals.reach; n++, at++)
		if (!at->key)
			return at;
	return NULL;
}

static bool begin_in_c(u64 key, const struct times *t)
{
	struct kt_interval *at = room_for(key), *outer = all.mine.inner;

	if (!at)
		return false;
	all.mine.inner = at;
	*at = (struct kt_interval){
		.key = key, .start = t->start, .thread = t->thread, .outer = outer, .pid = task[0], .method = KT_METHOD_JUMP,
		.part = at->part, .whole = at->whole,
	};
	if (encloses(outer, key, t->thread))
		outer->off += t->charged;
	all.mine.entered++;
	return true;
}

static void sample_in_c(u64 value, u64 off, bool clamped)
{
	all.mine.value = value;
	kt_samples_add(&all.samples, value, off);
	all.buckets[kt_hist_index(value)]++;
	all.samples.clamped += clamped;
}

/* now: when the hit began. */
static bool end_in_c(u64 key, u64 now, const struct times *t)
{
	struct kt_interval *at = kt_interval_find(&intervals, key, 6), *outer;
	u64 off, value;
	bool clamped;

	if (!at || at->thread != t->thread || at->unwanted || (quota && (s64)all.left <= 1))
		return false;
	all.left -= !!quota;
	off = at->off + cost[at->method][KT_METHOD_JUMP];
	value = now - at->start;
	clamped = value < off;
	if (clamped)
		off = value;
	outer = all.mine.inner = at->outer;
	kt_interval_free(at);
	sample_in_c(value - off, off, clamped);
	if (encloses(outer, key, t->thread))
		outer->off += t->charged;
	return true;
}

/* ------------------------------------------------------------------- compare */

static void assert_all(const struct all *is)
{
	assert_memory_equal(is->slots, all.slots, sizeof(all.slots));
	assert_memory_equal(&is->mine, &all.mine, sizeof(all.mine));
	assert_memory_equal(&is->samples, &all.samples, sizeof(all.samples));
	assert_memory_equal(is->buckets, all.buckets, sizeof(all.buckets));
	assert_int_equal(is->left, all.left);
}

static u64 off_of(const struct all *in, const struct kt_interval *outer)
{
	return in->slots[outer - all.slots].off;
}

/*
 * One hit.  `usual`: the code may not leave it to C for another reason than the table.  Returns whether the code did it; else
 * nothing has changed.
 */
static bool hit(bool begins, u32 k, bool usual)
{
	const void *code = code_of(begins, k, rand() % 2);
	struct kt_interval *outer, *at;
	struct times t = { 0 };
	struct scene *scene;
	u64 from, to, now = 0;
	bool done;

	assert_non_null(code);
	memcpy(&t.thread, &task[2], sizeof(t.thread));
	at = kt_interval_find(&intervals, key_of(k), 6);
	outer = begins || !at ? all.mine.inner : at->outer;
	before = all;
	scene = scene_take();
	from = kt_clock_read();
	run_direct(&machine, code);
	to = kt_clock_read();
	after = all;
	all = before;
	if (!hit_left) {
		scene->ctl.measured++;
		scene->cpu.missed++;
	}
	assert_scene(scene);
	free(scene);
	if (outer)
		t.charged = off_of(&after, outer) - off_of(&before, outer);
	if (begins) {
		struct kt_interval *opened = usual ? room_for(key_of(k)) : NULL;

		t.start = opened ? after.slots[opened - all.slots].start : 0;
		if (outer == opened)	/* stale */
			t.charged = 0;
		done = usual && begin_in_c(key_of(k), &t);
		assert_true(!done || (is_before(from, t.start) && is_before(t.start, to)));
		assert_true(!t.charged || (is_before(nested, t.charged) && is_before(t.charged, nested + to - from)));
	} else {
		now = at ? after.mine.value + after.samples.taken_off - before.samples.taken_off + at->start : 0;
		assert_true(!t.charged || (is_before(nested + at->off, t.charged) && is_before(t.charged, nested + at->off + to - from)));
		done = usual && end_in_c(key_of(k), now, &t);
		assert_true(!done || (is_before(from, now) && is_before(now, to)));
	}
	assert_int_equal(!done, hit_left);
	assert_all(&after);
	return done;
}

static void test_usual(void **state)
{
	reset_all();
	for (u32 i = 0; i < 1000; i++) {
		assert_true(hit(true, 0, true));
		assert_false(hit(true, 0, true));	/* its key is open */
		all.slots[kt_interval_find(&intervals, key_of(0), 6) - all.slots].start -= rand() % 2 ? 0 : (u64)rand() << rand() % 20;
		assert_true(hit(false, 0, true));
		assert_false(hit(false, 0, true));
		assert_null(all.mine.inner);
	}
	assert_int_equal(all.samples.count, 1000);
}

/* Durations of all sizes: each bucket, and all 128 bits of the sum of squares. */
static void test_durations(void **state)
{
	reset_all();
	for (u32 bit = 0; bit < 64; bit++)
		for (u32 i = 0; i < 40; i++) {
			struct kt_interval *at;
			const u64 wanted = (1ULL << bit) + (i < 4 ? i - 2 : (u64)rand() % (1ULL << bit));

			assert_true(hit(true, 1, true));
			at = kt_interval_find(&intervals, key_of(1), 6);
			/* As far as the clock allows: what the code finds is some hundred ticks more. */
			at->start = kt_clock_read() - wanted;
			cost[KT_METHOD_JUMP][KT_METHOD_JUMP] = i % 8 ? i % 2 : 2 * wanted + (1 << 20);
			assert_true(hit(false, 1, true));
		}
	assert_int_equal(all.samples.count, 64 * 40);
	assert_true(all.samples.clamped && all.samples.square_high && all.buckets[KT_HIST_OVER]);
}

/* Nearly all of a duration is taken off, by the method of its begin and by what was inside. */
static void test_short(void **state)
{
	u64 last = 10000, small = 0;

	reset_all();
	for (u32 i = 0; i < 20000; i++) {
		const u64 off = all.samples.taken_off;
		struct kt_interval *at;

		assert_true(hit(true, 1, true));
		at = kt_interval_find(&intervals, key_of(1), 6);
		at->method = (u8)rand() % METHODS;
		at->off = last / 2;
		cost[at->method][KT_METHOD_JUMP] = last - last / 2 - (u64)rand() % 300;
		assert_true(hit(false, 1, true));
		last = all.samples.taken_off - off + all.mine.value;
	}
	for (u32 i = 1; i < 64; i++)
		small += all.buckets[i];
	print_message("%llu of 20000 were clamped, %llu shorter than 64 ticks\n", all.samples.clamped, small);
	assert_true(all.samples.clamped > 100 && small > 20 && all.samples.min == 0);
}

static void assert_both_left(void)
{
	assert_false(hit(true, 3, false));
	assert_false(hit(false, 0, false));
}

static void test_unusual(void **state)
{
	reset_all();
	assert_true(hit(true, 0, true));
	running = 0;
	assert_both_left();
	running = 1;
	hit_cpu.nest = 1;
	assert_both_left();
	hit_cpu.nest = 1U << 31;
	assert_both_left();
	hit_cpu.nest = 0;
	hit_cpu.loads_at = 5;
	assert_both_left();
	hit_cpu.loads_at = 0;
	/* Another task, with both filters. */
	for (u32 i = 0; i < 20; i++) {
		own_ids[0x45] = 1;
		members[0] = ~(1ULL << 5);
		assert_false(hit(true, 3, false));
		own_ids[0x45] = 0;
		members[0] = 1 << 5;
		assert_true(hit(true, KEYS - 1, true));
		assert_true(hit(false, KEYS - 1, true));
	}
	/* Another thread; a call that the filter has rejected; that was entered again. */
	set_start_time(OTHER);
	assert_false(hit(false, 0, true));
	set_start_time(MINE);
	for (u32 i = 1; i < 4; i++) {
		kt_interval_find(&intervals, key_of(0), 6)->unwanted = (u8)i;
		assert_false(hit(false, 0, true));
		kt_interval_find(&intervals, key_of(0), 6)->method = 1;
		assert_false(hit(false, 0, true));
		quota = 5;
		all.left = 3;
		assert_false(hit(false, 0, true));
		quota = 0;
	}
	kt_interval_find(&intervals, key_of(0), 6)->unwanted = 0;
	assert_true(hit(false, 0, true));
}

static void test_quota(void **state)
{
	reset_all();
	quota = all.left = 7;
	for (u32 i = 0; i < 10; i++) {
		assert_true(hit(true, 2, true));
		assert_int_equal(hit(false, 2, true), i < 6);
		if (i >= 6)
			kt_interval_free(kt_interval_find(&intervals, key_of(2), 6));
		all.mine.inner = NULL;
	}
	assert_int_equal(all.left, 1);
}

/* Calls in any order, by several threads, with what the C path does instead: places behind their homes, stale and enclosing calls. */
static void test_random(void **state)
{
	u32 left = 0, begun = 0, ended = 0, charged = 0;

	unit_random();
	for (u32 round = 0; round < unit_rounds(200); round++) {
		reset_all();
		for (u32 i = 0; i < 200; i++) {
			const u32 k = (u32)rand() % KEYS;
			const u64 offs = all.mine.inner ? all.mine.inner->off : 0;
			struct kt_interval *was = all.mine.inner;

			set_start_time(rand() % 5 ? MINE : OTHER);
			if (rand() % 2) {
				if (hit(true, k, true)) {
					begun++;
					charged += was && was->off != offs;
				} else if (!kt_interval_find(&intervals, key_of(k), 6)) {
					struct kt_interval *at = kt_interval_claim(&intervals, key_of(k));

					assert_non_null(at);
					at->thread = MINE;
					left++;
				}
			} else {
				ended += hit(false, k, true);
			}
		}
	}
	print_message("%u begun, %u of them enclosed, %u ended, %u left to C for lack of room\n", begun, charged, ended, left);
	assert_true(begun > unit_rounds(5000) && charged > unit_rounds(500) && ended > unit_rounds(5000) && left > unit_rounds(200));
}

static void test_no_code(void **state)
{
	reset_all();
	assert_non_null(code_of(true, 0, true));
	intervals.saved = 8;
	assert_null(code_of(true, 0, true));
	intervals.saved = 0;
#ifdef __x86_64__
	hit_clock_traps = true;
	assert_null(code_of(true, 0, true));
	hit_clock_traps = false;
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usual), cmocka_unit_test(test_durations), cmocka_unit_test(test_short),
		cmocka_unit_test(test_unusual), cmocka_unit_test(test_quota), cmocka_unit_test(test_random),
		cmocka_unit_test(test_no_code),
	};

	return cmocka_run_group_tests_name("generate_measure", tests, begin_tests, NULL);
}

#else

/* For arm64 these tests are emulated: tests/unit/arm64. */
int main(void)
{
	return 0;
}

#endif
