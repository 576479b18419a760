// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stress.c - the trace ring under ThreadSanitizer. One thread writes, and nested writers interrupt it at random
 * steps; other threads read. With -DSIGNALS, signals interrupt the unchanged ring at any instruction instead;
 * this needs a build without ThreadSanitizer, which delays signals.
 *
 * ThreadSanitizer does not know fences. Here kt_smp_wmb() turns the next store into a release, and kt_smp_rmb()
 * turns the loads before it into acquires. This orders no more than the ring asks for, so that a missing
 * barrier shows as a race.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ktrace_abi.h"

#ifndef SIGNALS
static void step(void);
#define KT_STEP()	step()
#define KT_CLOCK_READ
#endif
#include "core/env.h"

static bool overwrite;			/* readers may see records while they are overwritten */
static struct kt_ring_ctl ctl;

/* ------------------------------------------------------------- primitives */

#ifdef SIGNALS
#include "core/ring.c"
#else

void __tsan_acquire(void *addr);
void __tsan_release(void *addr);

#define MAX_LOADED	8

static _Thread_local bool fenced;	/* the next store is a release */
static _Thread_local void *loaded[MAX_LOADED];
static _Thread_local unsigned int nr_loaded;
/* packet_free() needs no barrier: the writer's stores depend on the value that it loads. */
static u64 load(u64 *p)
{
	if (p == &ctl.seen_seq)
		return __atomic_load_n(p, __ATOMIC_ACQUIRE);
	loaded[nr_loaded++ % MAX_LOADED] = p;
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static void store(u64 *p, u64 v)
{
	if (fenced)
		__atomic_store_n(p, v, __ATOMIC_RELEASE);
	else
		__atomic_store_n(p, v, __ATOMIC_RELAXED);
	fenced = false;
}

static void add(u64 *p, u64 v)
{
	store(p, __atomic_load_n(p, __ATOMIC_RELAXED) + v);
}

static u64 exchange(u64 *p, u64 old, u64 new)
{
	const u64 was = __atomic_load_n(p, __ATOMIC_RELAXED);

	if (was == old)
		store(p, new);
	return was;
}

static void acquire_loaded(void)
{
	while (nr_loaded)
		__tsan_acquire(loaded[--nr_loaded % MAX_LOADED]);
}

/*
 * A writer may still write the end of an incomplete packet while it is copied; the reader ignores that part. In
 * overwrite mode this holds for the whole packet: if it was overwritten meanwhile, the reader discards the
 * copy.
 */
static __attribute__((no_sanitize("thread"))) void copy_unseen(volatile u32 *to,
							       const volatile u32 *from, size_t n)
{
	while (n--)
		*to++ = *from++;
}

static bool is_end(size_t at)
{
	return (at >= offsetof(struct kt_packet, ts_end) &&
		at < offsetof(struct kt_packet, packet_bits)) ||
	       (at >= offsetof(struct kt_packet, discarded) &&
		at < offsetof(struct kt_packet, count)) ||
	       (at >= offsetof(struct kt_packet, records) && at < sizeof(struct kt_packet));
}

static void copy_words(void *to, const void *from, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += 4) {
		u32 *in = (u32 *)((u8 *)to + at);
		const u32 *out = (const u32 *)((const u8 *)from + at);

		if (bytes > 16 && (overwrite || is_end(at)))
			copy_unseen(in, out, 1);
		else
			*in = *out;
	}
}

#undef READ_ONCE
#undef WRITE_ONCE
#undef kt_smp_wmb
#undef kt_smp_rmb
#define READ_ONCE(x)		((__typeof__(x))load((u64 *)&(x)))
#define WRITE_ONCE(x, v)	store((u64 *)&(x), (u64)(v))
#define kt_smp_wmb()		((void)(fenced = true))
#define kt_smp_rmb()		acquire_loaded()
#define kt_add_local(p, v)	add(p, v)
#define kt_cmpxchg_local(p, old, new)	exchange(p, old, new)
#define memcpy(to, from, n)	copy_words(to, from, n)
#include "core/ring.c"
#undef memcpy
#endif

/* ------------------------------------------------------------------ writer */

#define SUB_BYTES	1024U
#define SUBBUFS		4U
#define WRITES		300000U
#define MAX_NEST	3

static struct kt_ring ring;
static u64 commit[SUBBUFS];
static u8 *data;

static u32 writes, nest, dropped;
static u8 outcome[WRITES];	/* for each write: recorded or not; read: how often it was read */
static u8 had[WRITES];
static u32 dice_state = 1;

#ifndef SIGNALS
static u64 ticks, readings;

u64 kt_clock_read(void)
{
	ticks += ++readings % 5000 ? 1 : 1 << KT_TS_BITS;
	return ticks;
}
#endif

static u32 dice(u32 sides)
{
	dice_state = dice_state * 1664525 + 1013904223;
	return (dice_state >> 8) % sides;
}

static u32 word_of(u32 write, u32 i)
{
	return i ? (write + i) * 0x9e3779b1U : write;
}

static void write_one(void)
{
	const u32 write = __atomic_fetch_add(&writes, 1, __ATOMIC_RELAXED), words = 1 + write % 3;
	u32 payload[3], i;

	for (i = 0; i < words; i++)
		payload[i] = word_of(write, i);
	outcome[write] = kt_ring_write(&ring, write % 7 ? 1 : 300, payload, words);
	__atomic_fetch_add(&dropped, !outcome[write], __ATOMIC_RELAXED);
}

static void write_some(void)
{
	for (u32 n = 1 + dice(3); n; n--)
		write_one();
}

static bool may_nest(void)
{
	return nest < MAX_NEST && writes < WRITES - 100;
}

#ifdef SIGNALS
static bool written;

/*
 * Block all signals in a handler, unless it may nest. The kernel can deliver signals faster than handlers
 * return, or even begin, and their frames would fill the stack.
 */
static void interrupted(int signal)
{
	sigset_t others;

	if (!may_nest())
		return;
	sigemptyset(&others);
	sigaddset(&others, signal);
	nest++;
	if (may_nest())
		pthread_sigmask(SIG_UNBLOCK, &others, NULL);
	write_some();
	pthread_sigmask(SIG_BLOCK, &others, NULL);
	nest--;
}

/* Interrupt the writer again and again, after short pauses. */
static void *interrupt(void *arg)
{
	while (!__atomic_load_n(&written, __ATOMIC_ACQUIRE)) {
		pthread_kill(*(pthread_t *)arg, SIGUSR1);
		for (u32 n = dice(200); n; n--)
			kt_relax();
	}
	return NULL;
}
#else
static _Thread_local bool writer;

static void step(void)
{
	const bool was = fenced;

	if (!writer || !may_nest() || dice(40))
		return;
	nest++;
	write_some();
	nest--;
	fenced = was;
}
#endif

static void *work(void *arg)
{
#ifndef SIGNALS
	writer = true;
#endif
	while (writes < WRITES - 100) {
		const u32 before = dropped;

		write_one();
		if (dropped != before)
			sched_yield();
	}
#ifdef SIGNALS
	__atomic_store_n(&written, true, __ATOMIC_RELEASE);
#endif
	return NULL;
}

/* ------------------------------------------------------------------ readers */

static bool finished;

static void wrong(const char *what, u64 seq)
{
	fprintf(stderr, "packet %llu: %s\n", (unsigned long long)seq, what);
	abort();
}

/* Each event of the packet must be complete, and later than the previous one. */
static void check(u64 seq, const u8 *copy, const struct kt_read_info *info, bool first_time)
{
	const struct kt_packet *packet = (const void *)copy;
	const u32 *at = (const u32 *)(packet + 1), *end = (const u32 *)(copy + info->bytes);
	u64 ts = packet->ts_begin, was;
	u32 records = 0, write, i;

	if (packet->seq != seq)
		wrong("is another one", seq);
	for (; at < end; records++) {
		was = ts;
		if ((*at & KT_ID_EXT) != KT_ID_EXT) {
			ts += ((*at++ >> 8) - (u32)ts) & ((1U << KT_TS_BITS) - 1);
		} else {
			ts = at[1] | (u64)at[2] << 32;
			at += 3;
		}
		write = *at;
		if (ts <= was || write >= WRITES)
			wrong("out of order", seq);
		for (i = 0; i < 1 + write % 3; i++)
			if (*at++ != word_of(write, i))
				wrong("torn", seq);
		if (first_time)
			had[write]++;
	}
	if (at != end || records != info->records)
		wrong("cut off", seq);
}

/* Read packet after packet as they fill up. In discard mode, release each packet when it is complete. */
static void *read_on(void *arg)
{
	u8 *buf = malloc(SUB_BYTES);
	struct kt_read_info info;
	u64 seq = 0, newest;
	bool last = false;

	for (;;) {
		enum kt_read result = kt_ring_read(&ring, seq, buf, &info);

		if (result == KT_READ_OK)
			check(seq, buf, &info, info.complete || last);
		if (result == KT_READ_OK && info.complete) {
			seq++;
			/* As kt_buffer_seen() does. */
			if (!overwrite)
				__atomic_store_n(&ctl.seen_seq, seq, __ATOMIC_RELEASE);
			continue;
		}
		if (result == KT_READ_GONE) {
			if (!overwrite)
				wrong("gone", seq);
			kt_ring_position(&ring, NULL, &newest, NULL);
			seq = newest > SUBBUFS ? newest - SUBBUFS + 2 : 0;
			continue;
		}
		if (last)
			break;
		last = __atomic_load_n(&finished, __ATOMIC_ACQUIRE);
	}
	free(buf);
	return NULL;
}

static void *look_on(void *arg)
{
	u64 total, seq, oldest, before = 0;

	while (!__atomic_load_n(&finished, __ATOMIC_ACQUIRE)) {
		kt_ring_position(&ring, &total, &seq, &oldest);
		if (total < before || oldest > total)
			wrong("the position went back", seq);
		before = total;
	}
	return NULL;
}

/* -------------------------------------------------------------------- main */

static unsigned int runs;

static void balance(void)
{
	u64 total;
	u32 i, taken = 0;

	kt_ring_position(&ring, &total, NULL, NULL);
	for (i = 0; i < writes; i++) {
		taken += outcome[i];
		if (had[i] > outcome[i])
			wrong("had twice, or never written", i);
		if (!overwrite && had[i] != outcome[i])
			wrong("lost", i);
	}
	if (total != taken || ctl.discarded != dropped || taken + dropped != writes)
		wrong("the counts do not agree", total);
	fprintf(stderr, "# %u writes, %u taken, %u discarded\n", writes, taken, dropped);
	printf("ok %u - %s\n", ++runs, overwrite ? "overwrite" : "discard");
	fflush(stdout);
}

static void run(void)
{
	static const u8 uuid[16] = { 1 };
	pthread_t threads[4];

	memset(&ctl, 0, sizeof(ctl));
	memset(commit, 0, sizeof(commit));
	memset(had, 0, sizeof(had));
	memset(data, 0, SUB_BYTES * SUBBUFS);
	writes = dropped = 0;
#ifdef SIGNALS
	written = false;
#endif
	finished = false;
	kt_ring_init(&ring, &ctl, commit, data, SUB_BYTES, SUBBUFS, 0, false, uuid);
	ring.discard = !overwrite;
	pthread_create(&threads[0], NULL, read_on, NULL);
	pthread_create(&threads[1], NULL, look_on, NULL);
	pthread_create(&threads[2], NULL, work, NULL);
#ifdef SIGNALS
	pthread_create(&threads[3], NULL, interrupt, &threads[2]);
#endif
#ifdef SIGNALS
	pthread_join(threads[3], NULL);
#endif
	pthread_join(threads[2], NULL);
	__atomic_store_n(&finished, true, __ATOMIC_RELEASE);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	balance();
}

/* The argument is the number of rounds, 1 by default. */
int main(int argc, char **argv)
{
	const unsigned int rounds = argc > 1 ? atoi(argv[1]) : 1;

	data = malloc(SUB_BYTES * SUBBUFS);
#ifdef SIGNALS
	sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = interrupted }, NULL);
#endif
	printf("1..%u\n", 2 * rounds);
	while (runs < 2 * rounds) {
		overwrite = runs % 2;
		dice_state = 1 + runs;
		run();
	}
	free(data);
	return 0;
}
