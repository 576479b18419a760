/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tally.h - the counts of a run. */
#ifndef FIDELITY_TALLY_H
#define FIDELITY_TALLY_H

#include <stdio.h>

#include "exclude.h"
#include "judge.h"

#define NR_UNSTABLE	24
#define UNSTABLE_NAME	24

enum column { COLUMN_WENT_ON, COLUMN_EXCEPTION, COLUMN_REFUSED, COLUMN_EXCLUDED, NR_COLUMNS };

struct tally {
	u64 executed, different, undecodable;
	u64 by_class[NR_CLASSES][NR_COLUMNS];
	u64 by_trait[NR_TRAITS];
	u64 by_method[NR_METHODS];
	u64 by_refusal[KT_NR_REFUSALS];
	u64 by_exclusion[MAX_EXCLUDED];
	u64 by_tolerance[MAX_TOLERATED];
	u64 by_source[NR_SOURCES], moved_by_source[NR_SOURCES];
	u64 unstable;
	struct {
		char name[UNSTABLE_NAME];
		u64 n;
	} unstable_by_name[NR_UNSTABLE];
};

void tally_count(struct tally *tally, const struct trial *trial, const struct judgement *judgement);
void tally_add(struct tally *to, const struct tally *from);
void tally_print(FILE *to, const struct tally *tally);

#endif
