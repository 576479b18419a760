// SPDX-License-Identifier: GPL-2.0-or-later
/* oneshot.c - the course of a measurement.  See oneshot.h. */
#include "ctl/live/measure/oneshot.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/base/now.h"
#include "ctl/base/progress.h"
#include "ctl/live/session/brake.h"

/* Longest sleep, otherwise than ops say: a signal just before a sleep is noticed only after it. */
#define MAX_SLEEP_MS	100
/* Drain a ring when that many of its packets are complete. */
#define DRAIN_AT(dev)	((dev)->hello.nr_subbufs / 4)

/* ----------------------------------------------------------------- sleeping */

static int sleep_ms(const struct oneshot *o, const struct oneshot_ops *ops, int64_t began)
{
	const int longest = ops->longest_ms ? ops->longest_ms : MAX_SLEEP_MS;
	const int64_t left = o->for_ms < 0 ? longest : began + o->for_ms - now_ms();

	return left < 0 ? 0 : left > longest ? longest : (int)left;
}

/* Sleep until the command ends, the rings fill, a signal arrives, or some time has passed. */
static void rest(struct session *s, const struct oneshot *o, const struct oneshot_ops *ops, int64_t began)
{
	struct pollfd fds[] = {
		{ .fd = o->child.fd, .events = POLLIN },
		{ .fd = ops->drains ? s->dev.fd : -1, .events = POLLIN | POLLPRI },
		{ .fd = ops->wakes > 0 ? ops->wakes : -1, .events = POLLIN },
	};

	if (ops->drains && !device_wait_for(&s->dev, 0, DRAIN_AT(&s->dev)))
		fds[1].fd = -1;
	poll(fds, sizeof(fds) / sizeof(*fds), sleep_ms(o, ops, began));
}

/* ------------------------------------------------------------------- rounds */

/* After the second request to end, do not wait for the command any more. */
static bool is_over(struct oneshot *o, const struct progress *progress, int64_t began)
{
	if (progress->enough || (o->for_ms >= 0 && now_ms() >= began + o->for_ms))
		return true;
	if (!o->command)
		return interrupt_pending();
	o->cut_short = child_signals() > 1;
	return o->cut_short || child_ended(&o->child, false);
}

static bool go_on(struct session *s, struct oneshot *o, const struct oneshot_ops *ops, struct error *err)
{
	struct progress_line line = progress_open(s->messages, s->quiet, o->command);
	const int64_t began = now_ms();
	struct progress progress = { 0 };
	struct brake_watch brake;
	bool ok = true;

	brake_watch(s, &brake);
	while (!is_over(o, &progress, began)) {
		rest(s, o, ops, began);
		ok = ops->round(s, ops->arg, &progress, err);
		if (!ok)
			break;
		brake_say(s, &brake, false);
		progress_show(&line, began, now_ms(), o->for_ms, progress.hits, progress.lost);
	}
	progress_close(&line);
	/* While its tracepoints still exist. */
	brake_say(s, &brake, true);
	return ok;
}

/* Wait for the command's own end, whether it was measured or not. */
static void wait_for(struct oneshot *o)
{
	while (o->child.pid && !o->cut_short && !child_ended(&o->child, true))
		o->cut_short = child_signals() > 1;
	if (o->cut_short && !child_ended(&o->child, false))
		kill(o->child.pid, SIGTERM);
}

/* ------------------------------------------------------------------ in order */

bool oneshot_follows(const struct oneshot *o)
{
	return o->command && !o->pid;
}

char *oneshot_measured(const struct oneshot *o)
{
	if (o->pid)
		return mem_printf("process %" PRIu64, o->pid);
	return o->command ? mem_strdup(o->command[0]) : NULL;
}

static bool begin(struct session *s, struct oneshot *o, const struct oneshot_ops *ops, struct error *err)
{
	if (o->pid && kill((pid_t)o->pid, 0) && errno == ESRCH)
		return error_set(err, STATUS_FAILURE, "--pid %" PRIu64 ": there is no such process: 'ps -e' lists them", o->pid);
	if (!o->command)
		return true;
	return child_start(&o->child, o->command, err) &&
	       (ops->everywhere || !oneshot_follows(o) || device_process_tree(&s->dev, o->child.pid, KT_PROCESS_TREE_AT_EXEC, err));
}

static bool armed(struct session *s, struct oneshot *o, const struct oneshot_ops *ops, struct error *err)
{
	const bool let_go = !o->command || child_release(&o->child, o->command[0], err);
	bool ok = let_go && go_on(s, o, ops, err);
	struct progress progress;
	struct error why;

	if (!ops->disarm(s, ops->arg, ok ? err : &why))
		ok = false;
	if (let_go)
		wait_for(o);
	return ok && ops->round(s, ops->arg, &progress, err);
}

static bool measure(struct session *s, struct oneshot *o, const struct oneshot_ops *ops, struct error *err)
{
	struct error why;

	if (!begin(s, o, ops, err))
		return false;
	if (ops->arm(s, o, ops->arg, err))
		return armed(s, o, ops, err);
	ops->disarm(s, ops->arg, &why);
	return false;
}

/* With a command signals are passed on to it; without one they end the measurement. */
bool oneshot_measure(struct session *s, struct oneshot *o, const struct oneshot_ops *ops,
		     struct error *err)
{
	bool ok;

	fflush(s->out);
	interrupt_catch();
	ok = measure(s, o, ops, err);
	child_calm();
	if (interrupt_by_ctrl_c()) {
		interrupt_clear();
		if (s->interactive)
			fputs("^C\n", s->messages);
	}
	interrupt_release();
	return ok;
}

bool oneshot_conclude(struct session *s, const struct oneshot *o, const struct error *verdict,
		      struct error *err)
{
	const int status = o->cut_short && !o->child.reaped ? SIGINT : o->child.status;

	if (o->command && status) {
		if (verdict)
			session_complain(s, NULL, verdict);
		if (s->interactive)
			session_note(s, "%s ended with status %d", o->command[0], child_shell_status(status));
		s->wait_status = status;
		return true;
	}
	s->wait_status = 0;
	if (!verdict)
		return true;
	return error_set(err, verdict->status, "%s", verdict->text);
}
