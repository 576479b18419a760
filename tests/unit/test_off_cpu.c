// SPDX-License-Identifier: GPL-2.0-or-later
/* test_off_cpu.c - calls, sleeps and wake-ups: which belong together, and that every call is counted once. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/live/offcpu/off_cpu.h"
#include "sample.h"

#define SP	0x10000u

static const struct off_cpu_stop stop = { .at = 0x1000 };
static const char comm[OFF_CPU_COMM] = "sleeper";

static void out(struct off_cpu *o, uint64_t thread, uint64_t ticks)
{
	off_cpu_out(o, thread, ticks, false, &stop, comm);
}

static void woken(struct off_cpu *o, uint64_t thread, uint64_t ticks, uint32_t tid)
{
	const struct off_cpu_waker waker = { .why = WOKEN_BY_THREAD, .tid = tid, .comm = "waker", .at = 0x2000 };

	off_cpu_woken(o, thread, ticks, &waker);
}

static void test_one_sleep(void **state)
{
	struct off_cpu *o = off_cpu_create();

	off_cpu_in(o, 7, 50);		/* not in a call */
	off_cpu_begin(o, 7, SP);
	out(o, 7, 100);
	woken(o, 7, 160, 9);
	woken(o, 7, 170, 8);		/* only the first one wakes */
	off_cpu_in(o, 7, 200);
	off_cpu_out(o, 7, 210, true, &stop, comm);
	woken(o, 7, 215, 8);
	off_cpu_in(o, 7, 220);
	off_cpu_end(o, 7, SP);
	off_cpu_begin(o, 7, SP);
	off_cpu_end(o, 7, SP + 8);	/* behind the return address */
	off_cpu_finish(o, 2, UINT64_MAX);
	assert_true(o->slept == 1 && o->ran == 1 && !o->unknown && !o->nr_flights);
	assert_true(o->total == 110 && o->asleep == 60 && o->waited == 50 && !o->unseen);
	assert_int_equal(o->nr_rows, 2);
	assert_true(o->rows[0].times == 1 && o->rows[0].total == 100 && o->rows[0].waker.tid == 9 && o->rows[0].waker.at == 0x2000);
	assert_int_equal(o->rows[1].waker.why, PREEMPTED);
	off_cpu_free(o);
}

/* A wake-up just before the thread leaves the CPU counts if no other follows. */
static void test_early(void **state)
{
	struct off_cpu *o = off_cpu_create();

	off_cpu_begin(o, 7, SP);
	woken(o, 7, 99, 5);
	out(o, 7, 100);
	off_cpu_in(o, 7, 110);
	woken(o, 7, 120, 5);
	out(o, 7, 130);
	woken(o, 7, 140, 6);
	off_cpu_in(o, 7, 150);
	out(o, 7, 160);
	off_cpu_in(o, 7, 170);
	off_cpu_end(o, 7, SP);
	off_cpu_finish(o, 1, UINT64_MAX);
	assert_true(o->asleep == 10 && o->waited == 20 && o->unseen == 10 && o->total == 40);
	assert_int_equal(o->nr_rows, 2);
	assert_true(o->rows[0].times == 2 && !o->rows[0].waker.tid && o->rows[1].waker.why == WOKEN_UNSEEN);
	off_cpu_free(o);
}

/* A sleep in a call within a call counts for both.  A call that was turned down at its end is forgotten. */
static void test_within(void **state)
{
	struct off_cpu *o = off_cpu_create();

	off_cpu_begin(o, 7, SP);
	off_cpu_begin(o, 7, SP - 64);
	out(o, 7, 100);
	off_cpu_in(o, 7, 130);
	off_cpu_end(o, 7, SP - 64);
	off_cpu_begin(o, 7, SP - 32);
	out(o, 7, 200);
	off_cpu_in(o, 7, 201);
	off_cpu_begin(o, 7, SP - 32);
	off_cpu_end(o, 7, SP - 32);
	off_cpu_end(o, 7, SP);
	off_cpu_finish(o, 3, UINT64_MAX);
	assert_true(o->slept == 2 && o->ran == 1 && !o->unknown);
	assert_int_equal(o->total, 61);
	off_cpu_free(o);
	o = off_cpu_create();
	o->sees_ends = true;
	off_cpu_begin(o, 7, SP);
	out(o, 7, 200);
	off_cpu_in(o, 7, 205);
	off_cpu_begin(o, 7, SP);
	off_cpu_end(o, 7, SP);
	assert_true(o->slept == 1 && o->total == 5 && !off_cpu_has(o, 7));
	off_cpu_free(o);
}

/* What events are missing for is not known; the next call is. */
static void test_missing(void **state)
{
	struct off_cpu *o = off_cpu_create();

	off_cpu_begin(o, 7, SP);
	off_cpu_lost(o, 3);
	off_cpu_end(o, 7, SP);
	off_cpu_begin(o, 8, SP);
	off_cpu_in(o, 8, 100);
	off_cpu_end(o, 8, SP);
	off_cpu_begin(o, 8, SP);
	out(o, 8, 200);
	off_cpu_end(o, 8, SP);
	off_cpu_end(o, 9, SP);
	off_cpu_begin(o, 8, SP);
	off_cpu_end(o, 8, SP);
	off_cpu_begin(o, 10, SP);
	off_cpu_gone(o, 10);
	o->sees_ends = true;
	off_cpu_begin(o, 11, SP);
	out(o, 11, 300);
	/* One that leaves the CPU after the measurement is not asleep in it. */
	off_cpu_begin(o, 12, SP);
	out(o, 12, 400);
	off_cpu_finish(o, 5, 400);
	assert_true(!o->slept && o->ran == 1 && o->unknown == 4 && o->lost == 3);
	assert_true(o->nr_flights == 1 && o->flights[0].tid == 11 && o->flights[0].since == 300 && !o->flights[0].woken);
	off_cpu_free(o);
}

/* Where recording was stopped, the calls that it may concern are not known: open before, begun meanwhile, or going on. */
static void test_doubt(void **state)
{
	struct off_cpu *o = off_cpu_create();

	off_cpu_begin(o, 7, SP);
	off_cpu_begin(o, 8, SP);
	off_cpu_doubt(o, true);
	off_cpu_end(o, 7, SP);
	off_cpu_begin(o, 9, SP);
	off_cpu_end(o, 9, SP);
	off_cpu_begin(o, 10, SP);
	off_cpu_doubt(o, false);
	off_cpu_end(o, 8, SP);
	off_cpu_end(o, 10, SP);
	off_cpu_begin(o, 7, SP);
	out(o, 7, 100);
	off_cpu_in(o, 7, 130);
	off_cpu_end(o, 7, SP);
	off_cpu_finish(o, 5, UINT64_MAX);
	assert_true(o->slept == 1 && !o->ran && o->unknown == 4);
	off_cpu_free(o);
}

static void play(struct off_cpu *o, uint64_t roll, uint64_t ticks)
{
	const uint64_t thread = roll >> 8 & 3, sp = SP - 64 * (roll >> 12 & 3);

	switch (roll & 7) {
	case 0: off_cpu_begin(o, thread, sp); break;
	case 1: off_cpu_end(o, thread, sp); break;
	case 2: out(o, thread, ticks); break;
	case 3: off_cpu_out(o, thread, ticks, true, &stop, comm); break;
	case 4: woken(o, thread, ticks, roll >> 16 & 3); break;
	case 5: off_cpu_gone(o, roll >> 20 & 31 ? 99 : thread); break;
	case 6: if (!(roll >> 20 & 63)) off_cpu_lost(o, 1); break;
	default: off_cpu_in(o, thread, ticks);
	}
}

static void test_balance(void **state)
{
	struct off_cpu *o = off_cpu_create();
	uint64_t seed = 5, sum = 0;

	for (uint64_t i = 0; i < 50000; i++)
		play(o, sample_random(&seed), i);
	off_cpu_finish(o, 50000, UINT64_MAX);
	assert_true(o->slept && o->ran && o->unknown && o->slept + o->ran + o->unknown == 50000);
	for (size_t i = 0; i < o->nr_rows; i++)
		sum += o->rows[i].total;
	assert_true(sum == o->total && o->asleep + o->waited + o->unseen == sum);
	off_cpu_free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_sleep), cmocka_unit_test(test_early), cmocka_unit_test(test_within),
		cmocka_unit_test(test_missing), cmocka_unit_test(test_doubt), cmocka_unit_test(test_balance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
