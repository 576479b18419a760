// SPDX-License-Identifier: GPL-2.0-or-later
/* many.c - see many.h. */
#include "ctl/live/measure/many.h"

#include <stdio.h>
#include <string.h>

#include "ctl/base/memory.h"

#define MAX_NAMED	4	/* functions named in one line */

bool many_allows(const struct oneshot *o, struct error *err)
{
	const char *given = oneshot_given(o, GIVEN_BY | GIVEN_TOP | GIVEN_ACROSS | GIVEN_COUNT | GIVEN_HTML | GIVEN_OFF_CPU);

	return !given || error_set(err, STATUS_USAGE, "%s: not for a pattern, which measures many functions: name one function", given);
}

void many_refuse(struct many *many, const char *name, const struct error *why)
{
	const size_t at = strlen(many->names);

	if (many->nr_refused++ < MAX_NAMED)
		snprintf(many->names + at, sizeof(many->names) - at, "%s%s", at ? ", " : "", name);
	many->why = *why;
}

/* Name what is refused.  False: that is all. */
static bool tell(struct session *s, const struct many *many, size_t nr_measured, struct error *err)
{
	char more[32] = "";

	if (many->nr_refused > MAX_NAMED)
		snprintf(more, sizeof(more), " and %zu more", many->nr_refused - MAX_NAMED);
	if (!nr_measured)
		return error_set(err, many->nr_refused ? many->why.status : STATUS_FAILURE, "%s: none of the functions can be measured: %s",
				 many->pattern, many->nr_refused ? many->why.text : "interrupted");
	if (many->nr_refused)
		session_note(s, "%zu of %zu functions are not measured: %s%s (the last: %s)", many->nr_refused,
			     many->nr_refused + nr_measured, many->names, more, many->why.text);
	return true;
}

static bool arm(struct session *s, struct oneshot *o, void *arg, struct error *err)
{
	struct many *many = arg;
	size_t n = 0;

	if (!lives_arm(s, o, &many->lives, err))
		return false;
	for (size_t i = 0; i < many->lives.n; i++) {
		const struct live *live = many->lives.v[i];

		if (live->is_left_out)
			many_refuse(many, live->plans.v[0].point.name, &live->why);
		else
			n++;
	}
	return tell(s, many, n, err);
}

static bool round_once(struct session *s, void *arg, struct progress *progress, struct error *err)
{
	struct many *many = arg;

	return lives_progress(s, &many->lives, progress, err);
}

static bool disarm(struct session *s, void *arg, struct error *err)
{
	struct many *many = arg;

	return lives_disarm(s, &many->lives, err);
}

bool many_measure(struct session *s, struct oneshot *o, struct many *many, struct error *err)
{
	const struct oneshot_ops ops = { .arm = arm, .round = round_once, .disarm = disarm, .arg = many };

	return many->lives.n ? oneshot_measure(s, o, &ops, err) : tell(s, many, 0, err);
}
