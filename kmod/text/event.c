// SPDX-License-Identifier: GPL-2.0-only
/* event.c - see event.h. */
#include <linux/module.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/arch.h"
#include "kmod/compat/compat.h"
#include "kmod/text/event.h"
#include "kmod/base/ksym.h"
#include "kmod/base/site.h"
#include "kmod/text/change.h"

/* A static tracepoint was armed since the module was loaded, so kt_event_sync() has to wait. */
static bool any_armed;

struct search {
	unsigned long addr;
	struct tracepoint *found;
};

/* Compare its own address and that of its iterator, the function that calls the probes: each kernel has that symbol. */
static void compare(struct tracepoint *tp, void *arg)
{
	struct search *search = arg;

	if ((unsigned long)tp == search->addr || (unsigned long)tp->iterator == search->addr)
		search->found = tp;
}

static struct tracepoint *of_kernel(unsigned long addr)
{
	struct search search = { .addr = addr };

	for_each_kernel_tracepoint(compare, &search);
	return search.found;
}

static struct tracepoint *of_module(const struct module *mod, unsigned long addr)
{
	struct search search = { .addr = addr };
	unsigned int i;

	for (i = 0; i < mod->num_tracepoints; i++)
		compare(tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]), &search);
	return search.found;
}

struct named {
	const char *name;
	struct tracepoint *found;
};

static void compare_name(struct tracepoint *tp, void *arg)
{
	struct named *named = arg;

	if (!strcmp(tp->name, named->name))
		named->found = tp;
}

struct tracepoint *kt_event_named(const char *name)
{
	struct named named = { .name = name };

	for_each_kernel_tracepoint(compare_name, &named);
	return named.found;
}

bool kt_event_passes_call(unsigned long addr)
{
	const struct tracepoint *tp = of_kernel(addr);

	return tp && (!strcmp(tp->name, "sys_enter") || !strcmp(tp->name, "sys_exit"));
}

/* The module stays after preempt_enable(): its unloading calls ktrace's notifier, which waits for kt_change_lock. */
static enum kt_refusal in_module(struct kt_site *site)
{
	enum kt_refusal refusal = KT_REFUSE_NO_EVENT;
	struct module *mod;

	preempt_disable();
	mod = kt___module_address(site->addr);
	if (mod && mod->state != MODULE_STATE_LIVE)
		refusal = KT_REFUSE_MODULE;
	else if (mod)
		site->event = of_module(mod, site->addr);
	preempt_enable();
	if (!site->event)
		return refusal;
	site->module = mod;
	return KT_REFUSE_NONE;
}

enum kt_refusal kt_event_prepare(struct kt_site *site)
{
	enum kt_refusal refusal = KT_REFUSE_NONE;

	lockdep_assert_held(&kt_table_lock);
	site->event = of_kernel(site->addr);
	if (!site->event)
		refusal = in_module(site);
	if (refusal)
		return refusal;
	site->entry = (unsigned long)site->event->iterator;
	site->direct = kt_arch.event_slow;
	site->faultable = kt_tracepoint_is_faultable(site->event);
	return KT_REFUSE_NONE;
}

int kt_event_arm(struct kt_site *site)
{
	int err = tracepoint_probe_register(site->event, kt_arch.event_probe(), site);

	lockdep_assert_held(&kt_change_lock);
	site->called = !err;
	any_armed = true;
	return err;
}

void kt_event_disarm(struct kt_site *site)
{
	lockdep_assert_held(&kt_change_lock);
	if (!site->event || !site->called)
		return;
	/* This never fails: without memory for a new array of probes, the kernel replaces this probe by a stub. */
	tracepoint_probe_unregister(site->event, kt_arch.event_probe(), site);
	site->called = false;
}

void kt_event_sync(void)
{
	if (any_armed)
		tracepoint_synchronize_unregister();
}
