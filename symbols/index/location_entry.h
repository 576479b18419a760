/* SPDX-License-Identifier: GPL-2.0-or-later */
/* location_entry.h - where a parameter is at the function's entry. */
#ifndef KTRACE_LOCATION_ENTRY_H
#define KTRACE_LOCATION_ENTRY_H

#include "symbols/index/location.h"

/* at is the function's entry, or its first own instruction. */
enum loc_status location_at_entry(const struct dbindex *ix, const struct scope *function, const struct var *var,
				  const struct loc_at *at, struct location *out, struct loc_refusal *refusal);

#endif
