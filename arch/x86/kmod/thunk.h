/* SPDX-License-Identifier: GPL-2.0-only */
/* thunk.h - what the kernel's thunks for returns and indirect jumps do on this CPU: with no mitigation they are plain ones. */
#ifndef KTRACE_X86_THUNK_H
#define KTRACE_X86_THUNK_H

#include <linux/types.h>

/* The code at `at`, or where it leads to, if it is a jump of 5 bytes.  Any context. */
static inline const u8 *kt_x86_behind_jump(const u8 *at)
{
	s32 rel;

	if (*at != 0xe9)
		return at;
	__builtin_memcpy(&rel, at + 1, sizeof(rel));
	return at + 5 + rel;
}

#endif
