/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* call.h - the data about a call that the program of a closing hit can read. */
#ifndef KTRACE_CALL_H
#define KTRACE_CALL_H

#include "core/env.h"
#include "core/ktrace_abi.h"

struct kt_call {
	u64 *begins;		/* where to store the start time of the call that this hit opens; NULL: it opens none */
	bool matched;		/* the hit found its open call; else elapsed and saved are not valid */
	u64 elapsed;		/* ticks, after correction */
	u32 saved[KT_MAX_SAVED / 4 + 2];	/* with room to read a word from the last byte on */
};

#endif
