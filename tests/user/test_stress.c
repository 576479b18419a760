// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_stress.c - threads that write as fast as they can, with signals that write, too.  No event is lost unsaid: those that
 * were read and those that were counted as lost are all.  EVENTS is the number for each thread.
 */
#include <ktrace/ktrace.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "recorded.h"
#include "sequences.h"
#include "tests/unit/unit.h"

#define THREADS		8
#define SIGNAL_NS	100000	/* 10 kHz in each thread */

static unsigned int events(void)
{
	const char *text = getenv("EVENTS");

	return text ? atoi(text) : 1000000;
}

static unsigned long from_signals;

static void on_signal(int signal)
{
	static __thread unsigned int n;

	KTRACE(stress, signal, n++);
	__atomic_fetch_add(&from_signals, 1, __ATOMIC_RELAXED);
}

/* Signals for the calling thread only. */
static timer_t interrupt_me(void)
{
	struct sigevent to = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
	const struct itimerspec period = { { 0, SIGNAL_NS }, { 0, SIGNAL_NS } };
	timer_t timer;

	to._sigev_un._tid = syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &to, &timer) || timer_settime(timer, 0, &period, NULL))
		exit(97);
	return timer;
}

static void *write_numbers(void *arg)
{
	const unsigned int nr = events();
	timer_t timer = interrupt_me();

	for (unsigned int i = 0; i < nr; i++)
		KTRACE(stress, number, i);
	timer_delete(timer);
	return NULL;
}

/* Say how many were written. */
static int stress(void)
{
	const struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	pthread_t threads[THREADS];
	struct ktrace_counts counts;

	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, write_numbers, NULL))
			return 96;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ktrace_counts(&counts);
	fprintf(stderr, "%d %lu %llu %llu\n", ktrace_is_restartable(), from_signals, counts.recorded, counts.lost);
	return 0;
}

/* ------------------------------------------------------------------------ reading */

struct number {
	uint64_t ticks;
	uint32_t value;
};

struct thread {
	uint32_t tid;
	struct number *numbers;
	size_t nr;
};

struct seen {
	struct thread threads[THREADS];
	size_t nr;
	uint64_t signals;
};

static void see(const struct recorded *event, void *arg)
{
	struct seen *seen = arg;
	struct thread *thread = seen->threads;

	if (strcmp(event->name, "number")) {
		seen->signals++;
		return;
	}
	while (thread < seen->threads + seen->nr && thread->tid != event->thread)
		thread++;
	if (thread == seen->threads + seen->nr) {
		assert_true(seen->nr < THREADS);
		thread = &seen->threads[seen->nr++];
		thread->tid = event->thread;
	}
	thread->numbers = MEM_MORE(thread->numbers, thread->nr);
	thread->numbers[thread->nr++] = (struct number){ event->ticks, event->first };
}

static int by_time(const void *a, const void *b)
{
	const struct number *x = a, *y = b;

	return x->ticks < y->ticks ? -1 : x->ticks > y->ticks;
}

/* Whichever CPUs a thread used: in the order of times, its numbers are in the order in which it wrote them. */
static void check_thread(struct thread *thread)
{
	qsort(thread->numbers, thread->nr, sizeof(*thread->numbers), by_time);
	for (size_t i = 1; i < thread->nr; i++)
		if (thread->numbers[i].value <= thread->numbers[i - 1].value)
			fail_msg("thread %u: %u follows %u", thread->tid, thread->numbers[i].value,
				 thread->numbers[i - 1].value);
}

static void check(const char *const *variables, bool restartable, bool keeps_all)
{
	const uint64_t numbers = (uint64_t)THREADS * events();
	struct recorded_totals totals;
	struct seen seen = { 0 };
	unsigned long long recorded, lost;
	unsigned long signals;
	uint64_t read = 0, sum = 0;
	int restarts;

	assert_int_equal(recorded_run("stress", variables), 0);
	assert_int_equal(sscanf(recorded_errors, "%d %lu %llu %llu", &restarts, &signals, &recorded, &lost), 4);
	assert_int_equal(restarts, restartable);
	assert_int_equal(recorded + lost, numbers + signals);
	recorded_read(see, &seen, &totals);
	for (size_t i = 0; i < seen.nr; i++) {
		check_thread(&seen.threads[i]);
		read += seen.threads[i].nr;
		for (size_t k = 0; k < seen.threads[i].nr; k++)
			sum += seen.threads[i].numbers[k].value;
		free(seen.threads[i].numbers);
	}
	assert_int_equal(totals.events, read + seen.signals);
	assert_int_equal(totals.events + totals.lost, numbers + signals);
	if (keeps_all) {
		assert_int_equal(totals.lost, 0);
		assert_int_equal(seen.signals, signals);
		assert_int_equal(sum, numbers * (events() - 1) / 2);
	} else {
		assert_true(totals.lost > 0);
	}
	print_message("# %llu read, %llu lost, %lu by signals\n", (unsigned long long)totals.events,
		      (unsigned long long)totals.lost, signals);
}

/* Room for all, on any CPU. */
static const char *all_size(void)
{
	static char text[64];
	unsigned long long bytes = 1 << 20;

	while (bytes < 10ULL * THREADS * events() && bytes < 1ULL << 31)
		bytes *= 2;
	snprintf(text, sizeof(text), "KTRACE_SIZE=%llu", bytes);
	return text;
}

static void test_all(void **state)
{
	const char *const variables[] = { all_size(), "KTRACE_MODE=discard", NULL };

	check(variables, KTU_HAS_SEQUENCES, true);
}

static void test_overwrite(void **state)
{
	static const char *const variables[] = { "KTRACE_SIZE=1M", "KTRACE_MODE=overwrite", NULL };

	check(variables, KTU_HAS_SEQUENCES, false);
}

static void test_discard(void **state)
{
	static const char *const variables[] = { "KTRACE_SIZE=1M", "KTRACE_MODE=discard", NULL };

	check(variables, KTU_HAS_SEQUENCES, false);
}

/* Small packets: most of the work is their exchange. */
static void test_small(void **state)
{
	static const char *const variables[] = { "KTRACE_SIZE=8k", "KTRACE_SUBBUF=4k", NULL };

	check(variables, KTU_HAS_SEQUENCES, false);
}

static void test_fallback(void **state)
{
	const char *const variables[] = { all_size(), "KTRACE_MODE=discard", "GLIBC_TUNABLES=glibc.pthread.rseq=0", NULL };
	static const char *const overwrite[] = { "KTRACE_SIZE=64k", "GLIBC_TUNABLES=glibc.pthread.rseq=0", NULL };

	check(variables, false, true);
	check(overwrite, false, false);
}

static int drop(void **state)
{
	recorded_drop();
	return 0;
}

int main(int argc, char **argv)
{
	static const struct recorded_mode modes[] = { { "stress", stress } };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_all, drop), cmocka_unit_test_teardown(test_overwrite, drop),
		cmocka_unit_test_teardown(test_discard, drop), cmocka_unit_test_teardown(test_small, drop),
		cmocka_unit_test_teardown(test_fallback, drop),
	};

	recorded_main(argc, argv, modes, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
