// SPDX-License-Identifier: GPL-2.0-only
/* limit.c - sites all of whose consumers have reached their limit are disarmed.  See table.h. */
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "ktrace.h"
#include "arch.h"
#include "change.h"
#include "consumer.h"
#include "event.h"
#include "retprobe.h"
#include "safety.h"
#include "table.h"
#include "table_int.h"

static void pick_spent(struct list_head *spent)
{
	struct kt_site *site;

	list_for_each_entry(site, &kt_sites, list) {
		if ((site->state != KT_SITE_OFF || site->called) && kt_consumers_spent(site))
			list_add_tail(&site->leaving, spent);
		cond_resched();
	}
}

/* Those that the kernel calls us for. */
static void disarm_calls(const struct list_head *spent)
{
	struct kt_site *site;

	list_for_each_entry(site, spent, leaving) {
		kt_event_disarm(site);
		kt_retprobe_disarm(site);
	}
}

/*
 * Breakpoints and jumps go; the sites stay, with what executes their instructions elsewhere: tasks may be in there.
 * Where somebody's probe is on a jump, all of it stays.
 */
static void disarm_spent(struct work_struct *work)
{
	struct kt_site *site, *next;
	LIST_HEAD(spent);
	LIST_HEAD(kept);

	kt_change_begin_now();
	pick_spent(&spent);
	kt_sites_disarm(&spent, &kept);
	disarm_calls(&spent);
	list_for_each_entry_safe(site, next, &spent, leaving) {
		list_del_init(&site->leaving);
		site->spent = true;
	}
	list_for_each_entry_safe(site, next, &kept, leaving)
		list_del_init(&site->leaving);
	kt_change_end();
}

static DECLARE_WORK(disarm_work, disarm_spent);

void kt_table_disarm(void)
{
	schedule_work(&disarm_work);
}

void kt_table_disarm_exit(void)
{
	cancel_work_sync(&disarm_work);
}

enum kt_refusal kt_site_rearm(struct kt_site *site)
{
	enum kt_refusal refusal;

	if (!site->spent)
		return KT_REFUSE_NONE;
	refusal = kt_safety_check(site);
	if (refusal)
		return refusal;
	kt_arch.poke(site, KT_POKE_BREAKPOINT);
	kt_arch.sync();
	site->state = KT_SITE_BREAKPOINT;
	site->spent = false;
	kt_table_disarm();
	return KT_REFUSE_NONE;
}
