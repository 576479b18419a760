// SPDX-License-Identifier: GPL-2.0-or-later
/* task_rules.c - the options that choose the tasks of a recording.  See task_rules.h. */
#include "ctl/live/session/task_rules.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/base/number.h"

#define CGROUPS	"/sys/fs/cgroup/"

/* ---------------------------------------------------------------------- values */

typedef bool value_fn(const char *flag, const char *arg, uint64_t value[2], struct error *err);

static bool take_pid(const char *flag, const char *arg, uint64_t value[2], struct error *err)
{
	if (number_count(arg, &value[0]) == NUMBER_OK && value[0] && value[0] <= INT32_MAX)
		return true;
	return error_set(err, STATUS_USAGE, "%s %s: not an id: give a number from 1 on", flag, arg);
}

/* A number, or a name that `find` knows. */
static bool take_id(const char *flag, const char *arg, bool (*find)(const char *name, uint64_t *id), uint64_t *id,
		    struct error *err)
{
	const enum number_status status = number_count(arg, id);

	if (status == NUMBER_OK && *id < UINT32_MAX)
		return true;
	if (status == NUMBER_NONE && find(arg, id))
		return true;
	return error_set(err, STATUS_USAGE, "%s %s: unknown: give a name of this system, or a number", flag, arg);
}

static bool find_user(const char *name, uint64_t *id)
{
	const struct passwd *user = getpwnam(name);

	*id = user ? user->pw_uid : 0;
	return user;
}

static bool find_group(const char *name, uint64_t *id)
{
	const struct group *group = getgrnam(name);

	*id = group ? group->gr_gid : 0;
	return group;
}

static bool take_user(const char *flag, const char *arg, uint64_t value[2], struct error *err)
{
	return take_id(flag, arg, find_user, &value[0], err);
}

static bool take_group(const char *flag, const char *arg, uint64_t value[2], struct error *err)
{
	return take_id(flag, arg, find_group, &value[0], err);
}

static bool take_comm(const char *flag, const char *arg, uint64_t value[2], struct error *err)
{
	if (!*arg || strlen(arg) >= KT_COMM_BYTES)
		return error_set(err, STATUS_USAGE, "%s '%s': not a name of a task: it has 1 to %d characters", flag, arg,
				 KT_COMM_BYTES - 1);
	memcpy(value, arg, strlen(arg));
	return true;
}

/* The path of a directory, or a cgroup as systemd-cgls and /proc/PID/cgroup name it. */
static bool take_cgroup(const char *flag, const char *arg, uint64_t value[2], struct error *err)
{
	AUTO_FREE char *below = mem_printf(CGROUPS "%s", arg);
	int fd = open(below, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 && *arg == '/')
		fd = open(arg, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return error_set(err, STATUS_FAILURE, "%s %s: %s: give a directory below " CGROUPS, flag, arg, strerror(errno));
	value[0] = fd;
	return true;
}

static const struct kind {
	const char *flag;
	value_fn *take;
	uint32_t kind;
} kinds[] = {
	{ "--tid", take_pid, KT_TASK_PID },	     { "--pid", take_pid, KT_TASK_TGID },
	{ "--pgrp", take_pid, KT_TASK_PGRP },	     { "--session", take_pid, KT_TASK_SESSION },
	{ "--uid", take_user, KT_TASK_UID },	     { "--gid", take_group, KT_TASK_GID },
	{ "--comm", take_comm, KT_TASK_COMM },	     { "--cgroup", take_cgroup, KT_TASK_CGROUP },
};

static const struct kind *kind_of(const char *flag)
{
	const struct kind *kind = kinds;

	while (strcmp(kind->flag, flag))
		kind++;
	return kind;
}

bool task_rules_add(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err)
{
	const struct kind *kind = kind_of(flag->name);
	struct task_rules *rules = to;
	struct kt_task_rule rule = { .kind = kind->kind };
	char *text;

	if (rules->n == KT_MAX_TASK_RULES)
		return error_set(err, STATUS_USAGE, "%s %s: too many tasks are named: at most %d", flag->name, arg,
				 KT_MAX_TASK_RULES);
	if (!kind->take(flag->name, arg, (uint64_t *)rule.value, err))
		return false;
	rules->v = MEM_MORE(rules->v, rules->n);
	rules->v[rules->n++] = rule;
	text = mem_printf("%s%s%s %s", rules->text ? rules->text : "", rules->text ? " " : "", flag->name, arg);
	free(rules->text);
	rules->text = text;
	return true;
}

/* --------------------------------------------------------------------- sending */

static int by_kind(const void *a, const void *b)
{
	return (int)((const struct kt_task_rule *)a)->kind - (int)((const struct kt_task_rule *)b)->kind;
}

static bool is_missing(const struct kt_task_rule *rule)
{
	const pid_t id = rule->value[0];

	switch (rule->kind) {
	case KT_TASK_PID:
	case KT_TASK_TGID:
		return kill(id, 0) && errno == ESRCH;
	case KT_TASK_PGRP:
		return kill(-id, 0) && errno == ESRCH;
	case KT_TASK_SESSION:
		return getsid(id) < 0;
	}
	return false;
}

static const char *flag_of(const struct kt_task_rule *rule)
{
	const struct kind *kind = kinds;

	while (kind->kind != rule->kind)
		kind++;
	return kind->flag;
}

static bool explain(const struct task_rules *rules, int error, struct error *err)
{
	for (size_t i = 0; error == ESRCH && i < rules->n; i++)
		if (is_missing(&rules->v[i]))
			return error_set(err, STATUS_FAILURE, "%s %" PRIu64 ": there is none with that id: 'ps -e -o pid,pgid,sid,comm' lists them",
					 flag_of(&rules->v[i]), (uint64_t)rules->v[i].value[0]);
	if (error == EBADF)
		return error_set(err, STATUS_FAILURE, "%s: --cgroup: not a cgroup of version 2: give a directory below " CGROUPS,
				 rules->text);
	return error_set(err, STATUS_FAILURE, "%s: these tasks cannot be chosen: %s", rules->text, strerror(error));
}

bool task_rules_send(struct task_rules *rules, struct device *dev, struct error *err)
{
	int error;

	if (!rules->n)
		return true;
	qsort(rules->v, rules->n, sizeof(*rules->v), by_kind);
	error = device_tasks(dev, rules->v, rules->n, rules->children ? KT_TASKS_CHILDREN : 0);
	return !error || explain(rules, error, err);
}

void task_rules_free(struct task_rules *rules)
{
	for (size_t i = 0; i < rules->n; i++)
		if (rules->v[i].kind == KT_TASK_CGROUP)
			close(rules->v[i].value[0]);
	free(rules->v);
	free(rules->text);
	*rules = (struct task_rules){ 0 };
}
