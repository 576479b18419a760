/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fault.h - included before every source of the test build of the module: what can fail there can be made to.
 *
 *   fail_nth	the Nth call from now on fails, of those that the process makes which sets it (0: none); with -N of
 *		those that kernel threads make
 *   fail_where	the call that failed last: file:line
 *   live	allocations that are not freed yet
 */
#ifndef KTRACE_FAULT_H
#define KTRACE_FAULT_H

#ifndef __ASSEMBLY__

#include <linux/bitmap.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "kmod/base/ksym.h"

/* Must this call fail? Any context but NMI; hits do not ask. */
bool kt_fault(const char *file, int line);
void kt_fault_again(void);		/* the next call fails, too, but only once */
void *kt_fault_had(void *p);		/* counts an allocation; returns p */
const void *kt_fault_gone(const void *p);
void kt_fault_exit(void);

#define KT_FAULT()		kt_fault(__FILE__, __LINE__)
#define KT_FAULT_ALLOC(call)	(KT_FAULT() ? NULL : kt_fault_had(call))
#define KT_FAULT_DUP(call)	(KT_FAULT() ? ERR_PTR(-ENOMEM) : kt_fault_had(call))
#define KT_FAULT_ERR(err, call)	(KT_FAULT() ? (err) : (call))

/* Some of these are macros in some kernels. */
#define KT_FAULT_REAL(name, parameters, arguments) \
	static inline void *kt_real_##name parameters { return name arguments; }

KT_FAULT_REAL(kzalloc, (size_t size, gfp_t gfp), (size, gfp))
KT_FAULT_REAL(kmalloc, (size_t size, gfp_t gfp), (size, gfp))
KT_FAULT_REAL(kcalloc, (size_t n, size_t size, gfp_t gfp), (n, size, gfp))
KT_FAULT_REAL(kvcalloc, (size_t n, size_t size, gfp_t gfp), (n, size, gfp))
KT_FAULT_REAL(kvmalloc_array, (size_t n, size_t size, gfp_t gfp), (n, size, gfp))
KT_FAULT_REAL(kvmalloc, (size_t size, gfp_t gfp), (size, gfp))
KT_FAULT_REAL(kvzalloc, (size_t size, gfp_t gfp), (size, gfp))
KT_FAULT_REAL(__vmalloc, (size_t size, gfp_t gfp), (size, gfp))
KT_FAULT_REAL(vzalloc, (size_t size), (size))
KT_FAULT_REAL(vmalloc_user, (size_t size), (size))
KT_FAULT_REAL(kmemdup, (const void *from, size_t n, gfp_t gfp), (from, n, gfp))
KT_FAULT_REAL(memdup_user, (const void __user *from, size_t n), (from, n))
KT_FAULT_REAL(vmemdup_user, (const void __user *from, size_t n), (from, n))

static inline void __percpu *kt_real___alloc_percpu(size_t size, size_t align)
{
	return __alloc_percpu(size, align);
}

#undef kzalloc
#define kzalloc(size, gfp)	KT_FAULT_ALLOC(kt_real_kzalloc(size, gfp))
#undef kmalloc
#define kmalloc(size, gfp)	KT_FAULT_ALLOC(kt_real_kmalloc(size, gfp))
#undef kcalloc
#define kcalloc(n, size, gfp)	KT_FAULT_ALLOC(kt_real_kcalloc(n, size, gfp))
#undef kvcalloc
#define kvcalloc(n, size, gfp)	KT_FAULT_ALLOC(kt_real_kvcalloc(n, size, gfp))
#undef kvmalloc_array
#define kvmalloc_array(n, size, gfp)	KT_FAULT_ALLOC(kt_real_kvmalloc_array(n, size, gfp))
#undef kvmalloc
#define kvmalloc(size, gfp)	KT_FAULT_ALLOC(kt_real_kvmalloc(size, gfp))
#undef kvzalloc
#define kvzalloc(size, gfp)	KT_FAULT_ALLOC(kt_real_kvzalloc(size, gfp))
#undef vzalloc
#define vzalloc(size)	KT_FAULT_ALLOC(kt_real_vzalloc(size))
#undef __vmalloc
#define __vmalloc(size, gfp)	KT_FAULT_ALLOC(kt_real___vmalloc(size, gfp))
#undef vmalloc_user
#define vmalloc_user(size)	KT_FAULT_ALLOC(kt_real_vmalloc_user(size))
#undef kmemdup
#define kmemdup(from, n, gfp)	KT_FAULT_ALLOC(kt_real_kmemdup(from, n, gfp))
#undef memdup_user
#define memdup_user(from, n)	KT_FAULT_DUP(kt_real_memdup_user(from, n))
#undef vmemdup_user
#define vmemdup_user(from, n)	KT_FAULT_DUP(kt_real_vmemdup_user(from, n))
/* bitmap_free() is not counted, and so these are not. */
static inline unsigned long *kt_real_bitmap_alloc(unsigned int bits, gfp_t gfp)
{
	return bitmap_alloc(bits, gfp);
}

static inline unsigned long *kt_real_bitmap_zalloc(unsigned int bits, gfp_t gfp)
{
	return bitmap_zalloc(bits, gfp);
}

#undef bitmap_alloc
#define bitmap_alloc(bits, gfp)		KT_FAULT_ERR(NULL, kt_real_bitmap_alloc(bits, gfp))
#undef bitmap_zalloc
#define bitmap_zalloc(bits, gfp)	KT_FAULT_ERR(NULL, kt_real_bitmap_zalloc(bits, gfp))
#undef kfree
#define kfree(p)		(kfree)(kt_fault_gone(p))
#undef kvfree
#define kvfree(p)		(kvfree)(kt_fault_gone(p))
#undef vfree
#define vfree(p)		(vfree)(kt_fault_gone(p))

#undef copy_from_user
#define copy_from_user(to, from, n)	KT_FAULT_ERR(n, (copy_from_user)(to, from, n))
#undef copy_to_user
#define copy_to_user(to, from, n)	KT_FAULT_ERR(n, (copy_to_user)(to, from, n))
#undef get_unused_fd_flags
#define get_unused_fd_flags(flags)	KT_FAULT_ERR(-EMFILE, (get_unused_fd_flags)(flags))
#undef pin_user_pages_fast
#define pin_user_pages_fast(at, n, flags, to)	KT_FAULT_ERR(-ENOMEM, (pin_user_pages_fast)(at, n, flags, to))
#undef mmu_interval_notifier_insert
#define mmu_interval_notifier_insert(notifier, mm, at, n, ops) \
	KT_FAULT_ERR(-ENOMEM, (mmu_interval_notifier_insert)(notifier, mm, at, n, ops))

static inline struct workqueue_struct *kt_real_alloc_workqueue(const char *name, unsigned int flags, int most)
{
	return alloc_workqueue("%s", flags, most, name);
}

#undef alloc_workqueue
#define alloc_workqueue(name, flags, most)	KT_FAULT_ERR(NULL, kt_real_alloc_workqueue(name, flags, most))
#undef idr_alloc
#define idr_alloc(idr, p, first, end, gfp)	KT_FAULT_ERR(-ENOMEM, (idr_alloc)(idr, p, first, end, gfp))
#undef remap_vmalloc_range
#define remap_vmalloc_range(vma, mem, at)	KT_FAULT_ERR(-ENOMEM, (remap_vmalloc_range)(vma, mem, at))
#undef misc_register
#define misc_register(dev)			KT_FAULT_ERR(-EBUSY, (misc_register)(dev))
#undef register_kprobe
#define register_kprobe(probe)			KT_FAULT_ERR(-ENOMEM, (register_kprobe)(probe))
/* Each kernel has one of them with this meaning. */
#define uprobe_register_refctr(...)		KT_FAULT_ERR(-ENOMEM, (uprobe_register_refctr)(__VA_ARGS__))
#define uprobe_register(...)			KT_FAULT_ERR(ERR_PTR(-ENOMEM), (uprobe_register)(__VA_ARGS__))
#define kt_set_memory_ro(at, pages)		KT_FAULT_ERR(-ENOMEM, (kt_set_memory_ro)(at, pages))
#define kt_set_memory_x(at, pages)		KT_FAULT_ERR(-ENOMEM, (kt_set_memory_x)(at, pages))
#define kt___vmalloc_node_range(...)		KT_FAULT_ALLOC((kt___vmalloc_node_range)(__VA_ARGS__))
#undef register_die_notifier
#define register_die_notifier(nb)		KT_FAULT_ERR(-ENOMEM, (register_die_notifier)(nb))
#undef register_module_notifier
#define register_module_notifier(nb)		KT_FAULT_ERR(-ENOMEM, (register_module_notifier)(nb))
/* The search for slots has two steps, from the last slot and from the start: both must find nothing. */
#undef bitmap_find_next_zero_area
#define bitmap_find_next_zero_area(map, size, at, n, mask) \
	(KT_FAULT() ? kt_fault_again(), (size) : (bitmap_find_next_zero_area)(map, size, at, n, mask))

/* This is a macro of the kernel; its pointers may have their own address space. */
#undef alloc_percpu
#define alloc_percpu(type) \
	(KT_FAULT() ? NULL : (typeof(type) __percpu *)(unsigned long)kt_fault_had((void *)(unsigned long) \
		kt_real___alloc_percpu(sizeof(type), __alignof__(type))))
#undef __alloc_percpu
#define __alloc_percpu(size, align) \
	(KT_FAULT() ? NULL : (void __percpu *)(unsigned long)kt_fault_had((void *)(unsigned long) \
		kt_real___alloc_percpu(size, align)))
#undef free_percpu
#define free_percpu(p)		(free_percpu)((typeof(p))(unsigned long)kt_fault_gone((void *)(unsigned long)(p)))

/* The kernel calls them through a pointer. */
#ifdef ___ADDRESSABLE
#define KT_FAULT_FOUND(fn, where)	___ADDRESSABLE(fn, where)
#else
#define KT_FAULT_FOUND(fn, where)
#endif

/* Print the remaining allocations when the module is unloaded, or failed to load. */
#undef module_init
#define module_init(fn)			\
	int init_module(void);		\
	int __init init_module(void)	\
	{				\
		int err = fn();		\
					\
		if (err)		\
			kt_fault_exit();\
		return err;		\
	}				\
	KT_FAULT_FOUND(init_module, __initdata)
#undef module_exit
#define module_exit(fn)			\
	void cleanup_module(void);	\
	void __exit cleanup_module(void)\
	{				\
		fn();			\
		kt_fault_exit();	\
	}				\
	KT_FAULT_FOUND(cleanup_module, __exitdata)

#endif
#endif
