// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * user.c - the programs of the papers about tracing in user space: threads that write events, and a loop of random numbers
 * with an event in each turn.  tests/bench/user compiles it for each tracer.
 *
 *	user events|loop THREADS EVENTS BYTES
 *
 * prints the CPU time of an event in ns, the time of all in ns, and the random number that the loop came to.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ticks.h"

#define MOST_THREADS	64

static char data[256];
static unsigned int bytes;

#if defined(WITH_KTRACE)
#include <ktrace/ktrace.h>
#define EVENT(i)	KTRACE(bench, number, i)
#define BYTES()		KTRACE(bench, bytes, ktrace_bytes(data, bytes))
#elif defined(WITH_LTTNG)
#define LTTNG_UST_TRACEPOINT_DEFINE
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#include "user_lttng.h"
#define EVENT(i)	lttng_ust_tracepoint(bench, number, i)
#define BYTES()		lttng_ust_tracepoint(bench, bytes, data, bytes)
#elif defined(WITH_FLOOR)
/*
 * The least that an event can cost: a look at the clock, and a store of 16 bytes.  The compiler must not keep the variables of
 * the loop in registers for this program alone: the turn is the same for all of them.
 */
static __thread struct floor { uint64_t ticks, number; } ring[1024];
#define EVENT(i)										\
	do {											\
		struct floor *at = &ring[(i) % 1024];						\
		at->ticks = floor_ticks();							\
		*(volatile uint64_t *)&at->number = (i);					\
		__asm__ volatile("" ::: "memory");						\
	} while (0)
#define BYTES()		EVENT(0)
#else
#define EVENT(i)	__asm__ volatile("" :: "r"(i) : "memory")
#define BYTES()		EVENT(0)
#endif

#ifdef WITH_FLOOR
static inline uint64_t floor_ticks(void)
{
	return unordered_ticks();
}
#endif

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static unsigned int events;

static void *write_events(void *arg)
{
	const uint64_t begin = now(CLOCK_THREAD_CPUTIME_ID);

	if (bytes == 4)
		for (unsigned int i = 0; i < events; i++)
			EVENT(i);
	else
		for (unsigned int i = 0; i < events; i++)
			BYTES();
	*(uint64_t *)arg = now(CLOCK_THREAD_CPUTIME_ID) - begin;
	return NULL;
}

/* ------------------------------------------------------------------------ random numbers */

/* The generator mt19937 of Matsumoto and Nishimura, 1998. */
#define WORDS	624
#define SHIFT	397

static uint32_t state[WORDS];
static unsigned int next = WORDS;

static void seed(uint32_t value)
{
	for (unsigned int i = 0; i < WORDS; i++) {
		state[i] = value;
		value = 1812433253U * (value ^ value >> 30) + i + 1;
	}
}

static void twist(void)
{
	for (unsigned int i = 0; i < WORDS; i++) {
		const uint32_t y = (state[i] & 0x80000000U) | (state[(i + 1) % WORDS] & 0x7fffffffU);

		state[i] = state[(i + SHIFT) % WORDS] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfU : 0);
	}
	next = 0;
}

static inline uint32_t number(void)
{
	uint32_t y;

	if (next == WORDS)
		twist();
	y = state[next++];
	y ^= y >> 11;
	y ^= y << 7 & 0x9d2c5680U;
	y ^= y << 15 & 0xefc60000U;
	return y ^ y >> 18;
}

static uint32_t sum;

static void *loop(void *arg)
{
	const uint64_t begin = now(CLOCK_THREAD_CPUTIME_ID);

	seed(5489);
	for (unsigned int i = 0; i < events; i++) {
		const uint32_t y = number();

		sum += y;
		if (bytes == 4)
			EVENT(y);
		else
			BYTES();
	}
	*(uint64_t *)arg = now(CLOCK_THREAD_CPUTIME_ID) - begin;
	return NULL;
}

int main(int argc, char **argv)
{
	const unsigned int nr = argc == 5 ? atoi(argv[2]) : 0;
	void *(*work)(void *) = argc == 5 && !strcmp(argv[1], "loop") ? loop : write_events;
	pthread_t threads[MOST_THREADS];
	uint64_t times[MOST_THREADS], all = 0, begin;

	if (!nr || nr > MOST_THREADS) {
		fprintf(stderr, "usage: user events|loop THREADS EVENTS BYTES\n");
		return 2;
	}
	events = atoi(argv[3]);
	bytes = atoi(argv[4]) < (int)sizeof(data) ? atoi(argv[4]) : (int)sizeof(data);
	begin = now(CLOCK_MONOTONIC);
	for (unsigned int i = 0; i < nr; i++)
		pthread_create(&threads[i], NULL, work, &times[i]);
	for (unsigned int i = 0; i < nr; i++) {
		pthread_join(threads[i], NULL);
		all += times[i];
	}
	printf("%.3f %llu %u\n", (double)all / nr / events, (unsigned long long)(now(CLOCK_MONOTONIC) - begin), sum);
#ifdef WITH_KTRACE
	struct ktrace_counts counts;

	if (ktrace_error())
		return 1;
	ktrace_counts(&counts);
	printf("%llu %llu\n", counts.recorded, counts.lost);
#endif
	return 0;
}
