// SPDX-License-Identifier: GPL-2.0-or-later
/* main.c - the command line of ktrace. */
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/base/guard.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/base/screen.h"
#include "ctl/base/shell.h"
#include "ctl/live/session/child.h"
#include "ctl/live/session/lost.h"
#include "ctl/live/session/session.h"
#include "ctl/ui/invocation.h"
#include "ctl/ui/shell_complete.h"

static void choose_colour(struct session *s, const char *when)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (!strcmp(when, "auto"))
		s->colour = isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb");
	else
		s->colour = !strcmp(when, "always");
}

static void choose_width(struct session *s, const struct invocation *inv)
{
	s->on_terminal = !inv->wide && isatty(STDOUT_FILENO);
	s->message_terminal = !inv->wide && isatty(STDERR_FILENO);
}

/* Only where a person reads: keys come from a terminal and output goes to one. */
static void choose_pager(struct session *s, const struct invocation *inv)
{
	if (!inv->no_pager && screen_is_possible())
		s->pager = shell_pager();
}

static void choose_streams(struct session *s)
{
	FILE *out = guard_open(stdout), *messages = guard_open(stderr);

	if (!out || !messages)
		exit(STATUS_FAILURE);
	if (isatty(STDOUT_FILENO))
		setvbuf(out, NULL, _IOLBF, BUFSIZ);
	setvbuf(messages, NULL, _IONBF, 0);
	s->out = out;
	s->messages = messages;
}

static bool start(struct session *s, struct invocation *inv, int argc, char **argv,
		  struct error *err)
{
	if (!invocation_parse(s, inv, argc, argv, err))
		return false;
	choose_colour(s, inv->colour);
	choose_width(s, inv);
	choose_pager(s, inv);
	if (inv->help)
		invocation_help(s->out);
	else if (inv->version)
		fputs("ktrace " KTRACE_VERSION "\n", s->out);
	else if (inv->completes)
		shell_complete(s, inv->command.v, inv->command.n);
	else
		return invocation_run(s, inv, err);
	return true;
}

int main(int argc, char **argv)
{
	struct invocation inv = { .colour = "auto" };
	struct session s;
	struct error err;
	bool ok;

	setlocale(LC_CTYPE, "");
	session_init(&s);
	choose_streams(&s);
	s.uses_debug = s.finds_terminal = true;
	ok = start(&s, &inv, argc, argv, &err) && session_flush(&s, &err);
	if (!ok)
		session_complain(&s, NULL, &err);
	lost_tell(&s, s.interactive);
	session_end(&s);
	fclose(s.out);
	fclose(s.messages);
	invocation_free(&inv);
	if (ok && !s.failed && s.wait_status)
		child_end_alike(s.wait_status);
	/* SIGTERM arrived while a command ran: end as SIGTERM would have ended ktrace. */
	if (interrupt_pending())
		raise(SIGTERM);
	return ok ? (int)s.failed : (int)err.status;
}
