/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hint.h - words after `trace` that were taken as addresses but may have another meaning. */
#ifndef KTRACE_HINT_H
#define KTRACE_HINT_H

#include <stdbool.h>
#include <stddef.h>

#include "ctl/ask/lang/request.h"
#include "ctl/ask/resolve/probe_point.h"
#include "ctl/base/error.h"

/*
 * Is the i-th address also a variable of a function before it, or the name of an option in another case?  Then
 * set err. is_set: the tracepoint can be set in any case; then no index is built for this check.
 */
bool hint_address(const struct target *target, const struct requests *requests, size_t i, bool is_set,
		  struct error *err);

#endif
