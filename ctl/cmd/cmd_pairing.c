// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_pairing.c - pairs: show the objects that hits of A began, and no hit of B with the same key ended. */
#include "ctl/cmd/command.h"
#include "ctl/live/measure/pairing_run.h"
#include "ctl/live/session/trace.h"
#include "ctl/show/report/report_pairing.h"

bool cmd_pairing(struct session *s, const struct words *words, struct error *err)
{
	struct pairing_run p = { .armed = false };
	struct oneshot o;
	bool ok = oneshot_parse(s, words, &pairing_flags, &o, err) && session_connect(s, err) && pairing_run_plan(s, &o, &p, err);

	if (ok)
		ok = s->dry_run ? trace_try(s, &p.plans, err) : pairing_run_measure(s, &o, &p, err) && report_pairing(s, &o, &p, err);
	pairing_run_free(s, &p);
	oneshot_free(&o);
	return ok;
}
