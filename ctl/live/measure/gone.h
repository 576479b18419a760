/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gone.h - kernel modules that are unloaded, and programs whose files are replaced, while something in them is traced.
 *
 * The tracepoints of a module go with it; those of a program see only processes that run the old file.  The samples until
 * then stay valid and are reported, with a note that the measurement is not complete.
 */
#ifndef KTRACE_CTL_GONE_H
#define KTRACE_CTL_GONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/ask/plan/plan.h"
#include "ctl/live/session/session.h"

/* The file of a program, or of a module. */
struct gone_file {
	const struct target *home;	/* the program; NULL: a module */
	char module[64];
	uint64_t inode;		/* of the module's directory in /sys/module; it differs after a reload */
	int64_t at_ms;		/* time when it was found gone, from the beginning; -1: it is there */
};

struct gone {
	struct gone_file *files;
	size_t nr_files;
	size_t *file_of;	/* [nr_plans]; GONE_NEVER: the kernel's own text, or a file that had no name before */
	size_t nr_plans;
	int64_t began_ms;
};

#define GONE_NEVER	SIZE_MAX

/* Begin to watch the modules and programs of these plans. */
void gone_watch(struct gone *gone, const struct plans *plans);
/* Check them; call this several times a second. */
void gone_look(struct gone *gone);
/* Has the module of this plan gone, and its tracepoint with it? */
bool gone_has(const struct gone *gone, size_t plan);
/* Print a line for each that has gone: when, and its tracepoints. */
void gone_say(struct session *s, const struct gone *gone, const struct plans *plans);
void gone_free(struct gone *gone);

#endif
