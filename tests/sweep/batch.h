/* SPDX-License-Identifier: GPL-2.0-or-later */
/* batch.h - a number of sites that are set, hit and removed together. */
#ifndef SWEEP_BATCH_H
#define SWEEP_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "live.h"
#include "pick.h"
#include "tally.h"

/* Less than the module has room for. */
#define MAX_BATCH 49152

struct batch {
	uint64_t number;
	struct kt_site_req *sites;
	const char **wrong;	/* the mistake in it; NULL: an instruction that is correct */
	size_t n;
	uint32_t set;		/* how many of them the module has set */
	unsigned int dwell_ms;	/* how long the tracepoints stay */
	uint64_t hottest, most;	/* the address that was hit most often, and how often */
};

void batch_begin(struct batch *batch, uint64_t number);

/* Add a site; there is room for MAX_BATCH. */
void batch_add(struct batch *batch, const struct insn *insn, const char *wrong);

/* Set, wait, check and remove the batch. Ends the program if anything is wrong. */
void batch_run(struct batch *batch, struct live *live, struct tally *tally);

/* Print one site on each line, in the form that batch_read() can read in another boot. */
void batch_print(const struct batch *batch, const struct symbols *symbols);
void batch_read(struct batch *batch, const struct live *live, const char *file);

#endif
