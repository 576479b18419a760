// SPDX-License-Identifier: GPL-2.0-only
/* defer.c - see defer.h. */
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/arch.h"
#include "kmod/base/rest.h"
#include "kmod/text/event.h"
#include "kmod/base/site.h"
#include "kmod/hit/bring_in.h"
#include "kmod/hit/consumer.h"
#include "kmod/records/desc.h"
#include "kmod/table/defer.h"
#include "kmod/table/table_int.h"
#include "kmod/text/slot.h"

struct deferred {
	struct list_head sites;		/* by ->list */
	struct list_head consumers;	/* by ->list */
	struct list_head descs;		/* by ->retired */
	struct list_head jumps;		/* by ->list */
};

#define DEFERRED(d) \
	{ LIST_HEAD_INIT((d).sites), LIST_HEAD_INIT((d).consumers), LIST_HEAD_INIT((d).descs), LIST_HEAD_INIT((d).jumps) }

static DEFINE_SPINLOCK(lock);
static u64 nr_deferred, nr_freed;	/* since the module was loaded; under the lock */
static DECLARE_WAIT_QUEUE_HEAD(freed);
static struct deferred gathered = DEFERRED(gathered);

/* Take all gathered objects.  Returns nr_deferred at that time. */
static u64 take_all(struct deferred *to)
{
	u64 target;

	spin_lock(&lock);
	list_splice_init(&gathered.sites, &to->sites);
	list_splice_init(&gathered.consumers, &to->consumers);
	list_splice_init(&gathered.descs, &to->descs);
	list_splice_init(&gathered.jumps, &to->jumps);
	target = nr_deferred;
	spin_unlock(&lock);
	return target;
}

/*
 * The last hit of the descriptor is over.  If its consumer has recorded nothing since the descriptor was published, no
 * packet has its id: free it.  The consumer still exists, because it is freed after its descriptors.
 */
static void desc_over(struct kt_desc *desc)
{
	if (kt_consumer_counts(desc->consumer).recorded == desc->records_before)
		kt_desc_destroy(desc);
	else
		kt_desc_retire(desc);
}

static void free_descs(struct list_head *descs)
{
	struct kt_desc *desc, *next;

	list_for_each_entry_safe(desc, next, descs, retired) {
		list_del(&desc->retired);
		desc_over(desc);
		kt_rest();
	}
}

static void free_consumers(struct list_head *consumers)
{
	struct kt_consumer *consumer, *next;

	list_for_each_entry_safe(consumer, next, consumers, list) {
		list_del(&consumer->list);
		kt_consumer_free(consumer);
		kt_rest();
	}
}

static void free_sites(struct list_head *sites)
{
	struct kt_site *site, *next;

	list_for_each_entry_safe(site, next, sites, list) {
		list_del(&site->list);
		if (kt_site_is_text(site))
			kt_arch.release(site);
		kt_site_free(site);
		kt_rest();
	}
}

static void free_jumps(struct list_head *jumps)
{
	struct kt_old_jump *old, *next;

	list_for_each_entry_safe(old, next, jumps, list) {
		list_del(&old->list);
		kt_arch.release_jump(old->trampoline);
		kfree(old);
		kt_rest();
	}
}

static void free_all(struct work_struct *work)
{
	struct deferred d = DEFERRED(d);
	const u64 target = take_all(&d);

	synchronize_rcu();
	kt_event_sync();
	kt_bring_in_sync();
	/* A task that is preempted in a trampoline may still read the site's descriptor. */
	if (!list_empty(&d.sites) || !list_empty(&d.jumps))
		kt_arch.quiesce();
	free_descs(&d.descs);
	free_consumers(&d.consumers);
	free_sites(&d.sites);
	free_jumps(&d.jumps);
	kt_slot_trim();
	kt_desc_collect();
	spin_lock(&lock);
	nr_freed = target;
	spin_unlock(&lock);
	wake_up_all(&freed);
}

static DECLARE_WORK(work, free_all);

static void gather(struct list_head *what, struct list_head *to)
{
	spin_lock(&lock);
	list_add_tail(what, to);
	nr_deferred++;
	spin_unlock(&lock);
	schedule_work(&work);
}

void kt_defer_desc(struct kt_desc *desc)
{
	gather(&desc->retired, &gathered.descs);
}

/* The descriptor first: the worker must not free the consumer before it has handled the descriptor. */
void kt_defer_consumer(struct kt_consumer *consumer)
{
	if (kt_consumer_desc(consumer))
		kt_defer_desc(kt_consumer_desc(consumer));
	gather(&consumer->list, &gathered.consumers);
}

void kt_defer_site(struct kt_site *site)
{
	gather(&site->list, &gathered.sites);
}

void kt_defer_jump(struct kt_old_jump *old)
{
	gather(&old->list, &gathered.jumps);
}

static bool is_freed(u64 target)
{
	bool yes;

	spin_lock(&lock);
	yes = nr_freed >= target;
	spin_unlock(&lock);
	return yes;
}

static u64 deferred_now(void)
{
	u64 now;

	spin_lock(&lock);
	now = nr_deferred;
	spin_unlock(&lock);
	return now;
}

bool kt_defer_pending(void)
{
	return !is_freed(deferred_now());
}

bool kt_defer_wait(unsigned long until)
{
	const u64 target = deferred_now();

	return time_before(jiffies, until) &&
	       wait_event_killable_timeout(freed, is_freed(target), until - jiffies) > 0;
}

void kt_defer_trim(void)
{
	schedule_work(&work);
}

void kt_defer_flush(void)
{
	flush_work(&work);
}
