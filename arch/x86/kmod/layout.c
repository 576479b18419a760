// SPDX-License-Identifier: GPL-2.0-only
/* layout.c - where generated code finds what the kernel and the module keep.  See code_arch.h. */
#if __has_include(<linux/cc_platform.h>)
#include <linux/cc_platform.h>
#endif
#include <linux/compat.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <linux/version.h>
#include <asm/cpufeature.h>
#include <asm/current.h>
#include <asm/msr.h>
#include <asm/preempt.h>
#include <asm/processor.h>
#include <asm/ptrace.h>
#include <asm/text-patching.h>
#include <asm/thread_info.h>

#include "kmod/base/ktrace.h"
#include "entry.h"
#include "frame.h"
#include "kmod/code/plan.h"
#include "kmod/records/buffer.h"
#include "kmod/records/capture_env.h"

#ifdef KT_HAVE_PCPU_HOT
#define PREEMPT_COUNT	pcpu_hot.preempt_count
#define CURRENT_TASK	pcpu_hot.current_task
#else
#define PREEMPT_COUNT	__preempt_count
#define CURRENT_TASK	current_task
#endif

/*
 * Since Linux 6.13, the events of system calls may wait for pages (DECLARE_TRACE_SYSCALL).  Before, __DO_TRACE() switched preemption off for
 * the probes of any event, which shows in the count if the kernel has one.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0) && !defined(DECLARE_TRACE_SYSCALL)
#define KT_EVENTS_COUNT_PREEMPTION	IS_ENABLED(CONFIG_PREEMPT_COUNT)
#else
#define KT_EVENTS_COUNT_PREEMPTION	false
#endif

/* Is it a guest of SEV-ES or the like?  There the hypervisor may make reading the clock an exception. */
static bool clock_traps(void)
{
#if __has_include(<linux/cc_platform.h>)
	return cc_platform_has(CC_ATTR_GUEST_STATE_ENCRYPT);
#else
	u64 sev;

	return !rdmsrl_safe(MSR_AMD64_SEV, &sev) && sev & MSR_AMD64_SEV_ES_ENABLED;
#endif
}

bool kt_x86_checks_branches(void)
{
#ifdef X86_FEATURE_IBT
	return boot_cpu_has(X86_FEATURE_IBT);
#else
	return false;
#endif
}

/* The kernel and its modules reach their static per-CPU variables by 32 bits with a sign. */
#define PERCPU_ADDRESS(var)	((s64)(unsigned long)&(var))

bool kt_code_layout(struct kt_layout *out)
{
	const s64 addresses[] = {
		PERCPU_ADDRESS(kt_cpus.nest), PERCPU_ADDRESS(kt_cpus.context[0]), PERCPU_ADDRESS(kt_cpus.others),
		PERCPU_ADDRESS(kt_cpus.failed), PERCPU_ADDRESS(PREEMPT_COUNT), PERCPU_ADDRESS(CURRENT_TASK),
		PERCPU_ADDRESS(kt_cpus.faults), PERCPU_ADDRESS(this_cpu_off), PERCPU_ADDRESS(kt_cpus.loads_at),
	};
	u32 i;

	BUILD_BUG_ON(offsetof(struct kt_cpu, failed) != KT_CPU_FAILED);
	/* Code examines both by one comparison. */
	BUILD_BUG_ON(offsetof(struct kt_cpu, loads_at) != offsetof(struct kt_cpu, nest) + 4);
	for (i = 0; i < ARRAY_SIZE(addresses); i++)
		if (addresses[i] != (s32)addresses[i])
			return false;
	*out = (struct kt_layout){
		.nest = addresses[0], .context = addresses[1], .others = addresses[2],
		.failed = addresses[3], .preempt_count = addresses[4], .current_task = addresses[5],
		.faults = addresses[6], .cpu_offset = addresses[7], .loads_at = addresses[8],
		.flags = offsetof(struct task_struct, flags),
		.status = offsetof(struct task_struct, thread_info.status),
		.stack = offsetof(struct task_struct, stack),
		.no_program = KT_NO_PROGRAM, .compat = TS_COMPAT,
		.call = THREAD_SIZE - TOP_OF_KERNEL_STACK_PADDING - sizeof(struct pt_regs),
		.number = offsetof(struct pt_regs, orig_ax),
		.tgid = offsetof(struct task_struct, tgid), .pid = offsetof(struct task_struct, pid),
		.start_time = offsetof(struct task_struct, start_time), .thread_size = THREAD_SIZE,
		.comm = offsetof(struct task_struct, comm),
		.clock_traps = clock_traps(),
		.no_faults = KT_EVENTS_COUNT_PREEMPTION,
		.checks_branches = kt_x86_checks_branches(),
	};
	return IS_ENABLED(CONFIG_SMP);
}

/* As patch_retpoline() in arch/x86/kernel/alternative.c; against the attack called ITS, a plain jump depends on its address. */
bool kt_x86_calls_plainly(void)
{
#ifdef X86_FEATURE_INDIRECT_THUNK_ITS
	if (boot_cpu_has(X86_FEATURE_INDIRECT_THUNK_ITS))
		return false;
#endif
	return !boot_cpu_has(X86_FEATURE_RETPOLINE);
}

unsigned long kt_x86_thunk_of(const char *jump)
{
	const u8 *volatile const stub = (const u8 *)jump;	/* volatile: its bytes have no address for objtool */
	const u8 *const at = stub;
	s32 rel;

	if (*at != JMP32_INSN_OPCODE)
		return (unsigned long)at;
	memcpy(&rel, at + 1, sizeof(rel));
	return (unsigned long)at + JMP32_INSN_SIZE + rel;
}
