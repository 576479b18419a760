// SPDX-License-Identifier: GPL-2.0-only
/*
 * evq.c - an event queue with a mistake, for docs/hunting.md: evq_write() is slow now and then.
 *
 * The mistake: evq_wait() leaves its waiter in the list when it refuses a kind.  So the list grows, and an event for
 * all waiters goes through all of it.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>

#define KINDS		8
#define FOR_ALL		0	/* the kind that all waiters get */
#define LONGEST		20000	/* the mistake must not fill the memory */

struct waiter {
	struct list_head node;
	unsigned int kind;
	bool woken;
};

struct evq {
	struct mutex lock;
	struct list_head waiters;
	unsigned int length;
	unsigned long events[KINDS];
};

static struct evq queue = { .lock = __MUTEX_INITIALIZER(queue.lock), .waiters = LIST_HEAD_INIT(queue.waiters) };
static struct task_struct *threads[2];

static __attribute__((noipa)) int evq_write(struct evq *q, unsigned int kind)
{
	struct waiter *w;
	int woken = 0;

	if (kind >= KINDS)
		return -EINVAL;
	mutex_lock(&q->lock);
	q->events[kind]++;
	if (kind == FOR_ALL) {
		list_for_each_entry(w, &q->waiters, node) {
			WRITE_ONCE(w->woken, true);
			woken++;
		}
	}
	mutex_unlock(&q->lock);
	return woken;
}

static __attribute__((noipa)) int evq_wait(struct evq *q, unsigned int kind)
{
	struct waiter *w = kzalloc(sizeof(*w), GFP_KERNEL);

	if (!w)
		return -ENOMEM;
	w->kind = kind;
	mutex_lock(&q->lock);
	list_add_tail(&w->node, &q->waiters);
	q->length++;
	mutex_unlock(&q->lock);
	if (kind >= KINDS && q->length < LONGEST)
		return -EINVAL;
	usleep_range(50, 100);
	mutex_lock(&q->lock);
	list_del(&w->node);
	q->length--;
	mutex_unlock(&q->lock);
	kfree(w);
	return 0;
}

static int writer(void *unused)
{
	unsigned int i;

	for (i = 0; !kthread_should_stop(); i++) {
		evq_write(&queue, i % 100 ? 1 + i % (KINDS - 1) : FOR_ALL);
		usleep_range(200, 300);
	}
	return 0;
}

static int reader(void *unused)
{
	unsigned int i;

	for (i = 0; !kthread_should_stop(); i++) {
		evq_wait(&queue, i % 2 ? KINDS : i % KINDS);
		usleep_range(50, 100);
	}
	return 0;
}

static int __init evq_init(void)
{
	threads[0] = kthread_run(writer, NULL, "evq-writer");
	if (IS_ERR(threads[0]))
		return PTR_ERR(threads[0]);
	threads[1] = kthread_run(reader, NULL, "evq-reader");
	if (!IS_ERR(threads[1]))
		return 0;
	kthread_stop(threads[0]);
	return PTR_ERR(threads[1]);
}
module_init(evq_init);

static void __exit evq_exit(void)
{
	struct waiter *w, *next;

	kthread_stop(threads[0]);
	kthread_stop(threads[1]);
	list_for_each_entry_safe(w, next, &queue.waiters, node)
		kfree(w);
}
module_exit(evq_exit);

MODULE_DESCRIPTION("An event queue with a mistake");
MODULE_LICENSE("GPL");
