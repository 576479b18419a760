// SPDX-License-Identifier: GPL-2.0-only
/* ksym.c - find unexported functions of the kernel.  See ksym.h. */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/arch.h"
#include "kmod/base/ksym.h"

/* One variable for each row of the lists.  A table of these variables follows below. */
#define KSYM_NEED(name, ret, args)		unsigned long kt_ksym_##name;
#define KSYM_NEED_AS(name, other, ret, args)	unsigned long kt_ksym_##name;
#define KSYM_MAY(name, ret, args)		unsigned long kt_ksym_##name;
#include "kmod/base/ksym_list.h"
#include "ksym_arch.h"
unsigned long kt_ksym_kallsyms_lookup_name;
#undef KSYM_NEED
#undef KSYM_NEED_AS
#undef KSYM_MAY

struct ksym {
	const char *name;
	const char *other;	/* the name in other kernels */
	unsigned long *addr;
	bool need;
};

#define KSYM_NEED(name, ret, args)		{ #name, NULL, &kt_ksym_##name, true },
#define KSYM_NEED_AS(name, other, ret, args)	{ #name, #other, &kt_ksym_##name, true },
#define KSYM_MAY(name, ret, args)		{ #name, NULL, &kt_ksym_##name, false },
static const struct ksym ksyms[] = {
#include "kmod/base/ksym_list.h"
#include "ksym_arch.h"
};

static DEFINE_MUTEX(own_text_mutex);
static struct mutex *text_mutex_found;

/* The address of a function, read from a temporary kprobe.  Only for the one function that finds all others. */
static unsigned long probe_address(const char *name)
{
	struct kprobe kp = { .symbol_name = name };
	unsigned long addr;

	if (register_kprobe(&kp) < 0)
		return 0;
	addr = (unsigned long)kp.addr;
	unregister_kprobe(&kp);
	return addr;
}

unsigned long kt_kallsyms_lookup_name(const char *name);	/* not in the lists: it is found first */

unsigned long kt_ksym_find(const char *name)
{
	return kt_kallsyms_lookup_name(name);
}

struct mutex *kt_text_mutex(void)
{
	return text_mutex_found;
}

int kt_ksym_init(void)
{
	size_t i;

	kt_ksym_kallsyms_lookup_name = probe_address("kallsyms_lookup_name");
	if (!kt_ksym_kallsyms_lookup_name) {
		pr_err("this kernel does not let a kprobe find kallsyms_lookup_name (CONFIG_KPROBES, lockdown): cannot work\n");
		return -ENOENT;
	}
	for (i = 0; i < ARRAY_SIZE(ksyms); i++) {
		const struct ksym *ks = &ksyms[i];

		*ks->addr = kt_ksym_find(ks->name);
		if (!*ks->addr && ks->other)
			*ks->addr = kt_ksym_find(ks->other);
		if (!*ks->addr && ks->need) {
			pr_err("this kernel has no function %s: cannot work\n", ks->name);
			return -ENOENT;
		}
	}
	text_mutex_found = (struct mutex *)kt_ksym_find("text_mutex");
	if (!text_mutex_found && kt_arch.patches_differ)
		text_mutex_found = &own_text_mutex;
	if (!text_mutex_found) {
		pr_err("this kernel does not tell where text_mutex is (CONFIG_KALLSYMS_ALL): cannot work\n");
		return -ENOENT;
	}
	return 0;
}
