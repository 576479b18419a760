/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * insn.h - x86-64 instructions: decode them, and say how each can be executed
 * elsewhere.
 */
#ifndef KTRACE_X86_INSN_H
#define KTRACE_X86_INSN_H

#include <linux/types.h>

#include <asm/insn.h>

#include "core/ktrace_abi.h"

#define KT_SLOT_BYTES	32	/* longest out-of-line code for one instruction */

struct kt_decoded {
	u8 bytes[MAX_INSN_SIZE];	/* as they were before anybody's probe */
	struct insn insn;
	bool patched;			/* a probe that is not ours is there */
};

/*
 * The instruction at addr.  -EFAULT, -EINVAL.  Under the table's and the text
 * lock.
 */
int kt_x86_decode_one(unsigned long addr, struct kt_decoded *one);

/*
 * Count int3s that follow each other in *run.  True: more than any filling between functions; the
 * symbol goes on over a hole of the image, megabytes of it at times.
 */
bool kt_x86_in_hole(const struct kt_decoded *one, u32 *run);

/* Is a kprobe registered there, armed or not?  Any context. */
bool kt_x86_has_kprobe(unsigned long addr);

/* See struct kt_arch_ops. */
enum kt_refusal kt_x86_decode(unsigned long start, unsigned long addr, u8 *insn, u8 *len,
			      unsigned long *nearest);
bool kt_x86_may_be_jump_label(const u8 *insn, u8 len);
bool kt_x86_may_be_static_call(const u8 *insn, u8 len);
bool kt_x86_may_be_bug(const u8 *insn, u8 len);

/*
 * Write to out[KT_SLOT_BYTES] code that, executed at `at`, does what the
 * instruction insn[len] does at addr and then goes on behind it (or where
 * it branches to).  The rest of out is filled with int3.
 */
enum kt_refusal kt_x86_relocate(const u8 *insn, u8 len, unsigned long addr, unsigned long at,
				u8 *out);

/*
 * The same for the instructions bytes[len], in order, executed as one piece: KT_REFUSE_METHOD
 * when one of them branches, or leaves otherwise and is not the last.
 */
enum kt_refusal kt_x86_relocate_displaced(const u8 *bytes, u8 len, unsigned long addr,
					  unsigned long at, u8 *out, unsigned int room);

/* Where a relative branch (not a call) leads, 0 for other instructions. */
unsigned long kt_x86_branch_target(const u8 *insn, u8 len, unsigned long addr);

#endif
