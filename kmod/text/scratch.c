// SPDX-License-Identifier: GPL-2.0-only
/* scratch.c - the code of the module that may be traced.  See scratch.h. */
#include <linux/linkage.h>

#include "kmod/base/ktrace.h"
#include "kmod/text/scratch.h"

unsigned long kt_scratch_address(u64 number)
{
	const unsigned long addresses[KT_NR_SCRATCH] = {
		[KT_SCRATCH_ENTRY] = (unsigned long)kt_scratch,
		[KT_SCRATCH_RET] = (unsigned long)kt_scratch_return,
		[KT_SCRATCH_CALLED] = (unsigned long)kt_scratch_called_entry,
		[KT_SCRATCH_RETURNED] = KT_RETURN_OF((unsigned long)kt_scratch_called),
	};

	return number < KT_NR_SCRATCH ? addresses[number] : 0;
}

bool kt_scratch_is(unsigned long addr)
{
	return addr == (unsigned long)kt_scratch || addr == (unsigned long)kt_scratch_return ||
	       addr == (unsigned long)kt_scratch_called_entry || addr == (unsigned long)kt_scratch_called ||
	       kt_scratch_is_return(addr);
}
