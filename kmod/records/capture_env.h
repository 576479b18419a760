/* SPDX-License-Identifier: GPL-2.0-only */
/* capture_env.h - what the interpreter of capture programs needs from the kernel. */
#ifndef KTRACE_CAPTURE_ENV_H
#define KTRACE_CAPTURE_ENV_H

#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/call.h"
#include "core/ktrace_abi.h"
#include "kmod/base/load.h"	/* kt_load(), kt_load_word(), kt_callers() */
#include "regs_arch.h"	/* kt_reg_offset(), kt_regs_psr(), KT_NR_GENERAL */

#define kt_zalloc(size)	kzalloc(size, GFP_KERNEL)
#define kt_free(p)	kfree(p)

static __always_inline u64 kt_regs_get(const struct pt_regs *regs, u32 offset)
{
	return *(const unsigned long *)((const char *)regs + offset);
}

/*
 * The verifier translates KT_CUR_* to this.  A property that is a four-byte member of struct task_struct: the offset
 * of the member.  Any other property: its negative number.
 */
static inline s32 kt_current_offset(u32 what)
{
	if (what == KT_CUR_PID)
		return offsetof(struct task_struct, pid);
	if (what == KT_CUR_TGID)
		return offsetof(struct task_struct, tgid);
	return -(s32)what;
}

static __always_inline u32 kt_current_word(s32 offset)
{
	return *(const u32 *)((const char *)current + offset);
}

/* A property of the current task that is not a four-byte member of struct task_struct. */
u64 kt_current_other(u32 what);

static __always_inline u64 kt_current(s32 offset)
{
	return offset >= 0 ? kt_current_word(offset) : kt_current_other(-offset);
}

/* Copy the name of the current task: KT_COMM_BYTES bytes, filled up with zeros. */
void kt_current_comm(char *to);

/* Count a load that failed.  It may have cost an exception, which the brake takes into account. */
void kt_load_failed(void);

/* The call that the hit in progress closes.  In a hit only. */
const struct kt_call *kt_call_now(void);

#endif
