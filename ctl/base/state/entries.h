/* SPDX-License-Identifier: GPL-2.0-or-later */
/* entries.h - the entries that the module writes for KT_IOC_STATE (core/abi_state.h). */
#ifndef KTRACE_STATE_ENTRIES_H
#define KTRACE_STATE_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/ktrace_abi.h"

struct entries {
	const unsigned char *at, *end;
	enum kt_state_kind kind;
};

/*
 * The next entry, complete and with a terminated name; it points into the buffer, which is aligned to 8 bytes.  NULL:
 * there is no other one, or (entries->at != entries->end) the rest is malformed.
 */
const struct kt_state_head *entries_next(struct entries *entries);

#endif
