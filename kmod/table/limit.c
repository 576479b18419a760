// SPDX-License-Identifier: GPL-2.0-only
/*
 * limit.c - disarm sites whose consumers have all reached their limit, and sites that the brake marked; arm them again.
 * See table.h.
 */
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/arch.h"
#include "kmod/text/event.h"
#include "kmod/base/ksym.h"
#include "kmod/base/rest.h"
#include "kmod/hit/consumer.h"
#include "kmod/hit/retprobe.h"
#include "kmod/hit/uprobe.h"
#include "kmod/table/brake.h"
#include "kmod/table/table.h"
#include "kmod/table/table_int.h"
#include "kmod/table/window.h"
#include "kmod/text/change.h"
#include "kmod/text/safety.h"

/* The site is armed, but no consumer needs its hits, or the brake has marked it. */
static bool is_over(const struct kt_site *site)
{
	return (site->state != KT_SITE_OFF || site->called) && (site->braked || kt_consumers_spent(site));
}

static void pick_over(struct list_head *off)
{
	struct kt_site *site;

	list_for_each_entry(site, &kt_sites, list) {
		if (is_over(site))
			list_add_tail(&site->leaving, off);
		kt_rest();
	}
}

/* Disarm the events, returns and uprobes among the sites: the kernel calls ktrace for them. */
static void disarm_calls(struct list_head *off)
{
	struct kt_site *site;

	list_for_each_entry(site, off, leaving) {
		kt_event_disarm(site);
		kt_rest();
	}
	kt_retprobes_disarm(off);
	kt_uprobes_disarm(off);
}

/*
 * This removes breakpoints and jumps.  The sites keep their slots and trampolines, because tasks may be in there.  A
 * jump that a foreign kprobe sits on stays armed.
 */
void kt_sites_disarm_off(void)
{
	struct kt_site *site, *next;
	LIST_HEAD(off);
	LIST_HEAD(kept);

	lockdep_assert_held(&kt_change_lock);
	pick_over(&off);
	kt_sites_disarm(&off, &kept);
	disarm_calls(&off);
	list_for_each_entry_safe(site, next, &off, leaving) {
		list_del_init(&site->leaving);
		site->spent = kt_consumers_spent(site);
	}
	list_for_each_entry_safe(site, next, &kept, leaving)
		list_del_init(&site->leaving);
	kt_brake_follow();
}

static void disarm_off(struct work_struct *work)
{
	kt_change_begin_now();
	kt_sites_disarm_off();
	kt_change_end();
}

static DECLARE_WORK(disarm_work, disarm_off);

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

	lockdep_assert_held(&kt_change_lock);
	lockdep_assert_held(&kt_table_lock);
	lockdep_assert_held(kt_text_mutex());
	if (!kt_site_is_off(site))
		return KT_REFUSE_NONE;
	/* In another state it is still armed, because a foreign kprobe keeps its jump. */
	if (site->state == KT_SITE_OFF) {
		refusal = kt_safety_check(site);
		if (refusal)
			return refusal;
		kt_window_arm(site);
		kt_arch.sync();
	}
	site->spent = false;
	kt_table_disarm();
	return KT_REFUSE_NONE;
}
