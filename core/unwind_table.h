/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* unwind_table.h - one step of a walk, by the table of a file, .eh_frame. */
#ifndef KTRACE_UNWIND_TABLE_H
#define KTRACE_UNWIND_TABLE_H

#include "core/unwind.h"

enum kt_step {
	KT_STEP_CALLER,		/* the registers are those of the caller */
	KT_STEP_END,		/* there is no caller */
	KT_STEP_UNKNOWN,
	KT_STEP_NO_TABLE,	/* the table does not have the instruction */
};

/* `at`: an address in the instruction. */
enum kt_step kt_unwind_by_table(struct kt_unwind *unwind, const struct kt_code_map *map, u64 at);

#endif
