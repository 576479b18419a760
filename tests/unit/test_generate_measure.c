// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_generate_measure.c - generated code for jumps that begin or end a call in a measurement: on the CPU of this machine,
 * compared with core/interval.h and core/samples.h, with all registers and the flags.
 */
#include "unit.h"

#ifdef __x86_64__

#include "core/histogram.h"
/* The generator has another function of this name. */
#define take	take_interval
#include "core/interval.c"
#undef take
#include "core/samples.h"
#include "direct_code.h"

#define SLOTS		16
#define KEYS		12
#define BUSY_WORDS	(1U << 16)
#define NEAR		16384

enum { METHODS = 4, MINE = 7, OTHER = 9 };

/* As kt_measurement_cpu. */
struct mine {
	u64 before;
	struct kt_interval *inner;
	u8 *samples;
	u64 entered, value;
};

static struct all {
	struct kt_interval slots[SLOTS + KT_INTERVAL_REACH];
	struct mine mine;
	struct kt_samples samples;
	u64 buckets[KT_HIST_BUCKETS];
	u64 left;
} all, before, after;

static struct kt_intervals intervals;
static u64 cost[METHODS][8], nested, quota, members[2];
static u8 running;
static s32 biases[KEYS];	/* the first keys have the same home */
static struct machine machine;

static u64 key_of(u32 k)
{
	return DIRECT_TOP + biases[k];
}

static void set_start_time(u64 start)
{
	memcpy(&task[2], &start, sizeof(start));
}

/* The stack of the test plays the kernel's: keys are within it, and the first of KEYS/2 have one home. */
static void find_keys(void)
{
	u32 home = 0, k = 0;

	kt_intervals_plan(&intervals, SLOTS, 0);
	intervals.slots = (u8 *)all.slots;
	home = kt_interval_home(&intervals, DIRECT_TOP);
	for (s32 bias = 0; k < KEYS / 2; bias -= 8)
		if (kt_interval_home(&intervals, DIRECT_TOP + bias) == home)
			biases[k++] = bias;
	for (s32 bias = -8; k < KEYS; bias -= 40)
		if (kt_interval_home(&intervals, DIRECT_TOP + bias) != home)
			biases[k++] = bias;
}

static void reset_all(void)
{
	memset(&all, 0, sizeof(all));
	kt_samples_clear(&all.samples);
	all.mine.samples = (u8 *)&all.samples;
	intervals.reach = 1;
	quota = 0;
	running = 1;
	members[0] = 1 << 5;
	direct_reset();
	machine_reset(&machine);
	machine_dice(&machine);
	machine.current[KT_CUR_PID] = 5;
	machine.current[KT_CUR_TGID] = 0x12345;
	move_in(&machine);
	set_start_time(MINE);
	memset(own_ids, 0, 256 * sizeof(*own_ids));
	for (u32 i = 0; i < METHODS; i++)
		for (u32 k = 0; k < METHODS; k++)
			cost[i][k] = 10 * i + k;
	nested = 1000;
}

static const void *code_of(bool begins, u32 k, bool tasks)
{
	const struct kt_hit_measure measure = {
		.begins = begins, .bias = biases[k], .intervals = &intervals, .running = &running, .quota = &quota,
		.left = &all.left, .cost = &cost[0][KT_METHOD_JUMP], .cost_shift = 6, .nested = &nested,
		.cpu = (unsigned long)&all.mine - (unsigned long)&hit_cpu, .inner = offsetof(struct mine, inner),
		.samples = offsetof(struct mine, samples), .entered = offsetof(struct mine, entered),
		.value = offsetof(struct mine, value), .members = tasks ? (unsigned long *)members : NULL,
	};

	return hit_make_what((struct kt_hit_code){
		.counts = &hit_counts, .ring = offsetof(struct hit_cpu, ring), .is_direct = true, .own_ids = own_ids,
		.measure = &measure,
	});
}

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
		assert_true(!done || (from < t.start && t.start < to));
		assert_true(!t.charged || (t.charged > nested && t.charged < nested + to - from));
	} else {
		now = at ? after.mine.value + after.samples.taken_off - before.samples.taken_off + at->start : 0;
		assert_true(!t.charged || (t.charged > nested && t.charged < nested + to - from + at->off));
		done = usual && end_in_c(key_of(k), now, &t);
		assert_true(!done || (from < now && now < to));
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

	srand(17);
	for (u32 round = 0; round < 200; round++) {
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
	assert_true(begun > 5000 && charged > 500 && ended > 5000 && left > 200);
}

/* --------------------------------------------------------------- interruptions */

/*
 * An interrupt of this CPU between any two instructions, by other calls, and by the thread that gives back what threads that are gone
 * have left.  The interval is the one that was opened; nothing is lost.
 */
static void (*interrupts)(void);
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

static void on_step(int signal, siginfo_t *info, void *context)
{
	if (at_trap(context))
		interrupts();
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
	trap.steps = 0;
	trap.met = false;
	hit_trap = 1;
}

static void step_check(bool begins, u64 from)
{
	const struct kt_interval *at = kt_interval_find(&intervals, key_of(1), 6);
	const u64 to = kt_clock_read();

	if (begins) {
		assert_non_null(at);
		assert_int_equal(at->thread, MINE);
		assert_true(from < at->start && at->start < to);
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
	u32 left = 0, steps = 0;

	interrupts = by;
	for (trap.at = 0, trap.met = true; trap.met; trap.at++) {
		u64 from;

		reset_all();
		code = code_of(begins, 1, true);
		step_begin(begins, open);
		from = kt_clock_read();
		run_direct(&machine, code);
		hit_trap = 0;
		steps = trap.steps;
		left += hit_left;
		if (hit_left && begins)
			enter(1, MINE);
		else if (hit_left)
			leave(1, MINE);
		else if (begins)
			entered++;
		else
			taken++;
		if (by == claim && trap.met)
			leave(4, MINE);
		if (by == claim)
			all.mine.inner = kt_interval_find(&intervals, key_of(1), 6);
		step_check(begins, from);
	}
	return left ? 0 : steps;
}

static void test_interrupted(void **state)
{
	struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };
	void (*const by[])(void) = { others_call, reap_and_call, call_long, claim };
	u32 begin = 0, end = 0;

	trap.end = (u64)(uintptr_t)direct_returned;
	assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
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
	/* The end has a new least and a new largest duration, unlike those in docs/cost.md. */
	assert_int_equal(begin, 50);
	assert_in_range(end, 72, 92);
}

static void test_no_code(void **state)
{
	reset_all();
	assert_non_null(code_of(true, 0, true));
	intervals.saved = 8;
	assert_null(code_of(true, 0, true));
	intervals.saved = 0;
	hit_clock_traps = true;
	assert_null(code_of(true, 0, true));
	hit_clock_traps = false;
}

static int begin_tests(void **state)
{
	find_keys();
	return make_own_ids(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usual), cmocka_unit_test(test_durations), cmocka_unit_test(test_short),
		cmocka_unit_test(test_unusual), cmocka_unit_test(test_quota), cmocka_unit_test(test_random),
		cmocka_unit_test(test_interrupted), cmocka_unit_test(test_no_code),
	};

	return cmocka_run_group_tests_name("generate_measure", tests, begin_tests, NULL);
}

#else

/* The generator of this architecture: there is none. */
int main(void)
{
	return 0;
}

#endif
