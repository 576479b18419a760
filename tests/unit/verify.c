// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * verify.c - kmod/capture.c once more, under other names: a test of the
 * interpreter may link the original, with its own memory and registers.
 */
#include <stdbool.h>
#include <string.h>

#define kt_capture_verify	verify_in_place
#define kt_capture_run		verify_run
#define kt_load			verify_load
#define kt_current		verify_current

#include "kmod/capture.c"

#include "verify.h"

bool kt_load(void *to, u64 addr, size_t size)
{
	(void)to;
	(void)addr;
	(void)size;
	return false;
}

u64 kt_current(s32 what)
{
	return what;
}

int verify_program(const struct kt_insn *insns, size_t n)
{
	struct kt_insn copy[KT_MAX_PROG];
	u32 filter;

	if (n > KT_MAX_PROG)
		return -1;
	memcpy(copy, insns, n * sizeof(*copy));
	return kt_capture_verify(copy, n, &filter);
}
