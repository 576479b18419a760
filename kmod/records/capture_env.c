// SPDX-License-Identifier: GPL-2.0-only
/* capture_env.c - properties of the current task.  See capture_env.h. */
#include <linux/cred.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>

#include "kmod/base/ktrace.h"
#include "kmod/records/buffer.h"
#include "kmod/records/capture_env.h"
#include "kmod/records/user_stack.h"

/*
 * 0: the task is being released and has no process group any more.  With interrupts off, as in hits, this is an RCU
 * reader; but a program also runs before its hit to bring in memory.
 */
static u32 process_group(void)
{
	const struct pid *pid;
	unsigned long flags;
	u32 group;

	raw_local_irq_save(flags);
	pid = READ_ONCE(current->signal->pids[PIDTYPE_PGID]);
	group = pid ? pid->numbers[0].nr : 0;
	raw_local_irq_restore(flags);
	return group;
}
NOKPROBE_SYMBOL(process_group);

/*
 * The bytes of a word before its first 0.  For little-endian machines: the first byte is the lowest.  The bit 7 of the
 * first 0, and none below it, is set in `zeros` (A. Mycroft's test).
 */
static __always_inline u64 before_end(u64 word, bool *ends)
{
	const u64 zeros = (word - 0x0101010101010101ULL) & ~word & 0x8080808080808080ULL;

	*ends = zeros;
	return zeros ? word & (((zeros & -zeros) >> 7) - 1) : word;
}

/* Clear the bytes after the end: comm may keep the tail of a longer name there. */
void kt_current_comm(char *to)
{
	u64 halves[2];
	bool ends;

	BUILD_BUG_ON(TASK_COMM_LEN != KT_COMM_BYTES);
	__builtin_memcpy(halves, current->comm, KT_COMM_BYTES);
	halves[0] = before_end(halves[0], &ends);
	halves[1] = ends ? 0 : before_end(halves[1], &ends);
	__builtin_memcpy(to, halves, KT_COMM_BYTES);
}
NOKPROBE_SYMBOL(kt_current_comm);

static u64 comm_half(u32 which)
{
	u64 halves[2];

	kt_current_comm((char *)halves);
	return halves[which];
}
NOKPROBE_SYMBOL(comm_half);

s32 kt_compat_call_now(void)
{
	if (current->flags & KT_NO_PROGRAM || !kt_in_compat_call())
		return -1;
	return syscall_get_nr(current, task_pt_regs(current));
}
NOKPROBE_SYMBOL(kt_compat_call_now);

/*
 * The arguments of a 32-bit program, moved to where a 64-bit program has them.  A hit that interrupts another one is in the same
 * call of the same task, so it writes the same here.
 */
static DEFINE_PER_CPU(struct pt_regs, compat_regs);

static noinline const struct pt_regs *compat_call_regs(void)
{
	return kt_compat_call_now() < 0 ? NULL : kt_compat_regs(task_pt_regs(current), raw_cpu_ptr(&compat_regs));
}
NOKPROBE_SYMBOL(compat_call_regs);

asmlinkage const struct pt_regs *kt_syscall_regs(void)
{
	return kt_syscall_now() < 0 ? compat_call_regs() : task_pt_regs(current);
}
NOKPROBE_SYMBOL(kt_syscall_regs);

static noinline bool compat_call_arg(u32 n, u64 *to)
{
	const struct pt_regs *regs = compat_call_regs();

	if (regs)
		*to = kt_syscall_arg_of(regs, n);
	return regs;
}
NOKPROBE_SYMBOL(compat_call_arg);

bool kt_syscall_arg(u32 n, u64 *to)
{
	if (unlikely(kt_syscall_now() < 0))
		return compat_call_arg(n, to);
	*to = kt_syscall_arg_of(task_pt_regs(current), n);
	return true;
}
NOKPROBE_SYMBOL(kt_syscall_arg);

/* The frames must rise, so the walk ends. */
static u32 callers_by_frames(u64 *to, u32 most)
{
	const struct pt_regs *regs = task_pt_regs(current);
	u64 frame, above;
	u32 n = 0;

	if (current->flags & KT_NO_PROGRAM || !current->mm || !user_mode((struct pt_regs *)regs))
		return 0;
	to[n++] = instruction_pointer((struct pt_regs *)regs);
	frame = kt_regs_user_frame(regs);
	above = user_stack_pointer((struct pt_regs *)regs);
	while (n < most && frame >= above && !(frame % 8) && kt_is_user(frame) && kt_load(&to[n], frame + 8, 8) && to[n]) {
		to[n] = kt_user_code(to[n]);
		n++;
		above = frame + 8;
		if (!kt_load(&frame, frame, 8))
			break;
	}
	return n;
}
NOKPROBE_SYMBOL(callers_by_frames);

u32 kt_user_callers(const struct pt_regs *regs, u64 *to, u32 most)
{
	const struct kt_user_stack *stack;

	/* Only a program that brings in memory runs with interrupts on. */
	if (!irqs_disabled() && kt_user_stack_of(regs))
		return kt_user_stack_on(kt_user_stack_of(regs), to, most);
	stack = this_cpu_read(kt_cpus.user_stack);
	return stack ? kt_user_stack_take(stack, to, most) : callers_by_frames(to, most);
}
NOKPROBE_SYMBOL(kt_user_callers);

/*
 * Each property of the ABI has a case: the compiler refuses a missing one (-Werror=switch, see Kbuild), and the
 * verifier refuses numbers from KT_NR_CURS on.
 */
u64 kt_current_other(u32 what)
{
	switch ((enum kt_cur)what) {
	case KT_CUR_CPU:	return raw_smp_processor_id();
	case KT_CUR_UID:	return __kuid_val(rcu_dereference_raw(current->cred)->uid);
	case KT_CUR_GID:	return __kgid_val(rcu_dereference_raw(current->cred)->gid);
	case KT_CUR_PGRP:	return process_group();
	case KT_CUR_TASK:	return (unsigned long)current;
	case KT_CUR_PERCPU:	return __my_cpu_offset;
	case KT_CUR_NICE:	return task_nice(current);
	case KT_CUR_SYSCALL:	return (u32)kt_syscall_now();
	case KT_CUR_COMM_LOW:	return comm_half(0);
	case KT_CUR_PID:	/* kt_current_word() reads these two */
	case KT_CUR_TGID:
	case KT_NR_CURS:
	case KT_CUR_COMM_HIGH:
		break;
	}
	return comm_half(1);
}
NOKPROBE_SYMBOL(kt_current_other);

const struct kt_call *kt_call_now(void)
{
	static const struct kt_call none;
	const struct kt_cpu *cpu = raw_cpu_ptr(&kt_cpus);
	const u32 hit = READ_ONCE(cpu->nest) - 1;

	/* Before a hit of a uprobe its program runs, too, for the sake of the pages that it reads. */
	return likely(hit < KT_MAX_NEST) ? &cpu->call[hit] : &none;
}
NOKPROBE_SYMBOL(kt_call_now);

void kt_load_failed(void)
{
	this_cpu_inc(kt_cpus.faults);
}
NOKPROBE_SYMBOL(kt_load_failed);
