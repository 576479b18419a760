// SPDX-License-Identifier: GPL-2.0-or-later
/* judge.c - judge one trial. See judge.h. */
#include <signal.h>

#include "exclude.h"
#include "judge.h"
#include "prepare.h"

static void different(struct judgement *out, const char *why)
{
	out->verdict = VERDICT_DIFFERENT;
	out->why = why;
}

/* The expectation applies to a single instruction in a slot. */
static bool expects(const struct trial *trial, enum expect expect)
{
	return trial->directed && !trial->method->several && trial->directed->expect == expect;
}

/* It was not refused: can it be executed here, and may it be moved at all? */
static bool judge_accepted(const struct trial *trial, struct judgement *out)
{
	const char *never = exclude_never(trial);

	if (never)
		different(out, never);
	else if (expects(trial, EXPECT_REFUSED))
		different(out, "it is to be refused");
	else if ((out->row = exclude_find(trial)) >= 0)
		out->verdict = VERDICT_EXCLUDED;
	else
		return false;
	return true;
}

/* Returns true if there is a verdict without execution. */
static bool judge_code(const struct trial *trial, struct judgement *out)
{
	out->refusal = displace(trial, &out->displaced);
	if (out->displaced.overrun)
		different(out, "more code was written than there is room for");
	else if (out->displaced.differs_in_kernel)
		different(out, "at kernel addresses the code is another");
	else if (!out->refusal)
		return judge_accepted(trial, out);
	else if (expects(trial, EXPECT_MOVED) && out->refusal != KT_REFUSE_RANGE)
		different(out, "it is refused, though it can be executed elsewhere");
	else
		out->verdict = VERDICT_REFUSED;
	return true;
}

/* A real difference occurs twice, and does not occur between two executions in place. */
static bool is_stable(const struct trial *trial, const struct judgement *out)
{
	static struct result again, and_again;
	struct differences differences;

	execute_in_place(trial, &again);
	execute_in_place(trial, &and_again);
	compare(&again, &and_again, &differences);
	if (differences.any)
		return false;
	execute_displaced(trial, &out->displaced, &and_again);
	compare(&again, &and_again, &differences);
	return differences.any;
}

static void judge_difference(const struct trial *trial, struct judgement *out)
{
	out->row = compare_tolerated(trial, &out->in_place, &out->moved, &out->differences);
	if (out->row >= 0)
		out->verdict = VERDICT_TOLERATED;
	else
		out->verdict = is_stable(trial, out) ? VERDICT_DIFFERENT : VERDICT_UNSTABLE;
}

static void judge_execution(const struct trial *trial, struct judgement *out)
{
	out->executed = true;
	execute_stand(trial);
	execute_leftovers(trial, &out->displaced);
	execute_in_place(trial, &out->in_place);
	execute_displaced(trial, &out->displaced, &out->moved);
	compare(&out->in_place, &out->moved, &out->differences);
	out->verdict = VERDICT_SAME;
	if (out->differences.any)
		judge_difference(trial, out);
	if (!compare_frame(trial, &out->moved.outcome))
		different(out, "the hit is not given the registers as they were");
	/* Code under test cannot make system calls: see worker.c. */
	if (out->in_place.outcome.signal == SIGSYS)
		different(out, "it makes a system call");
	execute_clear(trial, &out->displaced);
}

void judge(struct trial *trial, const struct plant *plant, struct judgement *out)
{
	out->why = NULL;
	out->executed = false;
	out->refusal = KT_REFUSE_NONE;
	prepare(trial);
	if (judge_code(trial, out))
		return;
	if (plant && !plant_spoil(plant, trial, &out->displaced))
		out->verdict = VERDICT_UNPLANTED;
	else
		judge_execution(trial, out);
}
