/* SPDX-License-Identifier: GPL-2.0-or-later */
/* refusal.h - the reason why the module (or the plan) refuses a site, as a sentence. */
#ifndef KTRACE_REFUSAL_H
#define KTRACE_REFUSAL_H

#include <stdbool.h>

#include "core/ktrace_abi.h"
#include "ctl/base/error.h"

/*
 * Fill err with "NAME: the reason: the remedy" and return false.  nearest is the name of the nearest address
 * that can be traced, NULL if none is known.
 */
bool refusal_set(struct error *err, unsigned int refusal, const char *name, const char *nearest);

/* The reason alone; also for a number that this version does not know. */
const char *refusal_reason(unsigned int refusal);

/* Is the site itself good, and only a resource to trace it missing at the moment? */
bool refusal_is_shortage(unsigned int refusal);

#endif
