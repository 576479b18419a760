// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_misc.c - source, quit and !. */
#include <stdio.h>
#include <stdlib.h>

#include <readline/tilde.h>

#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/base/shell.h"
#include "ctl/cmd/command.h"
#include "ctl/cmd/script.h"

bool cmd_source(struct session *s, const struct words *words, struct error *err)
{
	AUTO_FREE char *path = tilde_expand(words->v[1]);

	return script_file(s, path, err);
}

bool cmd_quit(struct session *s, const struct words *words, struct error *err)
{
	s->quit = true;
	return true;
}

static const char *shell_line(const struct words *words)
{
	const char *shell = getenv("SHELL");

	if (words->n > 1 && *words->v[1])
		return words->v[1];
	return shell ? shell : "/bin/sh";
}

bool cmd_shell(struct session *s, const struct words *words, struct error *err)
{
	bool hidden;
	int status;

	fflush(s->out);
	hidden = interrupt_show_keys();
	status = system(shell_line(words));
	if (hidden)
		interrupt_hide_keys();
	return shell_result(status, err);
}
