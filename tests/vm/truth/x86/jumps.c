// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call the functions whose indirect jumps lead to another instruction of the same function: those of planted.S, and what the
 * compiler makes of tables.c.
 */
#include <linux/kernel.h>
#include <asm/cpufeature.h>

#include "truth.h"
#include "truth_arch.h"

long ktruth_switch(long n);
long ktruth_labels(long n);
long ktruth_planted_pointers(long n);
long ktruth_planted_unaligned(long n);
long ktruth_planted_distances(long n);
long ktruth_planted_relative(long n);
long ktruth_planted_bytes(long n);
long ktruth_planted_operands(long n);
long ktruth_planted_apart(long n);
long ktruth_planted_text(long n);
long ktruth_planted_leaves(long n);

/* n > 0: the first pass adds 2; one that n - 1 = 1, 3, ... begins adds 1, one of 0, 2, ... adds 2. */
static long planted(long n)
{
	long result = 2;

	while (n--)
		result += n & 1 ? 1 : 2;
	return result;
}

/* 0, or the number of the first call with a wrong result.  Assembler code without landing pads is not called by pointers. */
long ktruth_jumps(void)
{
	long n;

#ifdef X86_FEATURE_IBT
	if (boot_cpu_has(X86_FEATURE_IBT))
		return 0;
#endif
	for (n = 0; n < 6; n++) {
		const long is = planted(n);

		if (ktruth_planted_pointers(n) != is)
			return 10 + n;
		if (ktruth_planted_unaligned(n) != is)
			return 20 + n;
		if (ktruth_planted_distances(n) != is)
			return 30 + n;
		if (ktruth_planted_relative(n) != is)
			return 40 + n;
		if (ktruth_planted_bytes(n) != is)
			return 50 + n;
		if (ktruth_planted_operands(n) != is)
			return 60 + n;
		if (ktruth_planted_apart(n) != is)
			return 70 + n;
		if (ktruth_planted_text(n) != is)
			return 80 + n;
		if (ktruth_planted_leaves(n) != n + 2)
			return 90 + n;
		if (ktruth_switch(n * 7) != ktruth_labels(n * 7))
			return 100 + n;
	}
	return ktruth_switch(30) == -55458 ? 0 : 1;
}
