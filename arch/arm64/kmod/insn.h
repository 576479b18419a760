/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * insn.h - A64 instructions at an address, and how each can be executed elsewhere.
 */
#ifndef KTRACE_ARM64_INSN_H
#define KTRACE_ARM64_INSN_H

#include <linux/types.h>

#include "core/ktrace_abi.h"

#define KT_SLOT_BYTES	32	/* longest out-of-line code for one instruction */

/* The instruction at addr as it was before our probe.  -EFAULT.  Under the table's lock. */
int kt_arm64_read(unsigned long addr, u32 *insn);

/* Is a kprobe registered there, armed or not?  Any context. */
bool kt_arm64_has_kprobe(unsigned long addr);

/* See struct kt_arch_ops. */
enum kt_refusal kt_arm64_decode(unsigned long start, unsigned long addr, u8 *insn, u8 *len,
				unsigned long *nearest);
bool kt_arm64_may_be_jump_label(const u8 *insn, u8 len);
bool kt_arm64_may_be_static_call(const u8 *insn, u8 len);
bool kt_arm64_may_be_bug(const u8 *insn, u8 len);
u8 kt_arm64_unprobe(unsigned long addr, u8 *out);
void kt_arm64_mark_patched(unsigned long addr, size_t n, unsigned long *bits);

/* Where indirect branches may land: a branch cannot take its place, a breakpoint can. */
bool kt_arm64_is_bti(u32 insn);

/*
 * One of a load-exclusive and a store-exclusive: what a trap between them undoes, so that the store
 * never succeeds.
 */
bool kt_arm64_is_load_exclusive(u32 insn);
bool kt_arm64_is_store_exclusive(u32 insn);

/*
 * Write to out[KT_SLOT_BYTES] code that, executed at `at`, does what the instruction does at addr
 * and then goes on behind it (or where it branches to); *len is its bytes.  at is within reach of adrp.
 */
enum kt_refusal kt_arm64_relocate(u32 insn, unsigned long addr, unsigned long at, u8 *out,
				  unsigned int *len);

#endif
