/* SPDX-License-Identifier: GPL-2.0-or-later */
/* worker.h - one process of a run: a share of the trials, on one CPU. */
#ifndef FIDELITY_WORKER_H
#define FIDELITY_WORKER_H

#include <stdio.h>

#include "report.h"
#include "source.h"
#include "tally.h"

#define WORKER_SKIPPED	77

struct run {
	u64 seed, count;		/* number of trials for all workers */
	unsigned int workers, show;
	struct sources sources;
};

/* The parent may read this at any time. */
struct progress {
	u64 number;			/* of the trial in progress */
	u8 bytes[MAX_INSN_SIZE];
	u64 findings_shown;
	const char *lacks;		/* what this machine lacks; NULL: nothing */
	struct tally tally;
};

/* The exit status: 0, or WORKER_SKIPPED if the machine lacks something. Prints findings to `to`. */
int worker_run(const struct run *run, unsigned int id, struct progress *progress, FILE *to);

/* Run one trial and print everything about it. */
int worker_show(const struct run *run, u64 number, struct progress *progress, FILE *to);

/* Plant wrong relocations; returns 0 if each was found. */
int worker_self_test(const struct run *run, struct progress *progress, FILE *to);

/* The harness itself raised an exception. */
void worker_crashed(int signal, u64 rip);

#endif
