// SPDX-License-Identifier: GPL-2.0-only
/* The second function with the name ktruth_twin. */
#include <linux/compiler.h>

#include "truth.h"

static TRUTH long ktruth_twin(long number)
{
	OPTIMIZER_HIDE_VAR(number);
	return number + 2;
}

TRUTH long ktruth_other_twin(long number)
{
	long result = ktruth_twin(number);

	barrier();
	return result;
}
