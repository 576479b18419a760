/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * off_cpu.h - of the calls of a function, the time off the CPU: where a thread left it, and who woke it.
 *
 * The events come in the order of their time.  For each thread in a call they say when it left a CPU, was woken, and
 * got a CPU again.  If events are missing, the calls that they may concern are not known.  With T calls that ended:
 *
 *   T = slept + ran + unknown
 *
 * A call within a call of the same thread counts itself, so its time off the CPU counts for both, as their durations do.
 */
#ifndef KTRACE_OFF_CPU_H
#define KTRACE_OFF_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OFF_CPU_COMM	16

/* Where a thread left the CPU: return addresses. */
struct off_cpu_stop {
	uint64_t at;		/* in the function that is measured; 0: it is not on the stack */
	uint64_t in;		/* in the innermost function that tells something; 0: that is the same */
};

enum off_cpu_why {
	WOKEN_UNSEEN,		/* nobody was seen to wake it */
	WOKEN_BY_THREAD,
	WOKEN_BY_INTERRUPT,	/* the thread that was interrupted has nothing to do with it */
	WOKEN_SOMEWHERE,	/* the stack was too deep to tell the two apart */
	PREEMPTED,		/* it could run, and another thread got the CPU */
	NR_OFF_CPU_WHYS,
};

struct off_cpu_waker {
	enum off_cpu_why why;
	uint32_t tid;		/* WOKEN_BY_THREAD; 0 in a row: several */
	char comm[OFF_CPU_COMM];
	uint64_t at;		/* return address; 0: unknown */
};

/* The times off the CPU with the same place and the same waker, in ended calls. */
struct off_cpu_row {
	struct off_cpu_stop stop;
	struct off_cpu_waker waker;
	uint64_t times, total, most;	/* ticks */
	char *where, *by;		/* the same as text; the owner frees them */
	uint32_t next;			/* in its bucket */
};

/* A call that has not ended, and that is off the CPU. */
struct off_cpu_flight {
	uint32_t tid;
	char comm[OFF_CPU_COMM];
	bool preempted, woken;
	uint64_t since;			/* ticks */
	struct off_cpu_stop stop;
	char *where;
};

struct off_cpu {
	/*
	 * The end of each call is seen: a call at the stack pointer of the newest one continues it, as it was entered by a
	 * jump, and calls that are open at the end have not ended.
	 */
	bool sees_ends;
	bool is_doubtful;		/* see off_cpu_doubt() */
	struct off_cpu_thread **threads;

	uint64_t slept, ran, unknown;
	uint64_t total;			/* = asleep + waited + unseen: ticks off the CPU of the calls that slept */
	uint64_t asleep;		/* until they were woken */
	uint64_t waited;		/* ready to run */
	uint64_t unseen;		/* asleep and then ready: nobody saw the wake-up between the two */
	struct off_cpu_row *rows;
	size_t nr_rows;
	struct off_cpu_flight *flights;
	size_t nr_flights;
	uint64_t lost;			/* records */
	uint64_t missed;		/* hits of the scheduler's tracepoints that were not recorded */
	uint32_t *buckets;
};

struct off_cpu *off_cpu_create(void);
void off_cpu_free(struct off_cpu *o);

/* Is this thread in a call? */
bool off_cpu_has(const struct off_cpu *o, uint64_t thread);
/* sp: the stack pointer at the entry, and at the return. */
void off_cpu_begin(struct off_cpu *o, uint64_t thread, uint64_t sp);
void off_cpu_end(struct off_cpu *o, uint64_t thread, uint64_t sp);
/* It leaves the CPU.  comm: its own name, of OFF_CPU_COMM bytes. */
void off_cpu_out(struct off_cpu *o, uint64_t thread, uint64_t ticks, bool preempted, const struct off_cpu_stop *stop, const char *comm);
void off_cpu_woken(struct off_cpu *o, uint64_t thread, uint64_t ticks, const struct off_cpu_waker *waker);
void off_cpu_in(struct off_cpu *o, uint64_t thread, uint64_t ticks);
/* It has ended; its calls never return. */
void off_cpu_gone(struct off_cpu *o, uint64_t thread);
/* So many events are missing before the next one. */
void off_cpu_lost(struct off_cpu *o, uint64_t records);
/*
 * Events are missing somewhere among the next ones, until it is called with false: the calls that are open now, and those
 * that begin until then, are not known.
 */
void off_cpu_doubt(struct off_cpu *o, bool is_doubtful);
/*
 * ended: calls that ended; until: when the measurement ended, in ticks.  Fill in `unknown` and the flights, and sort: what
 * took longest first.
 */
void off_cpu_finish(struct off_cpu *o, uint64_t ended, uint64_t until);

#endif
