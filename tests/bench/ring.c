// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ring.c - the cost of a record in user space: reserve, time, four bytes of payload, commit. The baseline is
 * the minimum work of any tracer: read the time, store sixteen bytes. It prints one line for each number of
 * threads: threads, ns of the baseline, ns of the ring, their ratio.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/ring.h"

#define MAX_THREADS	2
/* Rounds of both alternate, and the fastest counts. Rounds are short, so that some run undisturbed. */
#define ROUNDS		1500
#define RECORDS		20000
#define SUB_BYTES	65536U
#define SUBBUFS		16U

struct worker {
	struct kt_ring ring;
	struct kt_ring_ctl *ctl;
	u64 *plain;		/* as much memory as the ring has */
	u64 next;		/* the next position in it */
	double least, ours;	/* ns for each record */
};

static struct worker workers[MAX_THREADS];
static pthread_barrier_t barrier_;
static unsigned int threads;

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static __attribute__((noinline)) void store_plainly(struct worker *w, u32 n)
{
	const u64 mask = (u64)SUB_BYTES * SUBBUFS / 16 - 1;
	const u64 end = w->next + n;
	u64 *plain = w->plain;

	for (u64 i = w->next; i < end; i++) {
		u64 *at = plain + (i & mask) * 2;

		at[0] = kt_clock_read();
		at[1] = i;
		barrier();
	}
	w->next = end;
}

static __attribute__((noinline)) void write_records(struct worker *w, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		struct kt_room room = kt_ring_reserve(&w->ring, false, 7, 1);

		if (!room.at)
			abort();
		*(u32 *)room.at = i;
		kt_ring_commit(room, false, 1);
	}
}

static double measure(void (*what)(struct worker *w, u32 n), struct worker *w, double best)
{
	double begin, each;

	pthread_barrier_wait(&barrier_);
	begin = now_ns();
	what(w, RECORDS);
	each = (now_ns() - begin) / RECORDS;
	return each < best ? each : best;
}

static void stay_on(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);	/* if the machine has only one CPU, all threads share it */
}

static void *work(void *arg)
{
	struct worker *w = arg;

	stay_on(w - workers);
	w->least = w->ours = 1e9;
	for (int round = 0; round < ROUNDS; round++) {
		w->least = measure(store_plainly, w, w->least);
		w->ours = measure(write_records, w, w->ours);
	}
	return NULL;
}

static void prepare(struct worker *w, u32 cpu)
{
	static const u8 uuid[16] = { 1 };
	const size_t bytes = (size_t)SUB_BYTES * SUBBUFS;
	u8 *mem = aligned_alloc(4096, 4096 + bytes);

	w->plain = aligned_alloc(4096, bytes);
	if (!mem || !w->plain)
		abort();
	memset(mem, 0, 4096 + bytes);
	memset(w->plain, 0, bytes);
	w->ctl = (void *)mem;
	kt_ring_init(&w->ring, w->ctl, (u64 *)(mem + sizeof(*w->ctl)), mem + 4096, SUB_BYTES, SUBBUFS,
		     cpu, false, uuid);
}

static void release(struct worker *w)
{
	u64 total;

	kt_ring_position(&w->ring, &total, NULL, NULL);
	if (total != (u64)ROUNDS * RECORDS)
		abort();
	free(w->ctl);
	free(w->plain);
}

static void run(void)
{
	pthread_t ids[MAX_THREADS];
	double least = 0, ours = 0;

	pthread_barrier_init(&barrier_, NULL, threads);
	for (unsigned int i = 0; i < threads; i++) {
		prepare(&workers[i], i);
		pthread_create(&ids[i], NULL, work, &workers[i]);
	}
	for (unsigned int i = 0; i < threads; i++) {
		pthread_join(ids[i], NULL);
		least += workers[i].least / threads;
		ours += workers[i].ours / threads;
		release(&workers[i]);
	}
	pthread_barrier_destroy(&barrier_);
	printf("%u %.2f %.2f %.3f\n", threads, least, ours, ours / least);
}

int main(void)
{
	for (threads = 1; threads <= MAX_THREADS; threads++)
		run();
	return 0;
}
