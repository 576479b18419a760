// SPDX-License-Identifier: GPL-2.0-only
/*
 * mbox.c - a mailbox with a mistake, for docs/hunting.md: now and then a letter is fetched a second late.
 *
 * The mistake: mbox_fetch() says that it waits after it has looked for a letter.  A letter that comes in between wakes
 * nobody.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>

struct mbox {
	struct task_struct *reader;
	bool waiting;
	int letter;		/* 0: none */
	unsigned int fetched;
};

static struct mbox box;
static struct task_struct *threads[2];

static __attribute__((noipa)) int mbox_post(struct mbox *m, int letter)
{
	WRITE_ONCE(m->letter, letter);
	smp_mb();
	if (!READ_ONCE(m->waiting))
		return 0;
	wake_up_process(m->reader);
	return 1;
}

static __attribute__((noipa)) int mbox_fetch(struct mbox *m)
{
	int letter = xchg(&m->letter, 0);

	if (letter)
		return letter;
	usleep_range(20, 50);
	set_current_state(TASK_INTERRUPTIBLE);
	WRITE_ONCE(m->waiting, true);
	schedule_timeout(HZ);
	WRITE_ONCE(m->waiting, false);
	return xchg(&m->letter, 0);
}

static int fetcher(void *unused)
{
	while (!kthread_should_stop())
		box.fetched += !!mbox_fetch(&box);
	return 0;
}

static int poster(void *unused)
{
	int i;

	for (i = 1; !kthread_should_stop(); i++) {
		mbox_post(&box, i);
		do
			usleep_range(300, 900);
		while (READ_ONCE(box.letter) && !kthread_should_stop());
	}
	return 0;
}

static int __init mbox_init(void)
{
	threads[0] = kthread_create(fetcher, NULL, "mbox-fetcher");
	if (IS_ERR(threads[0]))
		return PTR_ERR(threads[0]);
	box.reader = threads[0];
	threads[1] = kthread_run(poster, NULL, "mbox-poster");
	if (IS_ERR(threads[1])) {
		kthread_stop(threads[0]);
		return PTR_ERR(threads[1]);
	}
	wake_up_process(threads[0]);
	return 0;
}
module_init(mbox_init);

static void __exit mbox_exit(void)
{
	kthread_stop(threads[1]);
	kthread_stop(threads[0]);
}
module_exit(mbox_exit);

MODULE_DESCRIPTION("A mailbox with a mistake");
MODULE_LICENSE("GPL");
