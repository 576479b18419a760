// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_lines.c - lines: measure where the time goes inside a function, or only count. */
#include <unistd.h>

#include "ctl/base/now.h"
#include "ctl/cmd/command.h"
#include "ctl/live/measure/lines.h"
#include "ctl/show/report/report.h"

#define FOR_MS	10000	/* default duration */
#define LEAST_MS	1000	/* of counting after times were given up */
#define BRAKE_MS	3000	/* most time for the brake to let go */

/* Every line of every call is a hit: limit the time unless the user did. */
static void limit(struct oneshot *o)
{
	if (!o->command && o->for_ms < 0 && !o->count)
		o->for_ms = FOR_MS;
}

static bool check(const struct oneshot *o, struct error *err)
{
	const char *other = oneshot_given(o, GIVEN_COUNT | GIVEN_IF | GIVEN_RAW);

	return !o->counts || !other ||
	       error_set(err, STATUS_USAGE, "lines: --counts follows no calls and measures no times: leave out %s, or --counts", other);
}

/* The tracepoints of before are gone. */
static void wait_for_brake(struct session *s)
{
	const int64_t end = now_ms() + BRAKE_MS;
	struct kt_status status;
	struct error unused;

	while (now_ms() < end && device_status(&s->dev, &status, NULL, &unused) && status.brake_cpus)
		usleep(10000);
}

/* In the rest of the time, only count. */
static bool count_instead(struct session *s, struct oneshot *o, struct lines_subject *subject, struct measurement *m, int64_t began,
			  struct error *err)
{
	const int64_t left = o->for_ms - (now_ms() - began);

	session_note(s, "these lines are executed too often to be timed, so they are only counted, as by --counts");
	o->counts = true;
	if (o->for_ms >= 0)
		o->for_ms = left > LEAST_MS ? left : LEAST_MS;
	measurement_free(m);
	*m = (struct measurement){ .name = NULL };
	lines_free(subject);
	wait_for_brake(s);
	return lines_find(s, o, subject, err) && lines_counts(s, o, subject, m, err);
}

static bool measure(struct session *s, struct oneshot *o, struct lines_subject *subject, struct measurement *m, struct error *err)
{
	const int64_t began = now_ms();
	bool too_hot;

	if (o->counts)
		return lines_counts(s, o, subject, m, err);
	return lines_times(s, o, subject, m, &too_hot, err) && (!too_hot || count_instead(s, o, subject, m, began, err));
}

bool cmd_lines(struct session *s, const struct words *words, struct error *err)
{
	struct lines_subject subject = { .typed = { 0 } };
	struct measurement m = { .name = NULL };
	struct oneshot o;
	bool ok = oneshot_parse(s, words, &lines_flags, &o, err) && check(&o, err) && session_connect(s, err) &&
		  lines_find(s, &o, &subject, err);

	limit(&o);
	ok = ok && measure(s, &o, &subject, &m, err) && report_show(s, &o, &m, NULL, err);
	measurement_free(&m);
	lines_free(&subject);
	oneshot_free(&o);
	return ok;
}
