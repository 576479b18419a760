// SPDX-License-Identifier: GPL-2.0-only
/* retprobe.c - see retprobe.h. */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/slab.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/ksym.h"
#include "kmod/base/site.h"
#include "kmod/compat/compat.h"
#include "kmod/hit/hit.h"
#include "kmod/hit/retprobe.h"
#include "kmod/text/change.h"
#include "kmod/text/safety.h"
#include "regs_arch.h"

/* The most calls of one function in progress at once.  The kernel cannot follow more; it counts them as missed. */
#define INSTANCES	2048
/* Kretprobes to unregister at once. */
#define BATCH		32

struct kt_retprobe {
	struct kretprobe probe;
	struct kt_site *site;
	u64 missed;		/* returns missed before the last kt_retprobe_arm() */
};

/* The kernel keeps this with each call in progress. */
struct came {
	unsigned long sp;	/* at the function's entry */
	unsigned long from;	/* return address */
};

static int on_entry(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct came *came = (void *)instance->data;

	came->sp = kernel_stack_pointer(regs);
	came->from = kt_regs_return_address(regs);
	return 0;
}
NOKPROBE_SYMBOL(on_entry);

/* No probe: it was unregistered during the call, so this return is not a hit. */
static int on_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct came *came = (void *)instance->data;
	const struct kretprobe *probe = kt_kretprobe_of(instance);
	struct pt_regs back = *regs;
	unsigned long flags;

	if (!probe)
		return 0;
	kt_regs_returned(&back, came->sp, came->from);
	local_irq_save(flags);
	kt_hit_return(container_of(probe, struct kt_retprobe, probe)->site, &back, came->sp);
	local_irq_restore(flags);
	return 0;
}
NOKPROBE_SYMBOL(on_return);

enum kt_refusal kt_retprobe_prepare(struct kt_site *site)
{
	const unsigned long entry = site->addr | KT_RETURN_BIT;
	enum kt_refusal refusal = kt_safety_function(entry, &site->module);

	lockdep_assert_held(&kt_table_lock);
	if (refusal)
		return refusal;
	site->retprobe = kzalloc(sizeof(*site->retprobe), GFP_KERNEL);
	if (!site->retprobe)
		return KT_REFUSE_NOMEM;
	site->entry = entry;
	site->retprobe->site = site;
	return KT_REFUSE_NONE;
}

int kt_retprobe_arm(struct kt_site *site)
{
	struct kt_retprobe *ret = site->retprobe;
	int err;

	lockdep_assert_held(&kt_change_lock);
	/* Fill it in anew: some kernels refuse a kretprobe with fields left from an earlier registration. */
	ret->probe = (struct kretprobe){
		.kp.addr = (kprobe_opcode_t *)site->entry,
		.handler = on_return, .entry_handler = on_entry,
		.data_size = sizeof(struct came), .maxactive = INSTANCES,
	};
	err = register_kretprobe(&ret->probe);
	site->called = !err;
	return err;
}

static u64 missed_now(const struct kt_retprobe *ret)
{
	return ret->missed + ret->probe.nmissed + ret->probe.kp.nmissed;
}

static void unregister(struct kretprobe **probes, u32 n)
{
	u32 i;

	unregister_kretprobes(probes, n);
	for (i = 0; i < n; i++) {
		struct kt_retprobe *ret = container_of(probes[i], struct kt_retprobe, probe);

		ret->missed = missed_now(ret);
		ret->probe.nmissed = ret->probe.kp.nmissed = 0;
		ret->site->called = false;
	}
}

void kt_retprobes_disarm(struct list_head *sites)
{
	struct kretprobe *probes[BATCH];
	struct kt_site *site;
	u32 n = 0;

	lockdep_assert_held(&kt_change_lock);
	list_for_each_entry(site, sites, leaving) {
		if (!site->retprobe || !site->called)
			continue;
		probes[n++] = &site->retprobe->probe;
		if (n == BATCH) {
			unregister(probes, n);
			n = 0;
		}
	}
	if (n)
		unregister(probes, n);
}

u64 kt_retprobe_missed(const struct kt_site *site)
{
	return site->retprobe ? missed_now(site->retprobe) : 0;
}

void kt_retprobe_free(struct kt_site *site)
{
	kfree(site->retprobe);
}
