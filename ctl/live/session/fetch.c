// SPDX-License-Identifier: GPL-2.0-or-later
/* fetch.c - see fetch.h. */
#include "ctl/live/session/fetch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/duration.h"
#include "ctl/base/escape.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/base/progress.h"
#include "ctl/live/session/confirm.h"
#include "symbols/base/debug_error.h"

#define VARIABLE	"KTRACE_DEBUGINFOD"

static bool ask(struct session *s)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	AUTO_FREE char *question = mem_printf("debug information is not installed: fetch it from %s", urls ? escape_shown(urls) : "DEBUGINFOD_URLS");

	s->fetch = confirm(s, question) ? FETCH_ALLOWED : interrupt_pending() ? FETCH_NOT_ASKED : FETCH_REFUSED;
	return s->fetch == FETCH_ALLOWED;
}

static bool may(void *arg, struct debug_error *err)
{
	struct session *s = arg;
	const char *said = s->debuginfod ? s->debuginfod : getenv(VARIABLE);

	if (!said || !*said)
		said = "ask";
	if (!strcmp(said, "on") || s->fetch == FETCH_ALLOWED)
		return true;
	if (!strcmp(said, "off"))
		return debug_fail(err, "the servers of DEBUGINFOD_URLS are not asked (--debuginfod on asks them)");
	if (strcmp(said, "ask"))
		return debug_fail(err, "the servers of DEBUGINFOD_URLS are not asked: " VARIABLE " is neither ask, on nor off");
	if (s->fetch == FETCH_NOT_ASKED && confirm_is_possible() && ask(s))
		return true;
	return debug_fail(err, s->fetch == FETCH_REFUSED ? "you did not want to ask the servers of DEBUGINFOD_URLS (--debuginfod on asks them)"
							 : "or give --debuginfod on, to fetch it from the servers of DEBUGINFOD_URLS");
}

static void show(void *arg, uint64_t done, uint64_t of)
{
	struct session *s = arg;
	char size[DURATION_SIZE], what[96];

	if (!s->fetching.out)
		s->fetching = progress_open(s->messages, s->quiet, false);
	snprintf(what, sizeof(what), "fetching %s of debug information", bytes_text(of, "bytes", size));
	progress_part(&s->fetching, what, done, of);
}

static void end(void *arg)
{
	struct session *s = arg;

	if (s->fetching.out)
		progress_close(&s->fetching);
	s->fetching.out = NULL;
}

struct debug_fetch session_fetch(struct session *s)
{
	return (struct debug_fetch){ .may = may, .show = show, .end = end, .arg = s };
}
