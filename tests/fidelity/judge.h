/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge.h - one trial, from its instructions to a verdict. */
#ifndef FIDELITY_JUDGE_H
#define FIDELITY_JUDGE_H

#include "compare.h"
#include "directed.h"
#include "plant.h"

enum verdict {
	VERDICT_SAME,
	VERDICT_TOLERATED,
	VERDICT_UNSTABLE,	/* two executions in place differ, or the difference is not repeatable */
	VERDICT_DIFFERENT,
	VERDICT_REFUSED,	/* by the code under test */
	VERDICT_EXCLUDED,	/* by the harness */
	VERDICT_UNDECODABLE,
	VERDICT_UNPLANTED,	/* the planted fault does not apply here */
};

struct judgement {
	enum verdict verdict;
	enum kt_refusal refusal;
	int row;		/* in the table of exclusions or of accepted differences */
	const char *why;	/* the difference, if it is not one of states */
	bool executed;
	struct displaced displaced;
	struct differences differences;
	struct result in_place, moved;
};

/*
 * plant: NULL, or the fault to plant in the displaced code. The caller must call window_unpatch() afterwards.
 */
void judge(struct trial *trial, const struct plant *plant, struct judgement *out);

#endif
