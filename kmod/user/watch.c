// SPDX-License-Identifier: GPL-2.0-only
/*
 * watch.c - see watch.h.
 *
 * It is a notifier for an interval: with one of the other kind each exit of a process would wait for a grace period, which may
 * take longer than the process has run.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "kmod/base/ktrace.h"
#include "kmod/user/watch.h"

#ifdef CONFIG_MMU_NOTIFIER
/* A notifier cannot remove itself. */
static struct workqueue_struct *removals;

static bool invalidated(struct mmu_interval_notifier *notifier, const struct mmu_notifier_range *range, unsigned long seq)
{
	struct kt_watch *watch = container_of(notifier, struct kt_watch, notifier);

	if (range->event == MMU_NOTIFY_RELEASE)
		watch->gone(watch);
	return true;
}

static const struct mmu_interval_notifier_ops ops = {
	.invalidate = invalidated,
};

static void remove_now(struct work_struct *work)
{
	kt_watch_remove(container_of(work, struct kt_watch, removal));
}

/* The interval is the first page: usually nothing is mapped there, so nothing else happens to it. */
struct kt_watch *kt_watch_new(void (*gone)(struct kt_watch *watch))
{
	struct kt_watch *watch = kzalloc(sizeof(*watch), GFP_KERNEL_ACCOUNT);
	int err;

	if (!watch)
		return ERR_PTR(-ENOMEM);
	watch->gone = gone;
	INIT_WORK(&watch->removal, remove_now);
	err = mmu_interval_notifier_insert(&watch->notifier, current->mm, 0, PAGE_SIZE, &ops);
	if (!err)
		return watch;
	kfree(watch);
	return ERR_PTR(err);
}

void kt_watch_remove(struct kt_watch *watch)
{
	mmu_interval_notifier_remove(&watch->notifier);
	kfree(watch);
}

void kt_watch_remove_later(struct kt_watch *watch)
{
	queue_work(removals, &watch->removal);
}

bool kt_watch_is_current(const struct kt_watch *watch)
{
	return watch->notifier.mm == current->mm;
}

int kt_watch_init(void)
{
	removals = alloc_workqueue("ktrace_user", WQ_UNBOUND, 0);
	return removals ? 0 : -ENOMEM;
}

void kt_watch_exit(void)
{
	destroy_workqueue(removals);
}
#else
struct kt_watch *kt_watch_new(void (*gone)(struct kt_watch *watch))
{
	pr_info_once("no process can register its tracepoints: this kernel is built without CONFIG_MMU_NOTIFIER\n");
	return ERR_PTR(-EOPNOTSUPP);
}

/* No watch exists. */
void kt_watch_remove(struct kt_watch *watch)
{
}

void kt_watch_remove_later(struct kt_watch *watch)
{
}

bool kt_watch_is_current(const struct kt_watch *watch)
{
	return false;
}

int kt_watch_init(void)
{
	return 0;
}

void kt_watch_exit(void)
{
}
#endif
