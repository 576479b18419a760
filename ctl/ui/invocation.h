/* SPDX-License-Identifier: GPL-2.0-or-later */
/* invocation.h - the command line of ktrace: its own options, and the commands to run. */
#ifndef KTRACE_INVOCATION_H
#define KTRACE_INVOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "ctl/live/session/flag.h"
#include "ctl/live/session/session.h"

struct input {
	bool is_file;
	const char *text;
};

struct invocation {
	struct input *inputs;	/* in the order of the command line */
	size_t nr_inputs;
	const char *colour;
	bool no_rc, no_pager, wide, version, help;
	bool completes;		/* complete the command's words for a shell */
	struct words command;
};

/* Options that set a member of the invocation, or of the session. */
#define OF_INVOCATION	(1U << 0)
#define OF_SESSION	(1U << 1)

extern const struct flags own_flags;

/* Options end at the first other word; the rest is one command.  The caller frees *inv with invocation_free(). */
bool invocation_parse(struct session *s, struct invocation *inv, int argc, char **argv, struct error *err);
/* Run its command, else its inputs, else standard input, which may be a person at the prompt. */
bool invocation_run(struct session *s, const struct invocation *inv, struct error *err);
void invocation_free(struct invocation *inv);
void invocation_help(FILE *out);

#endif
