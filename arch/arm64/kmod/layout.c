// SPDX-License-Identifier: GPL-2.0-only
/* layout.c - where generated code finds what the kernel and the module keep.  See code_arch.h. */
#include <linux/compat.h>
#include <linux/sched.h>
#include <asm/cpufeature.h>
#include <asm/ptrace.h>
#include <asm/thread_info.h>

#include "kmod/base/ktrace.h"
#include "frame.h"
#include "kmod/code/plan.h"
#include "kmod/base/clock.h"
#include "kmod/base/site.h"
#include "kmod/hit/consumer.h"
#include "kmod/records/buffer.h"
#include "kmod/records/capture_env.h"
#include "kmod/records/desc.h"

bool kt_code_layout(struct kt_layout *out)
{
	BUILD_BUG_ON(sizeof(struct pt_regs) > KT_FRAME_KEEP || KT_FRAME_BYTES % 16);
	/* An exclusive load has no offset. */
	BUILD_BUG_ON(offsetof(struct kt_ring_ctl, word));
	BUILD_BUG_ON(offsetof(struct kt_site, direct) != KT_SITE_DIRECT || offsetof(struct kt_desc, consumer) != KT_DESC_CONSUMER ||
		     offsetof(struct kt_consumer, site) != KT_CONSUMER_SITE ||
		     offsetof(struct kt_counts, missed) != KT_COUNTS_MISSED || offsetof(struct kt_counts, recorded));
	*out = (struct kt_layout){
		.cpus = (unsigned long)&kt_cpus,
		.busy = offsetof(struct kt_cpu, busy), .loads_at = offsetof(struct kt_cpu, loads_at),
		.others = offsetof(struct kt_cpu, others), .context = offsetof(struct kt_cpu, context),
		.faults = offsetof(struct kt_cpu, faults),
		.last_ticks = static_key_enabled(&kt_ticks_coarse) ? (unsigned long)&kt_ticks_last : 0,
		.tgid = offsetof(struct task_struct, tgid), .pid = offsetof(struct task_struct, pid),
		.start_time = offsetof(struct task_struct, start_time), .comm = offsetof(struct task_struct, comm),
		.thread_size = THREAD_SIZE, .preempt_count = offsetof(struct task_struct, thread_info.preempt.count),
		.stack = offsetof(struct task_struct, stack),
		.task_flags = offsetof(struct task_struct, flags),
		.thread_flags = offsetof(struct task_struct, thread_info.flags),
		.no_program = KT_NO_PROGRAM,
		.compat = IS_ENABLED(CONFIG_COMPAT) ? TIF_32BIT : 64,
		.call = THREAD_SIZE - sizeof(struct pt_regs), .number = offsetof(struct pt_regs, syscallno),
		.atomics = cpu_have_named_feature(ATOMICS),
	};
	return true;
}
