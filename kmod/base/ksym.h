/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ksym.h - functions of the kernel that are not exported to modules.
 *
 * Found by name when the module is loaded; kt_NAME is then called like any
 * function.  The list is data: ksym_list.h for all architectures,
 * arch/<cpu>/kmod/ksym_arch.h for one.
 */
#ifndef KTRACE_KSYM_H
#define KTRACE_KSYM_H

#include <linux/types.h>

struct kprobe;
struct module;
struct mutex;
struct pt_regs;
struct task_struct;

/*
 * Look all of them up.  -ENOENT: a required one is missing; it is named in
 * the kernel log.  Sleepable.
 */
int kt_ksym_init(void);

/* An address by name, 0 when there is none.  After kt_ksym_init(). */
unsigned long kt_ksym_find(const char *name);

/* Is the optional function there? */
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
 * The kernel's text_mutex: held while kernel text is looked at to be patched, or patched.  Where the kernel
 * does not tell where it is and need not (see patches_differ in arch.h), one of our own.
 */
struct mutex *kt_text_mutex(void);

#endif
