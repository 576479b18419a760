/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gone.h - modules of the kernel that are unloaded while something in them is traced.
 *
 * Their tracepoints go with them.  What was measured until then stays true, and is reported; that it is only so much
 * is said.
 */
#ifndef KTRACE_CTL_GONE_H
#define KTRACE_CTL_GONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/lang/plan.h"
#include "ctl/session/session.h"

struct gone_module {
	char name[64];
	uint64_t inode;		/* of its directory: another one when it was loaded again */
	int64_t at_ms;		/* when it was found gone, after the beginning; -1: it is there */
};

struct gone {
	struct gone_module *modules;
	size_t nr_modules;
	size_t *module_of;	/* [nr_plans] or GONE_NEVER: the kernel's own text */
	size_t nr_plans;
	int64_t began_ms;
};

#define GONE_NEVER	SIZE_MAX

/* From now on these are watched. */
void gone_watch(struct gone *gone, const struct plans *plans);
/* Several times a second. */
void gone_look(struct gone *gone);
/* Nothing where it is not watched. */
bool gone_has(const struct gone *gone, size_t plan);
/* A line for each module that went: when, and which tracepoints with it. */
void gone_say(struct session *s, const struct gone *gone, const struct plans *plans);
void gone_free(struct gone *gone);

#endif
