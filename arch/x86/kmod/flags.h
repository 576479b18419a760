/* SPDX-License-Identifier: GPL-2.0-only */
/* flags.h - do the arithmetic flags still matter at an instruction?  Then a trampoline must put them back. */
#ifndef KTRACE_X86_FLAGS_H
#define KTRACE_X86_FLAGS_H

#include "core/env.h"

enum kt_flags_use {
	KT_FLAGS_MATTER,	/* it may read one of them, or control may leave the straight line */
	KT_FLAGS_PASS,		/* it reads none, and goes on behind itself */
	KT_FLAGS_DIE,		/* it reads none, and all six have other values behind it, or undefined ones */
};

/* What an instruction without VEX prefix does: its opcode of `bytes` bytes, and the middle part of its ModRM byte, if it has one.  Any context. */
enum kt_flags_use kt_x86_flags_use(const u8 *opcode, u32 bytes, u8 reg);

/*
 * Are the six arithmetic flags overwritten before they are read, on the straight line from addr on, before `end`?  False: perhaps not.
 * Under kt_table_lock and the text lock.
 */
bool kt_x86_flags_dead(unsigned long addr, unsigned long end);

#endif
