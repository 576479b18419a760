// SPDX-License-Identifier: GPL-2.0-or-later
/* confirm.c - see confirm.h. */
#include "ctl/live/session/confirm.h"

#include <stdio.h>
#include <unistd.h>

#include "ctl/base/interrupt.h"

bool confirm_many(struct session *s, const char *what, size_t n, struct error *err)
{
	bool hidden;
	char answer;

	if (s->yes || !s->interactive || n == 1)
		return true;
	fprintf(s->messages, "ktrace: %s all %zu places? [y/N] ", what, n);
	fflush(s->messages);
	hidden = interrupt_show_keys();
	answer = interrupt_read_answer(STDIN_FILENO);
	if (hidden)
		interrupt_hide_keys();
	if (answer == 'y' || answer == 'Y')
		return true;
	if (!answer && !interrupt_pending())
		fputc('\n', s->messages);
	return error_set(err, STATUS_FAILURE, "nothing set: answer y, or start ktrace with --yes");
}
