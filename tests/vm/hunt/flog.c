// SPDX-License-Identifier: GPL-2.0-only
/*
 * flog.c - a log with a mistake, for docs/hunting.md: now and then writing a line takes 20 ms.
 *
 * The mistake: flog_flush() waits for its disk while it holds the lock that flog_write() needs.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>

struct flog {
	struct mutex lock;
	unsigned int lines, flushed;
};

static struct flog log;
static struct task_struct *threads[2];

static __attribute__((noipa)) void flog_write(struct flog *l)
{
	mutex_lock(&l->lock);
	l->lines++;
	mutex_unlock(&l->lock);
}

static __attribute__((noipa)) void flog_flush(struct flog *l)
{
	mutex_lock(&l->lock);
	l->flushed = l->lines;
	usleep_range(20000, 21000);
	mutex_unlock(&l->lock);
}

static int writer(void *unused)
{
	while (!kthread_should_stop()) {
		flog_write(&log);
		usleep_range(500, 1000);
	}
	return 0;
}

static int flusher(void *unused)
{
	while (!kthread_should_stop()) {
		flog_flush(&log);
		usleep_range(100000, 110000);
	}
	return 0;
}

static int __init flog_init(void)
{
	mutex_init(&log.lock);
	threads[0] = kthread_run(writer, NULL, "flog-writer");
	if (IS_ERR(threads[0]))
		return PTR_ERR(threads[0]);
	threads[1] = kthread_run(flusher, NULL, "flog-flusher");
	if (!IS_ERR(threads[1]))
		return 0;
	kthread_stop(threads[0]);
	return PTR_ERR(threads[1]);
}
module_init(flog_init);

static void __exit flog_exit(void)
{
	kthread_stop(threads[0]);
	kthread_stop(threads[1]);
}
module_exit(flog_exit);

MODULE_DESCRIPTION("A log with a mistake");
MODULE_LICENSE("GPL");
