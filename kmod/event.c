// SPDX-License-Identifier: GPL-2.0-only
/* event.c - see event.h. */
#include <linux/module.h>
#include <linux/tracepoint.h>

#include "ktrace.h"
#include "arch.h"
#include "event.h"
#include "ksym.h"
#include "site.h"

/* Some site was a static tracepoint since the module was loaded. */
static bool any_armed;

struct search {
	unsigned long addr;
	struct tracepoint *found;
};

/* By its own address or, where the kernel lists no data, by that of the function that calls its probes. */
static bool is_at(const struct tracepoint *tp, unsigned long addr)
{
	return (unsigned long)tp == addr || (unsigned long)tp->iterator == addr;
}

static void compare(struct tracepoint *tp, void *arg)
{
	struct search *search = arg;

	if (is_at(tp, search->addr))
		search->found = tp;
}

static struct tracepoint *in_kernel(unsigned long addr)
{
	struct search search = { .addr = addr };

	for_each_kernel_tracepoint(compare, &search);
	return search.found;
}

static struct tracepoint *in(const struct module *mod, unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < mod->num_tracepoints; i++) {
		struct tracepoint *tp = tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]);

		if (is_at(tp, addr))
			return tp;
	}
	return NULL;
}

/* It cannot go: our own notifier, which takes its sites away, waits for the table's lock. */
static enum kt_refusal in_module(struct kt_site *site)
{
	enum kt_refusal refusal = KT_REFUSE_NO_EVENT;
	struct module *mod;

	preempt_disable();
	mod = kt___module_address(site->addr);
	if (mod && mod->state != MODULE_STATE_LIVE)
		refusal = KT_REFUSE_MODULE;
	else if (mod)
		site->event = in(mod, site->addr);
	preempt_enable();
	if (site->event) {
		site->module = mod;
		refusal = KT_REFUSE_NONE;
	}
	return refusal;
}

enum kt_refusal kt_event_prepare(struct kt_site *site)
{
	enum kt_refusal refusal = KT_REFUSE_NONE;

	site->event = in_kernel(site->addr);
	if (!site->event)
		refusal = in_module(site);
	if (!refusal)
		site->entry = (unsigned long)site->event->iterator;
	return refusal;
}

int kt_event_arm(struct kt_site *site)
{
	int err = tracepoint_probe_register(site->event, kt_arch.event_probe, site);

	site->event_armed = !err;
	any_armed = true;
	return err;
}

void kt_event_disarm(struct kt_site *site)
{
	if (!site->event_armed)
		return;
	/* What it cannot do without memory it does with a stub in our place, which stays until the next change. */
	tracepoint_probe_unregister(site->event, kt_arch.event_probe, site);
	site->event_armed = false;
}

void kt_event_sync(void)
{
	if (any_armed)
		tracepoint_synchronize_unregister();
}
