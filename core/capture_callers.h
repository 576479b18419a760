/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* capture_callers.h - the callers in the program of the current task; a part of capture_run.c. */
#ifndef KTRACE_CAPTURE_CALLERS_H
#define KTRACE_CAPTURE_CALLERS_H

#include "core/capture.h"

static kt_noinline kt_item *emit_user_stack(kt_item *out, const struct pt_regs *regs, u32 depth)
{
	u64 callers[KT_MAX_DEPTH];
	u32 n = kt_user_callers(regs, callers, depth);

	memcpy(out, callers, 8 * n);
	memset(out + 2 * n, 0, 8 * (depth - n));
	return out + 2 * depth;
}
NOKPROBE_SYMBOL(emit_user_stack);

/* The first from <= address < to, at place `first` or later.  Behind a gap nobody knows which caller is the first. */
static kt_noinline bool caller_find(const struct pt_regs *regs, u32 first, u32 depth, u64 from, u64 to, u64 *out)
{
	u64 callers[KT_MAX_DEPTH];
	u32 n = kt_user_callers(regs, callers, depth), i;

	*out = 0;
	for (i = 0; i < n && callers[i] != KT_CALLER_UNKNOWN; i++) {
		if (i >= first && callers[i] >= from && callers[i] < to) {
			*out = callers[i];
			return true;
		}
	}
	return false;
}
NOKPROBE_SYMBOL(caller_find);

static __always_inline bool caller_at(const struct pt_regs *regs, u32 depth, u64 *to)
{
	return caller_find(regs, depth, depth + 1, 0, KT_CALLER_UNKNOWN, to);
}

static __always_inline bool caller_in(const struct pt_regs *regs, u64 from, u64 to, bool bad, u64 *out)
{
	return caller_find(regs, 0, bad ? 0 : KT_MAX_DEPTH, from, to, out);
}

#endif
