/* SPDX-License-Identifier: GPL-2.0-or-later */
/* invocation.h - the command line of ktrace: its own options, and what is to be run. */
#ifndef KTRACE_INVOCATION_H
#define KTRACE_INVOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "ctl/session/flag.h"
#include "ctl/session/session.h"

struct input {
	bool is_file;
	const char *text;
};

struct invocation {
	struct input *inputs;	/* in the order of the command line */
	size_t nr_inputs;
	const char *colour;
	bool no_rc, version, help;
	bool completes;		/* for a shell: the command's words are to be completed */
	struct words command;
};

/* Those that set what belongs to the invocation, and to the session. */
#define OF_INVOCATION	(1U << 0)
#define OF_SESSION	(1U << 1)

extern const struct flags own_flags;

/* Options end at the first word that is none: what follows is one command.  To be given to invocation_free(). */
bool invocation_parse(struct session *s, struct invocation *inv, int argc, char **argv, struct error *err);
void invocation_free(struct invocation *inv);
void invocation_help(FILE *out);

#endif
