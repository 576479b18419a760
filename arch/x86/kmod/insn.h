/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * insn.h - x86-64 instructions: decode them, and say how each can be executed
 * elsewhere.
 */
#ifndef KTRACE_X86_INSN_H
#define KTRACE_X86_INSN_H

#include <linux/types.h>

#include "ktrace_abi.h"
#include "slot.h"

/* See struct kt_arch_ops. */
enum kt_refusal kt_x86_decode(unsigned long start, unsigned long addr, u8 *insn, u8 *len,
			      unsigned long *nearest);

/*
 * Write to out[KT_SLOT_BYTES] code that, executed at `at`, does what the
 * instruction insn[len] does at addr and then goes on behind it (or where
 * it branches to).  The rest of out is filled with int3.
 */
enum kt_refusal kt_x86_relocate(const u8 *insn, u8 len, unsigned long addr, unsigned long at,
				u8 *out);

#endif
