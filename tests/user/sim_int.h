/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sim_int.h - what the writers of simulator.c and their reader share.  See simulator.h. */
#ifndef KTRACE_SIM_INT_H
#define KTRACE_SIM_INT_H

#include "user/internal.h"

#include <ucontext.h>

#include "ctl/trace/user/user_file.h"
#include "machine.h"
#include "sim_events.h"
#include "simulator.h"

#define STORAGE		65536		/* of a thread */
#define STACK		65536
#define SUB		4096U
#define TID(n)		(1000 + (n))
#define SUBBUFS	16
/* Writers use only so many units of a sub-buffer, so that they often begin a new packet. */
#define UNITS		(sizeof(struct ktu_packet) / 4 + 20 + sim_longer())
#define MOST		64		/* events of a thread, with those of handlers */

struct writer {
	ucontext_t context;
	uint8_t storage[STORAGE] __attribute__((aligned(64)));
	uint8_t stack[STACK] __attribute__((aligned(64)));	/* of the machine */
	uint8_t host[4 * STACK] __attribute__((aligned(64)));	/* of the C code */
	struct thread machine;
	uint32_t cpu;
	bool lost_cpu;			/* since its last step */
	bool done;
	int depth;			/* of handlers */
	uint32_t begun;			/* events */
	bool returned[MOST];
	uint64_t last_clock;		/* that it has read */
	uint64_t times[MOST];		/* of the events that have returned */
};

/* A ring for each CPU, as in a file; no slot. */
struct sim_image {
	struct { uint8_t ring[KTU_PAGE + SUBBUFS * SUB]; } rings[SIM_CPUS];
} __attribute__((aligned(4096)));

extern struct sim_image sim_image;
extern struct writer sim_writers[SIM_THREADS];
extern struct user_file sim_file;

/* Note the first problem. */
void sim_wrong(const char *what);

/* sim_reader.c: look at the rings while writers are at work; at any step, as if the process ended then; and at the end. */
void sim_look_meanwhile(void);
void sim_check(void);
void sim_check_total(void);

#endif
