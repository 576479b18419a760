/* SPDX-License-Identifier: MIT */
/*
 * rseq.c - find the rseq area that the C library has registered, and test that the kernel restarts sequences.
 *
 * Some kernels did not where one thread displaced another on one CPU, so this is tried, and no version is asked.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "internal.h"

#define MIN_SIZE	20U		/* of the area: what this library uses */
#define TURNS		(1U << 14)	/* of one wait: some tenths of a millisecond */
#define PATIENCE_NS	100000000ULL
#define ROUNDS		4

extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

static bool find_area(void)
{
	if (!&__rseq_size || !&__rseq_offset || __rseq_size < MIN_SIZE)
		return false;
	ktrace_rseq_offset = __rseq_offset;
	return (int32_t)__atomic_load_n(&ktu_rseq()->cpu, __ATOMIC_RELAXED) >= 0;
}

/* The other thread sleeps first, so that its waking interrupts the sequence, and then runs on the same CPU. */
static void *set_flag(void *flag)
{
	const struct timespec time = { 0, 1000000 };

	nanosleep(&time, NULL);
	__atomic_store_n((uint32_t *)flag, 1, __ATOMIC_RELAXED);
	return NULL;
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

/* KTU_PATIENCE: nothing was learned. */
static enum ktu_probe probe(void)
{
	const uint64_t end = now() + PATIENCE_NS / ROUNDS;
	enum ktu_probe result = KTU_PATIENCE;
	uint32_t flag = 0;
	pthread_t thread;

	if (pthread_create(&thread, NULL, set_flag, &flag))
		return KTU_PATIENCE;
	while (!__atomic_load_n(&flag, __ATOMIC_RELAXED) && now() < end) {
		result = ktrace_probe(&flag, TURNS);
		/* It may have been restarted for another reason. */
		if (result == KTU_ABORTED && !__atomic_load_n(&flag, __ATOMIC_RELAXED))
			result = KTU_PATIENCE;
		if (result != KTU_PATIENCE)
			break;
	}
	pthread_join(thread, NULL);
	return result;
}

static bool are_restarted(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		const enum ktu_probe result = probe();

		/* KTU_NOT_ABORTED may also mean that the flag was set between the test of it and the start: try again. */
		if (result == KTU_ABORTED)
			return true;
	}
	return false;
}

bool ktu_rseq_works(void)
{
	sigset_t all, before;
	cpu_set_t cpus, one;
	bool works;

	if (!find_area() || sched_getaffinity(0, sizeof(cpus), &cpus))
		return false;
	CPU_ZERO(&one);
	CPU_SET(ktu_rseq()->cpu_start, &one);
	/* The program's signals must not come to the other thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	works = sched_setaffinity(0, sizeof(one), &one) == 0 && are_restarted();
	sched_setaffinity(0, sizeof(cpus), &cpus);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return works;
}
