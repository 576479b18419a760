/* SPDX-License-Identifier: GPL-2.0-only */
/* capture_env.h - what the interpreter needs of the kernel. */
#ifndef KTRACE_CAPTURE_ENV_H
#define KTRACE_CAPTURE_ENV_H

#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "ktrace_abi.h"
#include "regs_arch.h"	/* kt_reg_offset(), kt_regs_psr(), KT_NR_GENERAL */

#define kt_zalloc(size)	kzalloc(size, GFP_KERNEL)
#define kt_free(p)	kfree(p)

/* Never faults: false where the memory cannot be read. */
static __always_inline bool kt_load(void *to, u64 addr, size_t size)
{
	return !copy_from_kernel_nofault(to, (void *)(unsigned long)addr, size);
}

static __always_inline u64 kt_regs_get(const struct pt_regs *regs, u32 offset)
{
	return *(const unsigned long *)((const char *)regs + offset);
}

/* The verifier turns KT_CUR_* into this: where it is in struct task_struct, or KT_CURRENT_CPU. */
#define KT_CURRENT_CPU	(-1)

static inline s32 kt_current_offset(u32 what)
{
	static const s32 offsets[KT_NR_CURS] = {
		[KT_CUR_PID] = offsetof(struct task_struct, pid),
		[KT_CUR_TGID] = offsetof(struct task_struct, tgid),
		[KT_CUR_CPU] = KT_CURRENT_CPU,
	};

	return offsets[what];
}

static __always_inline u32 kt_current_field(s32 offset)
{
	return *(const u32 *)((const char *)current + offset);
}

static __always_inline u64 kt_current(s32 offset)
{
	return offset == KT_CURRENT_CPU ? raw_smp_processor_id() : kt_current_field(offset);
}

#endif
