// SPDX-License-Identifier: GPL-2.0-only
/*
 * planted.c - mistakes that a kernel which looks for bugs must report: insmod ktplanted.ko kind=KIND makes one of them.
 *
 * A kernel that reports nothing of ktrace shows something only if it reports these.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

static char *kind = "";
module_param(kind, charp, 0444);

/* The compiler must not know what these are. */
static volatile int large = 64, unused_result;

static void bounds(void)
{
	volatile char *p = kmalloc(64, GFP_KERNEL);

	if (p)
		p[large] = 1;
	kfree((void *)p);
}

static void after_free(void)
{
	volatile char *p = kmalloc(64, GFP_KERNEL);

	kfree((void *)p);
	if (p)
		unused_result = p[8];
}

static void shift(void)
{
	unused_result = 1 << large;
}

static void leak(void)
{
	unused_result = !kmalloc(200, GFP_KERNEL);
}

static void locks(void)
{
	static DEFINE_MUTEX(a);
	static DEFINE_MUTEX(b);

	mutex_lock(&a);
	mutex_lock(&b);
	mutex_unlock(&b);
	mutex_unlock(&a);
	mutex_lock(&b);
	mutex_lock(&a);
	mutex_unlock(&a);
	mutex_unlock(&b);
}

static void rcu(void)
{
	static int __rcu *pointer;

	unused_result = !rcu_dereference(pointer);
}

static void sleeps(void)
{
	static DEFINE_SPINLOCK(lock);

	spin_lock(&lock);
	might_sleep();
	spin_unlock(&lock);
}

static void preempted(void)
{
	unused_result = smp_processor_id();
}

struct ticking {
	struct timer_list timer;
};

static void nothing(struct timer_list *timer)
{
}

static void objects(void)
{
	struct ticking *ticking = kmalloc(sizeof(*ticking), GFP_KERNEL);

	if (!ticking)
		return;
	timer_setup(&ticking->timer, nothing, 0);
	mod_timer(&ticking->timer, jiffies + 1000 * HZ);
	kfree(ticking);
}

static void lists(void)
{
	static LIST_HEAD(head);
	static struct list_head entry;

	list_add(&entry, &head);
	list_del(&entry);
	list_del(&entry);
}

static int shared;

static int counts(void *unused)
{
	while (!kthread_should_stop()) {
		shared++;
		cond_resched();
	}
	return 0;
}

static void race(void)
{
	struct task_struct *threads[] = { kthread_run(counts, NULL, "planted/0"), kthread_run(counts, NULL, "planted/1") };
	size_t i;

	msleep(5000);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		if (!IS_ERR(threads[i]))
			kthread_stop(threads[i]);
}

static void uninitialised(void)
{
	int *p = kmalloc(sizeof(*p), GFP_KERNEL);

	if (p && *p)
		unused_result = 1;
	kfree(p);
}

static const struct {
	const char *name;
	void (*make)(void);
} kinds[] = {
	{ "bounds", bounds }, { "after-free", after_free }, { "shift", shift }, { "leak", leak }, { "locks", locks }, { "rcu", rcu },
	{ "sleeps", sleeps }, { "preempted", preempted }, { "objects", objects }, { "lists", lists }, { "race", race },
	{ "uninitialised", uninitialised },
};

static int __init planted_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].name, kind))
			continue;
		pr_info("planted: %s\n", kind);
		kinds[i].make();
		return 0;
	}
	return -EINVAL;
}

static void __exit planted_exit(void)
{
}

module_init(planted_init);
module_exit(planted_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("mistakes that kernels which look for bugs must report");
