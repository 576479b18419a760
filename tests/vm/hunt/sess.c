// SPDX-License-Identifier: GPL-2.0-only
/*
 * sess.c - sessions with a mistake, for docs/hunting.md: some are never freed.
 *
 * The mistake: sess_reset() keeps its reference if the session is busy.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/refcount.h>
#include <linux/slab.h>

#define SESSIONS	4

struct sess {
	refcount_t refs;
	unsigned int number;
	unsigned int uses;
	bool busy;
};

static struct sess *sessions[SESSIONS];
static struct task_struct *thread;

static __always_inline struct sess *sess_get(struct sess *s)
{
	refcount_inc(&s->refs);
	return s;
}

static __always_inline void sess_put(struct sess *s)
{
	if (refcount_dec_and_test(&s->refs))
		kfree(s);
}

static __attribute__((noipa)) int sess_stat(unsigned int number)
{
	struct sess *s = sess_get(sessions[number]);
	const int uses = READ_ONCE(s->uses);

	sess_put(s);
	return uses;
}

static __attribute__((noipa)) int sess_use(unsigned int number, bool busy)
{
	struct sess *s = sess_get(sessions[number]);

	WRITE_ONCE(s->uses, s->uses + 1);
	WRITE_ONCE(s->busy, busy);
	sess_put(s);
	return 0;
}

static __attribute__((noipa)) int sess_reset(unsigned int number)
{
	struct sess *s = sess_get(sessions[number]);

	if (READ_ONCE(s->busy))
		return -EBUSY;
	WRITE_ONCE(s->uses, 0);
	sess_put(s);
	return 0;
}

static int user(void *unused)
{
	unsigned int i;

	for (i = 0; !kthread_should_stop(); i++) {
		sess_use(i % SESSIONS, i % 50 == 0);
		sess_stat(i % SESSIONS);
		if (i % 10 == 0)
			sess_reset(i % SESSIONS);
		usleep_range(200, 400);
	}
	return 0;
}

static void free_sessions(void)
{
	unsigned int i;

	for (i = 0; i < SESSIONS; i++)
		kfree(sessions[i]);
}

static int __init sess_init(void)
{
	unsigned int i;

	for (i = 0; i < SESSIONS; i++) {
		sessions[i] = kzalloc(sizeof(*sessions[i]), GFP_KERNEL);
		if (!sessions[i])
			goto no_memory;
		sessions[i]->number = i;
		refcount_set(&sessions[i]->refs, 1);
	}
	thread = kthread_run(user, NULL, "sess-user");
	if (!IS_ERR(thread))
		return 0;
	free_sessions();
	return PTR_ERR(thread);

no_memory:
	free_sessions();
	return -ENOMEM;
}
module_init(sess_init);

static void __exit sess_exit(void)
{
	kthread_stop(thread);
	free_sessions();
}
module_exit(sess_exit);

MODULE_DESCRIPTION("Sessions with a mistake");
MODULE_LICENSE("GPL");
