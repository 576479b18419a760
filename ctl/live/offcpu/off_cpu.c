// SPDX-License-Identifier: GPL-2.0-or-later
/* off_cpu.c - see off_cpu.h. */
#include "ctl/live/offcpu/off_cpu.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"

#define BUCKETS		(1U << 12)
#define NONE		UINT32_MAX
#define SAME_STACK	(1U << 14)	/* stack pointers that differ by more are on different stacks */
#define SLACK		8		/* bytes of a return address: at a return it may be taken off the stack already */
#define MOST_SLEEPS	(1U << 20)	/* of one thread, in calls that have not ended */

struct sleep {
	uint32_t row, tid;
	uint64_t total, asleep;
};

struct call {
	uint64_t sp;
	size_t first;		/* its first sleep */
};

/* A thread in a call. */
struct off_cpu_thread {
	uint64_t id;
	struct call *calls;	/* the innermost one last */
	size_t nr_calls;
	struct sleep *sleeps;
	size_t nr_sleeps;
	bool is_broken;		/* events are missing, or there were too many */
	bool is_out, preempted;
	uint64_t out, woken;	/* ticks */
	struct off_cpu_stop stop;
	struct off_cpu_waker waker;
	char comm[OFF_CPU_COMM];
	struct off_cpu_thread *next;
};

struct off_cpu *off_cpu_create(void)
{
	struct off_cpu *o = mem_zalloc(1, sizeof(*o));

	o->threads = mem_zalloc(BUCKETS, sizeof(*o->threads));
	o->buckets = mem_zalloc(BUCKETS, sizeof(*o->buckets));
	memset(o->buckets, 0xff, BUCKETS * sizeof(*o->buckets));
	return o;
}

static struct off_cpu_thread **find(const struct off_cpu *o, uint64_t thread)
{
	struct off_cpu_thread **at = &o->threads[(thread ^ thread >> 32) % BUCKETS];

	while (*at && (*at)->id != thread)
		at = &(*at)->next;
	return at;
}

static void drop(struct off_cpu_thread **at)
{
	struct off_cpu_thread *t = *at;

	*at = t->next;
	free(t->calls);
	free(t->sleeps);
	free(t);
}

void off_cpu_free(struct off_cpu *o)
{
	for (size_t i = 0; o && i < BUCKETS; i++)
		while (o->threads[i])
			drop(&o->threads[i]);
	for (size_t i = 0; o && i < o->nr_rows; i++) {
		free(o->rows[i].where);
		free(o->rows[i].by);
	}
	for (size_t i = 0; o && i < o->nr_flights; i++)
		free(o->flights[i].where);
	if (o) {
		free(o->threads);
		free(o->buckets);
		free(o->rows);
		free(o->flights);
	}
	free(o);
}

bool off_cpu_has(const struct off_cpu *o, uint64_t thread)
{
	return *find(o, thread);
}

/* --------------------------------------------------------------------- calls */

/* Its sleeps count for the calls around it. */
static void forget_newest(struct off_cpu_thread *t)
{
	if (!--t->nr_calls)
		t->nr_sleeps = 0;
}

/* Forget calls that are further down the same stack: a filter turned them down at their end, or they never return. */
static void forget_below(struct off_cpu_thread *t, uint64_t sp)
{
	while (t->nr_calls && t->calls[t->nr_calls - 1].sp < sp && sp - t->calls[t->nr_calls - 1].sp < SAME_STACK)
		forget_newest(t);
}

void off_cpu_begin(struct off_cpu *o, uint64_t thread, uint64_t sp)
{
	struct off_cpu_thread **at = find(o, thread), *t = *at;

	if (!t) {
		t = *at = mem_zalloc(1, sizeof(*t));
		t->id = thread;
	}
	forget_below(t, sp);
	if (t->nr_calls && t->calls[t->nr_calls - 1].sp == sp) {
		if (o->sees_ends)
			return;
		forget_newest(t);
	}
	t->is_broken &= t->nr_calls > 0;
	t->is_broken |= o->is_doubtful;
	t->calls = MEM_MORE(t->calls, t->nr_calls);
	t->calls[t->nr_calls++] = (struct call){ sp, t->nr_sleeps };
}

static void count(struct off_cpu *o, const struct sleep *sleep)
{
	struct off_cpu_row *row = &o->rows[sleep->row];

	if (!row->times)
		row->waker.tid = sleep->tid;
	else if (row->waker.tid != sleep->tid)
		row->waker.tid = 0;
	row->times++;
	row->total += sleep->total;
	row->most = sleep->total > row->most ? sleep->total : row->most;
	o->total += sleep->total;
	if (row->waker.why == WOKEN_UNSEEN) {
		o->unseen += sleep->total;
		return;
	}
	o->asleep += sleep->asleep;
	o->waited += sleep->total - sleep->asleep;
}

static void count_call(struct off_cpu *o, const struct off_cpu_thread *t, const struct call *call)
{
	if (t->is_broken)
		return;
	if (call->first < t->nr_sleeps)
		o->slept++;
	else
		o->ran++;
	for (size_t i = call->first; i < t->nr_sleeps; i++)
		count(o, &t->sleeps[i]);
}

/* Take off the call that was entered there, and those in it.  False: there is none. */
static bool leave(struct off_cpu_thread *t, uint64_t sp)
{
	for (size_t i = t->nr_calls; i > 0; i--)
		if (t->calls[i - 1].sp == sp) {
			t->nr_calls = i - 1;
			return true;
		}
	return false;
}

void off_cpu_end(struct off_cpu *o, uint64_t thread, uint64_t sp)
{
	struct off_cpu_thread **at = find(o, thread), *t = *at;

	if (!t)
		return;
	/* It returns while it is said to be off the CPU. */
	t->is_broken |= t->is_out;
	t->is_out = false;
	if (leave(t, sp) || leave(t, sp - SLACK))
		count_call(o, t, &t->calls[t->nr_calls]);
	if (!t->nr_calls)
		drop(at);
}

void off_cpu_gone(struct off_cpu *o, uint64_t thread)
{
	struct off_cpu_thread **at = find(o, thread);

	if (*at)
		drop(at);
}

static void break_all(struct off_cpu *o)
{
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct off_cpu_thread *t = o->threads[i]; t; t = t->next)
			t->is_broken = true;
}

void off_cpu_lost(struct off_cpu *o, uint64_t records)
{
	o->lost += records;
	break_all(o);
}

void off_cpu_doubt(struct off_cpu *o, bool is_doubtful)
{
	o->is_doubtful = is_doubtful;
	if (is_doubtful)
		break_all(o);
}

/* ---------------------------------------------------------------------- rows */

static bool is_same(const struct off_cpu_row *row, const struct off_cpu_stop *stop, const struct off_cpu_waker *waker)
{
	return row->stop.at == stop->at && row->stop.in == stop->in && row->waker.why == waker->why &&
	       row->waker.at == waker->at && !memcmp(row->waker.comm, waker->comm, OFF_CPU_COMM);
}

static uint32_t row_of(struct off_cpu *o, const struct off_cpu_stop *stop, const struct off_cpu_waker *waker)
{
	const uint64_t hash = (stop->at * 31 + stop->in) * 31 + waker->at + waker->why;
	uint32_t *head = &o->buckets[(hash ^ hash >> 32) % BUCKETS];

	for (uint32_t i = *head; i != NONE; i = o->rows[i].next)
		if (is_same(&o->rows[i], stop, waker))
			return i;
	o->rows = MEM_MORE(o->rows, o->nr_rows);
	o->rows[o->nr_rows] = (struct off_cpu_row){ .stop = *stop, .waker = *waker, .next = *head };
	*head = o->nr_rows;
	return o->nr_rows++;
}

/* -------------------------------------------------------------------- events */

void off_cpu_out(struct off_cpu *o, uint64_t thread, uint64_t ticks, bool preempted, const struct off_cpu_stop *stop, const char *comm)
{
	struct off_cpu_thread *t = *find(o, thread);

	if (!t)
		return;
	t->is_broken |= t->is_out;
	t->is_out = true;
	t->preempted = preempted;
	t->out = ticks;
	t->stop = *stop;
	memcpy(t->comm, comm, OFF_CPU_COMM);
	if (preempted)
		t->waker = (struct off_cpu_waker){ .why = PREEMPTED };
}

/*
 * The first wake-up counts.  One shortly before the thread left the CPU counts if no other follows: another CPU may have woken
 * it while it was about to sleep.
 */
void off_cpu_woken(struct off_cpu *o, uint64_t thread, uint64_t ticks, const struct off_cpu_waker *waker)
{
	struct off_cpu_thread *t = *find(o, thread);

	if (!t || (t->is_out && (t->preempted || (t->waker.why != WOKEN_UNSEEN && t->woken >= t->out))))
		return;
	t->woken = ticks;
	t->waker = *waker;
}

void off_cpu_in(struct off_cpu *o, uint64_t thread, uint64_t ticks)
{
	struct off_cpu_thread *t = *find(o, thread);
	struct sleep sleep;

	if (!t)
		return;
	if (!t->is_out || t->nr_sleeps >= MOST_SLEEPS)
		t->is_broken = true;
	if (!t->is_broken) {
		sleep = (struct sleep){ .tid = t->waker.tid, .total = ticks > t->out ? ticks - t->out : 0 };
		if (t->waker.why != PREEMPTED && t->waker.why != WOKEN_UNSEEN && t->woken > t->out)
			sleep.asleep = t->woken < ticks ? t->woken - t->out : sleep.total;
		sleep.row = row_of(o, &t->stop, &t->waker);
		t->sleeps = MEM_MORE(t->sleeps, t->nr_sleeps);
		t->sleeps[t->nr_sleeps++] = sleep;
	}
	t->is_out = false;
	t->waker = (struct off_cpu_waker){ .why = WOKEN_UNSEEN };
}

/* -------------------------------------------------------------------- finish */

static int by_total(const void *a, const void *b)
{
	const struct off_cpu_row *x = a, *y = b;

	return x->total != y->total ? (x->total < y->total ? 1 : -1) : x->times < y->times ? 1 : -1;
}

static int by_since(const void *a, const void *b)
{
	const struct off_cpu_flight *x = a, *y = b;

	return x->since < y->since ? -1 : x->since > y->since;
}

static void take_flight(struct off_cpu *o, const struct off_cpu_thread *t, uint64_t until)
{
	struct off_cpu_flight flight = {
		.tid = t->id, .preempted = t->preempted, .since = t->out, .stop = t->stop,
		.woken = t->waker.why != WOKEN_UNSEEN && t->woken >= t->out,
	};

	if (!o->sees_ends || !t->is_out || t->is_broken || t->out >= until)
		return;
	memcpy(flight.comm, t->comm, OFF_CPU_COMM);
	o->flights = MEM_MORE(o->flights, o->nr_flights);
	o->flights[o->nr_flights++] = flight;
}

void off_cpu_finish(struct off_cpu *o, uint64_t ended, uint64_t until)
{
	size_t used = 0;

	for (size_t i = 0; i < BUCKETS; i++)
		for (const struct off_cpu_thread *t = o->threads[i]; t; t = t->next)
			take_flight(o, t, until);
	if (o->nr_flights)
		qsort(o->flights, o->nr_flights, sizeof(*o->flights), by_since);
	o->unknown = ended > o->slept + o->ran ? ended - o->slept - o->ran : 0;
	/* Rows of calls that did not end have no times. */
	for (size_t i = 0; i < o->nr_rows; i++)
		if (o->rows[i].times)
			o->rows[used++] = o->rows[i];
	o->nr_rows = used;
	if (used)
		qsort(o->rows, used, sizeof(*o->rows), by_total);
}
