// SPDX-License-Identifier: GPL-2.0-or-later
/* verify.c - see verify.h. */
#include <stdbool.h>
#include <string.h>

#include "core/capture.h"

#include "verify.h"

int verify_program(const struct kt_insn *insns, size_t n)
{
	struct kt_insn copy[KT_MAX_PROG];
	struct kt_verdict verdict;

	if (n > KT_MAX_PROG)
		return -1;
	memcpy(copy, insns, n * sizeof(*copy));
	return kt_capture_verify(copy, n, &verdict);
}
