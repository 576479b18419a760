/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ksym.h - functions of the kernel that are not exported to modules.
 *
 * ktrace looks them up by name when it is loaded; code then calls kt_NAME() like any function.  The names are data:
 * ksym_list.h for all architectures, arch/<cpu>/kmod/ksym_arch.h for one architecture.
 */
#ifndef KTRACE_KSYM_H
#define KTRACE_KSYM_H

#include <linux/types.h>

struct arch_uprobe;
struct callback_head;
struct kprobe;
struct mm_struct;
struct module;
struct mutex;
struct ns_common;
struct pt_regs;
struct task_struct;

/*
 * Look up all functions of the lists.  -ENOENT: this kernel lacks a required one; the kernel log has its name.
 * Sleepable.
 */
int kt_ksym_init(void);

/* The address of any kernel symbol; 0: there is none.  After kt_ksym_init(). */
unsigned long kt_ksym_find(const char *name);

/* Does this kernel have the optional function? */
#define kt_have(name)	(kt_ksym_##name != 0)

#define KSYM_NEED(name, ret, args)		KSYM_DECLARE(name, ret, args)
#define KSYM_NEED_AS(name, other, ret, args)	KSYM_DECLARE(name, ret, args)
#define KSYM_MAY(name, ret, args)		KSYM_DECLARE(name, ret, args)
#define KSYM_DECLARE(name, ret, args)		\
	extern unsigned long kt_ksym_##name;	\
	ret kt_##name args;

#include "kmod/base/ksym_list.h"
#include "ksym_arch.h"

#undef KSYM_NEED
#undef KSYM_NEED_AS
#undef KSYM_MAY
#undef KSYM_DECLARE

/*
 * The kernel's text_mutex.  ktrace holds it while it checks and patches kernel text.  If the symbol is hidden and the
 * architecture does not need it (patches_differ in arch.h), this is a mutex of the module.
 */
struct mutex *kt_text_mutex(void);

#endif
