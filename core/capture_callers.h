/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* capture_callers.h - the callers in the program of the current task; a part of capture_run.c. */
#ifndef KTRACE_CAPTURE_CALLERS_H
#define KTRACE_CAPTURE_CALLERS_H

#include "core/capture.h"

static kt_noinline kt_item *emit_user_stack(kt_item *out, u32 depth)
{
	u64 callers[KT_MAX_DEPTH];
	u32 n = kt_user_callers(callers, depth);

	memcpy(out, callers, 8 * n);
	memset(out + 2 * n, 0, 8 * (depth - n));
	return out + 2 * depth;
}
NOKPROBE_SYMBOL(emit_user_stack);

static kt_noinline bool caller_at(u32 depth, u64 *to)
{
	u64 callers[KT_MAX_DEPTH];

	const bool good = kt_user_callers(callers, depth + 1) > depth;

	*to = good ? callers[depth] : 0;
	return good;
}
NOKPROBE_SYMBOL(caller_at);

/* from <= address < to */
static kt_noinline bool caller_in(u64 from, u64 to, bool bad, u64 *out)
{
	u64 callers[KT_MAX_DEPTH];
	u32 n = bad ? 0 : kt_user_callers(callers, KT_MAX_DEPTH), i;

	for (i = 0; i < n && (callers[i] < from || callers[i] >= to); i++)
		;
	*out = i < n ? callers[i] : 0;
	return i < n;
}
NOKPROBE_SYMBOL(caller_in);

#endif
