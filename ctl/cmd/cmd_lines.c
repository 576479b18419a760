// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_lines.c - lines: measure where the time goes inside a function, or only count. */
#include "ctl/cmd/command.h"
#include "ctl/measure/lines.h"
#include "ctl/report/report.h"

#define FOR_MS	10000	/* default duration */

/* Every line of every call is a hit: limit the time unless the user did. */
static void limit(struct oneshot *o)
{
	if (!o->command && o->for_ms < 0 && !o->count)
		o->for_ms = FOR_MS;
}

static bool check(const struct oneshot *o, struct error *err)
{
	const char *other = o->count ? "--count" : o->only_if ? "--if" : o->raw ? "--raw" : NULL;

	return !o->counts || !other ||
	       error_set(err, STATUS_USAGE, "lines: --counts follows no calls and measures no times: leave out %s, or --counts", other);
}

bool cmd_lines(struct session *s, const struct words *words, struct error *err)
{
	struct lines_subject subject = { .typed = { 0 } };
	struct measurement m = { .name = NULL };
	struct oneshot o;
	bool ok = oneshot_parse(s, words, &lines_flags, &o, err) && check(&o, err) && session_connect(s, err) &&
		  lines_find(s, &o, &subject, err);

	limit(&o);
	ok = ok && (o.counts ? lines_counts : lines_times)(s, &o, &subject, &m, err) && report_show(s, &o, &m, NULL, err);
	measurement_free(&m);
	lines_free(&subject);
	oneshot_free(&o);
	return ok;
}
