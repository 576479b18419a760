// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_events.c - events: list the events that can be traced by name. */
#include "ctl/ask/events/markers.h"
#include "ctl/cmd/command.h"
#include "ctl/show/explain/event_list.h"
#include "ctl/trace/user/user_event.h"

struct order {
	const char *pattern;
	uint64_t pid;
	bool verbose;
};

static const struct flag rows[] = {
	{ "-v", NULL, 1, flag_set_true, offsetof(struct order, verbose),
	  .summary = "show the fields of each, and the size of a record" },
	{ "-p", "PID", 1, flag_set_number, offsetof(struct order, pid), .most = INT32_MAX, .values = FLAG_PROCESSES,
	  .summary = "list the events and SDT markers of a process" },
	{ .name = NULL },
};

const struct flags events_flags = { rows, 1 };

static bool take_word(void *to, const char *word, struct error *err)
{
	struct order *order = to;

	if (*word == '-' || order->pattern)
		return error_set(err, STATUS_USAGE, "events: unexpected '%s': give one pattern: see 'help events'", word);
	order->pattern = word;
	return true;
}

/* Events of libktrace, and markers.  It may have only one of both. */
static bool list_process(struct session *s, const struct order *order, struct error *err)
{
	const bool registered = !order->pattern && user_has_registered(order->pid);

	if (registered && !user_list(s, USER_EVENT "*", order->pid, order->verbose, err))
		return false;
	return marker_list(s, order->pattern, order->pid, order->verbose, err) || registered;
}

bool cmd_events(struct session *s, const struct words *words, struct error *err)
{
	struct order order = { 0 };

	if (!flags_parse(s, words, &events_flags, &order, take_word, NULL, err))
		return false;
	if (order.pattern && user_event_is(order.pattern))
		return user_list(s, order.pattern, order.pid, order.verbose, err);
	if (order.pid)
		return list_process(s, &order, err);
	if (order.pattern && marker_is(order.pattern))
		return marker_list(s, order.pattern, 0, order.verbose, err);
	return event_list(s, order.pattern, order.verbose, err);
}
