/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tally.h - the results of all sites. */
#ifndef SWEEP_TALLY_H
#define SWEEP_TALLY_H

#include <stdint.h>

#include "core/ktrace_abi.h"

struct outcome {
	uint64_t n;
	char example[160];
};

struct tally {
	uint64_t sites;				/* instructions tried */
	uint64_t wrong;				/* and wrong requests */
	struct outcome methods[KT_NR_METHODS];	/* for the sites that were set */
	struct outcome no_jumps[KT_NR_NO_JUMPS];	/* for those of them that stayed breakpoints */
	struct outcome refusals[KT_NR_REFUSALS];
	struct outcome wrong_refusals[KT_NR_REFUSALS];
	uint64_t batches, hits, missed, recursed, updated;
};

void tally_site(struct tally *tally, const struct kt_site_req *answer, const char *name);
/* Count the final method of a site that was set, and why it is no jump. */
void tally_method(struct tally *tally, const struct kt_list_entry *entry, const char *name);
void tally_wrong(struct tally *tally, const struct kt_site_req *answer, const char *name);
uint64_t tally_set(const struct tally *tally);
void tally_print(const struct tally *tally);

const char *refusal_name(unsigned int refusal);

#endif
