// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_bugreport.c - bugreport: gather what one would want attached to an issue, after a look at what that is. */
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/duration.h"
#include "ctl/cmd/command.h"
#include "ctl/live/session/confirm.h"
#include "ctl/show/bugreport/bugreport.h"

struct order {
	const char *path;
	bool yes;
};

static const struct flag rows[] = {
	{ "--yes", NULL, 1, flag_set_true, offsetof(struct order, yes), .summary = "write it without a question, as in a script" },
	{ .name = NULL },
};

const struct flags bugreport_flags = { rows, 1 };

static bool take_word(void *to, const char *word, struct error *err)
{
	struct order *order = to;

	if (*word == '-' || order->path)
		return error_set(err, STATUS_USAGE, "bugreport: unexpected '%s': give the name of one file: see 'help bugreport'", word);
	order->path = word;
	return true;
}

static bool may_write(struct session *s, const struct order *order, struct error *err)
{
	if (order->yes)
		return true;
	if (!confirm_is_possible())
		return error_set(err, STATUS_FAILURE, "nothing written: there is no terminal to ask at: give --yes");
	return confirm(s, "write it") || error_set(err, STATUS_FAILURE, "nothing written: answer y, or give --yes");
}

static void tell(struct session *s, const char *path)
{
	char size[DURATION_SIZE];
	struct stat st = { 0 };

	stat(path, &st);
	session_note(s, "%s: %s: read it, then attach it to the issue", path, bytes_text(st.st_size, "bytes", size));
}

bool cmd_bugreport(struct session *s, const struct words *words, struct error *err)
{
	struct order order = { .yes = s->yes };

	if (!flags_parse(s, words, &bugreport_flags, &order, take_word, NULL, err))
		return false;
	if (!order.path)
		return error_set(err, STATUS_USAGE, "bugreport: give the name of the file to write: bugreport FILE");
	/* Not to standard output, which may be kept back or go elsewhere. */
	bugreport_list(s->messages);
	if (!may_write(s, &order, err) || !bugreport_write(s, order.path, err))
		return false;
	tell(s, order.path);
	return true;
}
