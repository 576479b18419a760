/* SPDX-License-Identifier: GPL-2.0-only */
/* capture_env.h - what the interpreter of capture programs needs from the kernel. */
#ifndef KTRACE_CAPTURE_ENV_H
#define KTRACE_CAPTURE_ENV_H

#include <linux/compat.h>
#include <linux/errno.h>
#include <linux/linkage.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/syscall.h>

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

/*
 * An instruction of a program that emits a text or bytes could not read them.  length: of KT_OP_EMITPART; else 0.  In kmod/hit/late.c.
 * In a hit, any context.
 */
void kt_read_failed(const struct kt_insn *in, u64 addr, u64 length);

/* The call that the hit in progress closes; outside a hit one of which nothing is known. */
const struct kt_call *kt_call_now(void);

/* Worker threads of the kernel with a user's memory, too, have registers of no program. */
#ifdef PF_USER_WORKER
#define KT_NO_PROGRAM	(PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)
#else
#define KT_NO_PROGRAM	(PF_KTHREAD | PF_IO_WORKER)
#endif

/* KT_CUR_SYSCALL.  A task in an interrupt or an exception has the number -1 in its registers.  Any context. */
static __always_inline s32 kt_syscall_now(void)
{
	if (current->flags & KT_NO_PROGRAM || in_compat_syscall())
		return -1;
	return syscall_get_nr(current, task_pt_regs(current));
}

/* The number of the current task's system call, made as 32-bit programs do.  -1: it is in no such call.  Any context. */
s32 kt_compat_call_now(void);

/*
 * Registers with the arguments of the current task's system call, where kt_syscall_arg_of() finds them.  NULL: as for
 * kt_syscall_arg().  For generated code, in a hit.  Any context.
 */
asmlinkage const struct pt_regs *kt_syscall_regs(void);

/* KT_OP_ARG.  False: the task is in no system call.  Any context. */
bool kt_syscall_arg(u32 n, u64 *to);

/*
 * KT_OP_EMITOBJECT: emit what KT_OBJECT_* says of the object at that address; 0: that nothing of it is known.  Returns the bytes, at
 * most those of the ABI.  In object.c.  Any context.
 */
u32 kt_emit_object(u8 *to, u32 what, u64 object);

/*
 * Code addresses of the current task's program: where it entered the kernel, then its callers.  At a hit of a uprobe
 * from kt_user_stack_*() (kmod/records/user_stack.h); regs: those of the hit.  At other hits as far as frame pointers lead; of a 32-bit
 * program only the first.  Returns their number, at most `most`; 0: it has no program.  Any context.
 */
u32 kt_user_callers(const struct pt_regs *regs, u64 *to, u32 most);

#endif
