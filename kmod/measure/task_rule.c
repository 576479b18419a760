// SPDX-License-Identifier: GPL-2.0-only
/* task_rule.c - see task_rule.h. */
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/base/ktrace.h"
#include "kmod/measure/task_rule.h"

/* -------------------------------------------------------------------- in a hit */

/* 0: the task is being released, and has left its process group and session. */
static u32 group_of(const struct task_struct *task, enum pid_type type)
{
	const struct pid *pid = READ_ONCE(task->signal->pids[type]);

	return pid ? pid->numbers[0].nr : 0;
}
NOKPROBE_SYMBOL(group_of);

/* Compare until the end of the name: bytes of a longer name may follow it. */
static bool has_comm(const struct task_struct *task, const char *comm)
{
	u32 i;

	BUILD_BUG_ON(TASK_COMM_LEN != KT_COMM_BYTES);
	for (i = 0; i < KT_COMM_BYTES && task->comm[i] == comm[i]; i++)
		if (!comm[i])
			return true;
	return i == KT_COMM_BYTES;
}
NOKPROBE_SYMBOL(has_comm);

static bool in_cgroup(const struct task_struct *task, struct cgroup *cgroup)
{
#ifdef CONFIG_CGROUPS
	return cgroup_is_descendant(rcu_dereference_raw(task->cgroups)->dfl_cgrp, cgroup);
#else
	return false;
#endif
}
NOKPROBE_SYMBOL(in_cgroup);

static bool fits(const struct kt_rule *rule, const struct task_struct *task)
{
	switch ((enum kt_task_kind)rule->kind) {
	case KT_TASK_PID:	return (u32)task->pid == rule->value;
	case KT_TASK_TGID:	return (u32)task->tgid == rule->value;
	case KT_TASK_PGRP:	return group_of(task, PIDTYPE_PGID) == rule->value;
	case KT_TASK_SESSION:	return group_of(task, PIDTYPE_SID) == rule->value;
	case KT_TASK_UID:	return __kuid_val(rcu_dereference_raw(task->real_cred)->uid) == rule->value;
	case KT_TASK_GID:	return __kgid_val(rcu_dereference_raw(task->real_cred)->gid) == rule->value;
	case KT_TASK_COMM:	return has_comm(task, rule->comm);
	case KT_TASK_CGROUP:	return in_cgroup(task, rule->cgroup);
	case KT_NR_TASK_KINDS:	break;
	}
	return false;
}
NOKPROBE_SYMBOL(fits);

bool kt_task_set_fits(const struct kt_task_set *set, const struct task_struct *task)
{
	const struct kt_rule *rule = set->rules, *end = rule + set->nr_rules;

	/* The idle tasks are no processes, although they have the ids of root. */
	if (!task->pid)
		return false;
	while (rule < end) {
		const u32 kind = rule->kind;
		bool one = false;

		for (; rule < end && rule->kind == kind; rule++)
			one = one || fits(rule, task);
		if (!one)
			return false;
	}
	return true;
}
NOKPROBE_SYMBOL(kt_task_set_fits);

/* ------------------------------------------------------------------ translation */

/* From an id in the caller's pid namespace to that of the initial one. */
static int take_pid(struct kt_rule *rule, u64 number)
{
	struct pid *pid = number <= PID_MAX_LIMIT ? find_get_pid(number) : NULL;

	if (!pid)
		return -ESRCH;
	rule->value = pid_nr(pid);
	put_pid(pid);
	return rule->value ? 0 : -ESRCH;
}

static int take_id(struct kt_rule *rule, u64 number)
{
	rule->value = number;
	return number < U32_MAX ? 0 : -EINVAL;
}

static int take_comm(struct kt_rule *rule, const char *comm)
{
	const size_t len = strnlen(comm, KT_COMM_BYTES);

	if (!len || len == KT_COMM_BYTES || memchr_inv(comm + len, 0, KT_COMM_BYTES - len))
		return -EINVAL;
	memcpy(rule->comm, comm, KT_COMM_BYTES);
	return 0;
}

static int take_cgroup(struct kt_rule *rule, u64 fd)
{
#ifdef CONFIG_CGROUPS
	struct cgroup *cgroup = fd <= INT_MAX ? cgroup_get_from_fd(fd) : ERR_PTR(-EBADF);

	if (IS_ERR(cgroup))
		return PTR_ERR(cgroup);
	rule->cgroup = cgroup;
	return 0;
#else
	return -EOPNOTSUPP;
#endif
}

static int take(struct kt_rule *rule, const struct kt_task_rule *from)
{
	if (from->reserved || (from->kind != KT_TASK_COMM && from->value[1]))
		return -EINVAL;
	rule->kind = from->kind;
	switch (from->kind) {
	case KT_TASK_PID:
	case KT_TASK_TGID:
	case KT_TASK_PGRP:
	case KT_TASK_SESSION:
		return take_pid(rule, from->value[0]);
	case KT_TASK_UID:
	case KT_TASK_GID:
		return take_id(rule, from->value[0]);
	case KT_TASK_COMM:
		return take_comm(rule, (const char *)from->value);
	case KT_TASK_CGROUP:
		return take_cgroup(rule, from->value[0]);
	}
	return -EINVAL;
}

static int take_all(const struct kt_tasks *arg, const struct kt_task_rule *from, struct kt_rule *rules, u32 *taken)
{
	int err;

	for (; *taken < arg->nr; ++*taken) {
		if (*taken && from[*taken].kind < from[*taken - 1].kind)
			return -EINVAL;
		err = take(&rules[*taken], &from[*taken]);
		if (err)
			return err;
	}
	return 0;
}

int kt_rules_copy(const struct kt_tasks *arg, struct kt_rule **out)
{
	const size_t bytes = arg->nr * sizeof(struct kt_task_rule);
	struct kt_task_rule *from;
	struct kt_rule *rules;
	u32 taken = 0;
	int err;

	from = memdup_user(u64_to_user_ptr(arg->rules), bytes);
	if (IS_ERR(from))
		return PTR_ERR(from);
	rules = kcalloc(arg->nr, sizeof(*rules), GFP_KERNEL);
	err = rules ? take_all(arg, from, rules, &taken) : -ENOMEM;
	kfree(from);
	if (err)
		kt_rules_free(rules, taken);
	else
		*out = rules;
	return err;
}

void kt_rules_free(struct kt_rule *rules, u32 nr)
{
#ifdef CONFIG_CGROUPS
	u32 i;

	for (i = 0; i < nr; i++)
		if (rules[i].kind == KT_TASK_CGROUP)
			cgroup_put(rules[i].cgroup);
#endif
	kfree(rules);
}
