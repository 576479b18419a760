/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hint.h - words after `trace` that were taken as addresses, and may have been meant otherwise. */
#ifndef KTRACE_HINT_H
#define KTRACE_HINT_H

#include <stdbool.h>
#include <stddef.h>

#include "ctl/base/error.h"
#include "ctl/lang/request.h"
#include "ctl/resolve/probe_point.h"

/*
 * Is the i-th address also a variable of a function before it, or an option but for its case?  Then err says so.
 * is_set: as of a tracepoint that can be set all the same; nothing is indexed for that.
 */
bool hint_address(const struct target *target, const struct requests *requests, size_t i, bool is_set,
		  struct error *err);

#endif
