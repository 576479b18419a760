/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simulator.h - three threads, and handlers that interrupt them, write events by the real bytes of section.S and the real C
 * code of write.c; a reader looks at the rings.  The simulator is their kernel: it takes the CPU from a thread between any
 * two instructions, moves it to another CPU, interrupts it by a handler, and restarts its sequence if it was in one.
 */
#ifndef KTRACE_SIMULATOR_H
#define KTRACE_SIMULATOR_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_THREADS	3
#define SIM_EVENTS	3	/* of each thread */
#define SIM_CPUS	2
/* Of events: [SIM_WORD] are mostly of one word, [SIM_WORDS] of more, and the others have bytes. */
enum { SIM_WORD, SIM_WORDS, SIM_BYTES, SIM_GROUPS = 5 };

/* struct rseq_cs of the kernel. */
struct sequence {
	uint32_t version, flags;
	uint64_t start, length, abort;
};

/* BESIDE: the thread goes to another CPU, and another thread runs at the same time where it was. */
enum sim_means {
	SIM_NOTHING, SIM_OTHER_THREAD, SIM_OTHER_CPU, SIM_BESIDE, SIM_HANDLER, SIM_HANDLER_AND_THREAD, SIM_NR_MEANS,
};

/* When the reader looks, besides at the end. */
enum sim_looks {
	SIM_AT_END,
	SIM_AS_IF_IT_ENDED,	/* at every step: all that has returned must be there */
	/*
	 * At every step, from another CPU, where not all of the last stores have arrived.  Rings are small, so that what it
	 * reads is overwritten.
	 */
	SIM_MEANWHILE,
};

struct sim {
	/* What happens at step `first`, and the step after that at which the other thread loses the CPU again. */
	struct sim_plan {
		bool at_random;
		enum sim_means means;
		unsigned long first, second;
		unsigned int turn;	/* steps of each of two threads that run at the same time */
		uint32_t cpu;		/* on which the threads begin */
		enum sim_looks looks;
		unsigned int left;	/* of what may happen at random */
	} plan;
	unsigned int group;	/* of events that are written, below SIM_GROUPS */
	unsigned int gaps;	/* one in so many reads of the clock is far behind the one before */
	/* A broken kernel. */
	bool kernel_restarts;
	uint64_t mutant_start, mutant_end;	/* of a sequence, if not 0 */
	/* What sim_run() has found. */
	char problem[1024];	/* the first one */
	unsigned long steps;
	unsigned int fast;	/* events that the C code did not see */
	unsigned int fast_word, fast_parts;	/* of them by ktrace_write_word(), by ktrace_write_parts() */
};

extern struct sim sim;

/* For cmocka: set up and tear down. */
int sim_make(void **state);
int sim_drop(void **state);
/* Run all threads.  False: sim.problem says what is wrong. */
bool sim_run(void);

#endif
