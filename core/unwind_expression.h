/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* unwind_expression.h - DWARF expressions of the tables (DWARF 5, 2.5). */
#ifndef KTRACE_UNWIND_EXPRESSION_H
#define KTRACE_UNWIND_EXPRESSION_H

#include "core/unwind.h"

/* Calculate a DWARF expression (a length, then operations), with a value on its stack.  False: unknown. */
bool kt_unwind_expression(struct kt_unwind *unwind, u64 addr, u64 first, u64 *to);

#endif
