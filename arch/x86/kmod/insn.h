/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * insn.h - decode x86-64 instructions, and write out-of-line copies of them.
 */
#ifndef KTRACE_X86_INSN_H
#define KTRACE_X86_INSN_H

#include <linux/types.h>

#include <asm/insn.h>

#include "core/ktrace_abi.h"
#include "kmod/base/site.h"

#define KT_SLOT_BYTES	32	/* longest out-of-line code for one instruction */

struct kt_decoded {
	u8 bytes[MAX_INSN_SIZE];	/* the original bytes, without any probe */
	struct insn insn;
	bool patched;			/* a probe of others is there */
};

/*
 * Decode the original instruction at addr.  -EFAULT: it cannot be read; -EINVAL: it cannot be decoded.  Under
 * kt_table_lock and the text lock.
 */
int kt_x86_decode_one(unsigned long addr, struct kt_decoded *one);

/*
 * Count consecutive int3 instructions in *run.  True: more than the filling between functions can have.  A
 * symbol then extends over a hole in the kernel image, which may have megabytes.
 */
bool kt_x86_in_hole(const struct kt_decoded *one, u32 *run);

/* Is a kprobe registered at addr, armed or not?  Any context. */
bool kt_x86_has_kprobe(unsigned long addr);

/* The same for a kprobe whose patch may contain the byte at addr: kt_arch_ops.is_probed(). */
bool kt_x86_beside_kprobe(unsigned long addr);

/* See struct kt_arch_ops. */
enum kt_refusal kt_x86_decode(unsigned long start, unsigned long addr, u8 *insn, u8 *len,
			      unsigned long *nearest);
bool kt_x86_may_be_jump_label(const u8 *insn, u8 len);
bool kt_x86_may_be_static_call(unsigned long addr, const u8 *insn, u8 len);
bool kt_x86_may_be_bug(const u8 *insn, u8 len);

/*
 * Write code to out[KT_SLOT_BYTES], to be executed at `at`.  It has the effect of the instruction insn[len] at addr,
 * and then continues after that instruction (or at its branch target).  The rest of out is filled with int3.
 */
enum kt_refusal kt_x86_relocate(const u8 *insn, u8 len, unsigned long addr, unsigned long at,
				u8 *out);

/*
 * The same for a sequence of instructions bytes[len].  `out` has `room` bytes.  KT_REFUSE_METHOD: one of them is a
 * loop or indirect jump, or one before the last does not continue with the next one, as a call or a jump.
 */
enum kt_refusal kt_x86_relocate_displaced(const u8 *bytes, u8 len, unsigned long addr,
					  unsigned long at, u8 *out, unsigned int room);

/* The targets of the relative branches (not of calls) among the instructions bytes[len]; 0 behind the last one. */
void kt_x86_branch_targets(const u8 *bytes, u8 len, unsigned long addr, unsigned long targets[KT_MAX_BRANCHES]);

#endif
