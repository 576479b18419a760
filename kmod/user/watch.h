/* SPDX-License-Identifier: GPL-2.0-only */
/* watch.h - learn of the end of a process' memory: at exit, exec or kill. */
#ifndef KTRACE_WATCH_H
#define KTRACE_WATCH_H

#include <linux/mmu_notifier.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct kt_watch {
	void *owner;			/* the caller's */
	void (*gone)(struct kt_watch *watch);
#ifdef CONFIG_MMU_NOTIFIER
	struct mmu_interval_notifier notifier;
#endif
	struct work_struct removal;
};

/*
 * Watch the memory of the current process.  gone() is called once, when no thread has it any more; it may sleep.  Returns an
 * ERR_PTR if it fails: -EOPNOTSUPP if the kernel tells nobody of that (CONFIG_MMU_NOTIFIER).  Sleepable.
 */
struct kt_watch *kt_watch_new(void (*gone)(struct kt_watch *watch));
/* Ends it, and frees it.  Waits for a gone() that runs. */
void kt_watch_remove(struct kt_watch *watch);
/* The same for gone() itself: when it has returned. */
void kt_watch_remove_later(struct kt_watch *watch);
bool kt_watch_is_current(const struct kt_watch *watch);

int kt_watch_init(void);
/* No watch is left.  Waits for those that are removed later. */
void kt_watch_exit(void);

#endif
