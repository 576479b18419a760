/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat.h - differences between kernels.  kmod/Kbuild defines each KT_HAVE_ macro after a search in the kernel's
 * headers.  A version number would be wrong for distribution kernels, which backport changes.
 */
#ifndef KTRACE_COMPAT_H
#define KTRACE_COMPAT_H

#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint-defs.h>
#include <linux/uprobes.h>

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
/* The data of a live module has so many parts; one may be empty. */
#define KT_MODULE_DATA		3
#define kt_module_data_base(m, i)	((m)->mem[MOD_DATA + (i)].base)
#define kt_module_data_size(m, i)	((m)->mem[MOD_DATA + (i)].size)
static_assert(MOD_RODATA == MOD_DATA + 1 && MOD_RO_AFTER_INIT == MOD_DATA + 2);
#else
#define kt_module_text_base(m)	((m)->core_layout.base)
#define kt_module_text_size(m)	((m)->core_layout.text_size)
#define KT_MODULE_DATA		1
#define kt_module_data_base(m, i)	((m)->core_layout.base + (m)->core_layout.text_size)
#define kt_module_data_size(m, i)	((m)->core_layout.size - (m)->core_layout.text_size)
#endif

/* The kretprobe of an instance; NULL: it is unregistered already. */
static __always_inline const struct kretprobe *kt_kretprobe_of(struct kretprobe_instance *instance)
{
#ifdef KT_HAVE_GET_KRETPROBE
	return get_kretprobe(instance);
#else
	return instance->rp;
#endif
}

/*
 * A timer that stays on the CPU that starts it, and runs in hard interrupt context on every kernel (PREEMPT_RT, too).
 */
static inline void kt_hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*call)(struct hrtimer *timer))
{
#ifdef KT_HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, call, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = call;
#endif
}

/*
 * The path and the inode of a mapped file, as /proc/PID/maps shows them.  A file system that is stacked on another one
 * may map the other one's file.
 */
#ifdef KT_HAVE_FILE_USER_INODE
#define kt_file_user_path(file)		file_user_path(file)
#define kt_file_user_inode(file)	file_user_inode(file)
#else
#define kt_file_user_path(file)		(&(file)->f_path)
#define kt_file_user_inode(file)	file_inode(file)
#endif

/* What /proc/PID/maps calls [heap] and [stack]. */
#ifdef KT_HAVE_VMA_IS_INITIAL_HEAP
#define kt_vma_is_heap(vma)	vma_is_initial_heap(vma)
#define kt_vma_is_stack(vma)	vma_is_initial_stack(vma)
#else
#define kt_vma_is_heap(vma)	\
	((vma)->vm_start <= (vma)->vm_mm->brk && (vma)->vm_end >= (vma)->vm_mm->start_brk)
#define kt_vma_is_stack(vma)	\
	((vma)->vm_start <= (vma)->vm_mm->start_stack && (vma)->vm_end >= (vma)->vm_mm->start_stack)
#endif

/* The mapping before the one at this address; NULL: there is none.  Under mmap_lock. */
static inline struct vm_area_struct *kt_vma_before(struct mm_struct *mm, unsigned long addr)
{
#ifdef KT_HAVE_MAPLE_TREE
	MA_STATE(mas, &mm->mm_mt, addr, addr);

	return mas_prev(&mas, 0);
#else
	return find_vma(mm, addr)->vm_prev;
#endif
}

/* Is the task on a CPU just now?  Kernels for one CPU do not note that of other tasks. */
static inline bool kt_task_on_cpu(const struct task_struct *task)
{
#ifdef CONFIG_SMP
	return READ_ONCE(task->on_cpu);
#else
	return task == current;
#endif
}

/* The end of user memory, for all tasks.  A kernel without this macro has only the limit of the current task. */
#ifndef TASK_SIZE_MAX
#define TASK_SIZE_MAX	TASK_SIZE
#endif

/* May its probes sleep?  Since 6.13, those of sys_enter and sys_exit. */
static inline bool kt_tracepoint_is_faultable(const struct tracepoint *tp)
{
#ifdef KT_HAVE_TRACEPOINT_EXT
	return tp->ext && tp->ext->faultable;
#else
	return false;
#endif
}

/*
 * Set or remove the function that the kernel calls before it switches a static tracepoint on; an error from it keeps
 * the static tracepoint off.  False: the static tracepoint already has such a function.
 */
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

/*
 * Uprobes.  The last parameters of a handler, and the middle one of a filter.  Kernels name a registered uprobe by a
 * pointer, or by its inode and offset; the former unregister several in two steps.
 */
#ifdef KT_HAVE_UPROBE_DATA
#define KT_UPROBE_DATA	, __u64 *data
#else
#define KT_UPROBE_DATA
#endif
#ifdef KT_HAVE_UPROBE_FILTER_CTX
#define KT_UPROBE_CONTEXT	, enum uprobe_filter_ctx ctx
#else
#define KT_UPROBE_CONTEXT
#endif

struct uprobe;	/* kernels without uprobes do not declare it */

/* semaphore: offset of a count to raise, or 0.  *probe is for kt_uprobe_unregister() only.  Negative errno.  Sleepable. */
static inline int kt_uprobe_register(struct inode *inode, loff_t offset, loff_t semaphore,
				     struct uprobe_consumer *consumer, struct uprobe **probe)
{
#ifdef KT_HAVE_UPROBE_POINTER
	*probe = uprobe_register(inode, offset, semaphore, consumer);
	return PTR_ERR_OR_ZERO(*probe);
#else
	*probe = NULL;
	return uprobe_register_refctr(inode, offset, semaphore, consumer);
#endif
}

/* Handlers may run until kt_uprobe_unregistered().  Sleepable. */
static inline void kt_uprobe_unregister(struct inode *inode, loff_t offset, struct uprobe_consumer *consumer,
					struct uprobe *probe)
{
#ifdef KT_HAVE_UPROBE_POINTER
	uprobe_unregister_nosync(probe, consumer);
#else
	uprobe_unregister(inode, offset, consumer);
#endif
}

static inline void kt_uprobe_unregistered(void)
{
#ifdef KT_HAVE_UPROBE_POINTER
	uprobe_unregister_sync();
#endif
}

/* The counter of the clock source, and two clocks at the same instant. */
struct kt_snapshot {
	u64 cycles;
	ktime_t real;
	ktime_t raw;
	u8 source;			/* changes when the kernel changes its clock source */
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
