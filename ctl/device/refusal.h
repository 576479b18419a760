/* SPDX-License-Identifier: GPL-2.0-or-later */
/* refusal.h - why the module (or the plan) refuses a site, as a sentence. */
#ifndef KTRACE_REFUSAL_H
#define KTRACE_REFUSAL_H

#include <stdbool.h>

#include "core/ktrace_abi.h"
#include "ctl/base/error.h"

/*
 * Fills err with "NAME: the reason: the remedy" and returns false.  nearest
 * is the name of the nearest good address, NULL where none is known.
 */
bool refusal_set(struct error *err, unsigned int refusal, const char *name, const char *nearest);

/* The reason alone; a sentence for numbers that this version does not know, too. */
const char *refusal_reason(unsigned int refusal);

/* Is the place good, and only the means to trace it are missing at the moment? */
bool refusal_is_shortage(unsigned int refusal);

#endif
