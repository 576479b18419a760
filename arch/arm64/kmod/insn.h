/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * insn.h - decode A64 instructions, and write out-of-line copies of them.
 */
#ifndef KTRACE_ARM64_INSN_H
#define KTRACE_ARM64_INSN_H

#include <linux/types.h>

#include "core/ktrace_abi.h"

#define KT_SLOT_BYTES	32	/* longest out-of-line code for one instruction */

/* The instruction at addr, without a patch of ktrace.  -EFAULT: it cannot be read.  Under kt_table_lock. */
int kt_arm64_read(unsigned long addr, u32 *insn);

/* Is a kprobe registered at addr, armed or not?  Any context. */
bool kt_arm64_has_kprobe(unsigned long addr);

/* See struct kt_arch_ops. */
enum kt_refusal kt_arm64_decode(unsigned long start, unsigned long addr, u8 *insn, u8 *len,
				unsigned long *nearest);
bool kt_arm64_may_be_jump_label(const u8 *insn, u8 len);
bool kt_arm64_may_be_static_call(unsigned long addr, const u8 *insn, u8 len);
bool kt_arm64_may_be_bug(const u8 *insn, u8 len);
u8 kt_arm64_unprobe(unsigned long addr, u8 *out);
void kt_arm64_mark_patched(unsigned long addr, size_t n, unsigned long *bits);

/* Is it a valid target of indirect branches (bti)?  A branch cannot replace it, but a breakpoint can. */
bool kt_arm64_is_bti(u32 insn);

/*
 * Is it a load-exclusive or store-exclusive?  A trap between the two clears the exclusive monitor, and the store never
 * succeeds.
 */
bool kt_arm64_is_load_exclusive(u32 insn);
bool kt_arm64_is_store_exclusive(u32 insn);

/*
 * Write code to out[KT_SLOT_BYTES], to be executed at `at`, which is within reach of adrp.  It has the effect of the
 * instruction at addr, and then continues after that instruction (or at its branch target).  *len is its bytes.
 */
enum kt_refusal kt_arm64_relocate(u32 insn, unsigned long addr, unsigned long at, u8 *out,
				  unsigned int *len);

#endif
