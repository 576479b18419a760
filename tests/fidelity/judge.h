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
	VERDICT_UNSTABLE,	/* not the same twice in place, or not different twice */
	VERDICT_DIFFERENT,
	VERDICT_REFUSED,	/* by the code under test */
	VERDICT_EXCLUDED,	/* by the harness */
	VERDICT_UNDECODABLE,
	VERDICT_UNPLANTED,	/* the planted fault does not apply to it */
};

struct judgement {
	enum verdict verdict;
	enum kt_refusal refusal;
	int row;		/* of the table of exclusions or of tolerated differences */
	const char *why;	/* a difference that is not one of states */
	bool executed;
	struct displaced displaced;
	struct differences differences;
	struct result in_place, moved;
};

/* plant: NULL, or what to spoil the displaced code with. window_unpatch() is left to the caller. */
void judge(struct trial *trial, const struct plant *plant, struct judgement *out);

#endif
