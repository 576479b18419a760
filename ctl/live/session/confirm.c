// SPDX-License-Identifier: GPL-2.0-or-later
/* confirm.c - see confirm.h. */
#include "ctl/live/session/confirm.h"

#include <stdio.h>
#include <unistd.h>

#include "ctl/base/interrupt.h"

/* Is the answer to the question that was printed yes? */
static bool answer_is_yes(struct session *s)
{
	bool hidden;
	char answer;

	fflush(s->out);
	fflush(s->messages);
	hidden = interrupt_show_keys();
	answer = interrupt_read_answer(STDIN_FILENO);
	if (hidden)
		interrupt_hide_keys();
	if (!answer && !interrupt_pending())
		fputc('\n', s->messages);
	return answer == 'y' || answer == 'Y';
}

bool confirm_many(struct session *s, const char *what, size_t n, struct error *err)
{
	if (s->yes || !s->interactive || n == 1)
		return true;
	fprintf(s->messages, "ktrace: %s all %zu places? [y/N] ", what, n);
	return answer_is_yes(s) || error_set(err, STATUS_FAILURE, "nothing set: answer y, or start ktrace with --yes");
}

bool confirm_is_possible(void)
{
	return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

bool confirm(struct session *s, const char *question)
{
	fprintf(s->messages, "ktrace: %s? [y/N] ", question);
	return answer_is_yes(s);
}
