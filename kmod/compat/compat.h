/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat.h - where kernels differ.  kmod/Kbuild looks into the headers for each KT_HAVE_ macro: a version number
 * would be wrong for the kernel of a distribution that took the change over.
 */
#ifndef KTRACE_COMPAT_H
#define KTRACE_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint-defs.h>

#ifdef KT_HAVE_VM_FLAGS_SET
#define kt_vm_flags_clear(vma, flags)	vm_flags_clear(vma, flags)
#define kt_vm_flags_set(vma, flags)	vm_flags_set(vma, flags)
#else
#define kt_vm_flags_clear(vma, flags)	((vma)->vm_flags &= ~(flags))
#define kt_vm_flags_set(vma, flags)	((vma)->vm_flags |= (flags))
#endif

#ifdef KT_HAVE_MODULE_MEM
#define kt_module_text_base(m)	((m)->mem[MOD_TEXT].base)
#define kt_module_text_size(m)	((m)->mem[MOD_TEXT].size)
#else
#define kt_module_text_base(m)	((m)->core_layout.base)
#define kt_module_text_size(m)	((m)->core_layout.text_size)
#endif

/* The probe that an instance is of; NULL when that is gone. */
static __always_inline const struct kretprobe *kt_kretprobe_of(struct kretprobe_instance *instance)
{
#ifdef KT_HAVE_GET_KRETPROBE
	return get_kretprobe(instance);
#else
	return instance->rp;
#endif
}

/* On the CPU that starts it, in hard interrupt context on every kernel. */
static inline void kt_hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*call)(struct hrtimer *timer))
{
#ifdef KT_HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, call, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = call;
#endif
}

/* Where user memory ends: of any task, but where there is no such thing in a kernel, of this one. */
#ifndef TASK_SIZE_MAX
#define TASK_SIZE_MAX	TASK_SIZE
#endif

/* Have `guard` asked before a static tracepoint is switched on / no longer.  False: somebody else is. */
static inline bool kt_tracepoint_guard(struct tracepoint *tp, int (*guard)(void))
{
#ifdef KT_HAVE_TRACEPOINT_EXT
	static struct tracepoint_ext ext;

	ext.regfunc = guard;
	return !cmpxchg(&tp->ext, NULL, &ext);
#else
	return !cmpxchg(&tp->regfunc, NULL, guard);
#endif
}

static inline void kt_tracepoint_unguard(struct tracepoint *tp)
{
#ifdef KT_HAVE_TRACEPOINT_EXT
	WRITE_ONCE(tp->ext, NULL);
#else
	WRITE_ONCE(tp->regfunc, NULL);
#endif
}

/* The clock source's counter, and two clocks at that instant. */
struct kt_snapshot {
	u64 cycles;
	ktime_t real;
	ktime_t raw;
	u8 source;			/* another number, another clock source */
};

static inline void kt_snapshot(struct kt_snapshot *out)
{
	struct system_time_snapshot snap;

#ifdef KT_HAVE_SNAPSHOT_ID
	ktime_get_snapshot_id(CLOCK_REALTIME, &snap);
	*out = (struct kt_snapshot){ snap.cycles, snap.systime, snap.monoraw,
				      snap.cs_was_changed_seq };
#else
	ktime_get_snapshot(&snap);
	*out = (struct kt_snapshot){ snap.cycles, snap.real, snap.raw, snap.cs_was_changed_seq };
#endif
}

#endif
