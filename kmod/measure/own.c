// SPDX-License-Identifier: GPL-2.0-only
/* own.c - see own.h. */
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "kmod/base/ktrace.h"
#include "kmod/measure/own.h"

struct kt_own {
	struct list_head list;
	struct pid *pid;		/* a reference */
	unsigned int users;
	struct rcu_head rcu;
};

u16 kt_own_ids[KT_OWN_COUNTS];

static DEFINE_MUTEX(own_lock);		/* protects the list and the table */
static LIST_HEAD(owns);

/* -------------------------------------------------------------------- in a hit */

/* A task that is being released has no process id any more. */
bool kt_own_is_current(void)
{
	const struct pid *pid = READ_ONCE(current->signal->pids[PIDTYPE_TGID]);
	const struct kt_own *own;

	list_for_each_entry_lockless(own, &owns, list)
		if (own->pid == pid)
			return true;
	return false;
}
NOKPROBE_SYMBOL(kt_own_is_current);

/* -------------------------------------------------------------- add and remove */

static u16 *count_of(const struct kt_own *own)
{
	return &kt_own_ids[(u32)own->pid->numbers[0].nr % KT_OWN_COUNTS];
}

static struct kt_own *find(const struct pid *pid)
{
	struct kt_own *own;

	list_for_each_entry(own, &owns, list)
		if (own->pid == pid)
			return own;
	return NULL;
}

/* Takes the reference to pid, also if it fails. */
static struct kt_own *add(struct pid *pid)
{
	struct kt_own *own;

	mutex_lock(&own_lock);
	own = find(pid);
	if (own) {
		own->users++;
		put_pid(pid);
		goto out;
	}
	own = kzalloc(sizeof(*own), GFP_KERNEL);
	if (!own) {
		put_pid(pid);
		own = ERR_PTR(-ENOMEM);
		goto out;
	}
	own->pid = pid;
	own->users = 1;
	/* The list first: a hit that the table sends there finds the process. */
	list_add_rcu(&own->list, &owns);
	smp_store_release(count_of(own), *count_of(own) + 1);
out:
	mutex_unlock(&own_lock);
	return own;
}

struct kt_own *kt_own_add_current(void)
{
	return add(get_pid(task_tgid(current)));
}

struct kt_own *kt_own_add(pid_t tgid)
{
	struct pid *pid = find_get_pid(tgid);
	bool leads;

	if (!pid)
		return ERR_PTR(-ESRCH);
	rcu_read_lock();
	leads = pid_task(pid, PIDTYPE_TGID);
	rcu_read_unlock();
	if (!leads) {
		put_pid(pid);
		return ERR_PTR(-ESRCH);
	}
	return add(pid);
}

static void free_later(struct rcu_head *rcu)
{
	struct kt_own *own = container_of(rcu, struct kt_own, rcu);

	put_pid(own->pid);
	kfree(own);
}

void kt_own_remove(struct kt_own *own)
{
	mutex_lock(&own_lock);
	if (!--own->users) {
		WRITE_ONCE(*count_of(own), *count_of(own) - 1);
		list_del_rcu(&own->list);
		call_rcu(&own->rcu, free_later);
	}
	mutex_unlock(&own_lock);
}

void kt_own_exit(void)
{
	rcu_barrier();
}
