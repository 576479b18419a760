/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gone.h - kernel modules that are unloaded while something in them is traced.
 *
 * Their tracepoints go with them.  The samples until then stay valid and are reported, with a note that the
 * measurement is not complete.
 */
#ifndef KTRACE_CTL_GONE_H
#define KTRACE_CTL_GONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/plan/plan.h"
#include "ctl/session/session.h"

struct gone_module {
	char name[64];
	uint64_t inode;		/* of its directory in /sys/module; it differs after a reload */
	int64_t at_ms;		/* time when it was found unloaded, from the beginning; -1: it is loaded */
};

struct gone {
	struct gone_module *modules;
	size_t nr_modules;
	size_t *module_of;	/* [nr_plans]; GONE_NEVER: the kernel's own text */
	size_t nr_plans;
	int64_t began_ms;
};

#define GONE_NEVER	SIZE_MAX

/* Begin to watch the modules of these plans. */
void gone_watch(struct gone *gone, const struct plans *plans);
/* Check the modules; call this several times a second. */
void gone_look(struct gone *gone);
/* Has the module of this plan gone?  False if it is not watched. */
bool gone_has(const struct gone *gone, size_t plan);
/* Print a line for each module that has gone: when, and its tracepoints. */
void gone_say(struct session *s, const struct gone *gone, const struct plans *plans);
void gone_free(struct gone *gone);

#endif
