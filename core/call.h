/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* call.h - what a hit that closes a call knows of it, for its program. */
#ifndef KTRACE_CALL_H
#define KTRACE_CALL_H

#include "core/env.h"
#include "core/ktrace_abi.h"

struct kt_call {
	u64 *begins;		/* where the time is from which on a call counts: that of this hit, until it ends; NULL: none */
	bool matched;		/* it was seen to open; nothing else holds where it was not */
	u64 elapsed;		/* ticks, corrected */
	u32 saved[KT_MAX_SAVED / 4 + 2];	/* a word that begins in the last byte is there */
};

#endif
