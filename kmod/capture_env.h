/* SPDX-License-Identifier: GPL-2.0-only */
/* capture_env.h - what the interpreter needs of the kernel. */
#ifndef KTRACE_CAPTURE_ENV_H
#define KTRACE_CAPTURE_ENV_H

#include <linux/errno.h>
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

static __always_inline u64 kt_current(enum kt_cur what)
{
	switch (what) {
	case KT_CUR_PID:
		return current->pid;
	case KT_CUR_TGID:
		return current->tgid;
	default:
		return raw_smp_processor_id();
	}
}

#endif
