// SPDX-License-Identifier: GPL-2.0-only
/* client.c - see client.h. */
#include <linux/errno.h>

#include "kmod/base/ktrace.h"
#include "kmod/measure/client.h"
#include "kmod/measure/measurement.h"
#include "kmod/measure/task_set.h"

void kt_client_init(struct kt_client *client)
{
	mutex_init(&client->lock);
}

void kt_client_release(struct kt_client *client)
{
	kt_measurement_client_gone(client);
	kt_task_set_put(client->tasks);
}

int kt_client_process_tree(struct kt_client *client, struct kt_process_tree_add *arg)
{
	int err = 0;

	if (arg->flags & ~KT_PROCESS_TREE_AT_EXEC)
		return -EOPNOTSUPP;
	if (arg->reserved)
		return -EINVAL;
	mutex_lock(&client->lock);
	if (!client->tasks)
		err = kt_task_set_create(&client->tasks);
	if (!err)
		err = kt_task_set_add(client->tasks, arg->pid, arg->flags & KT_PROCESS_TREE_AT_EXEC);
	mutex_unlock(&client->lock);
	return err;
}

int kt_client_tasks(struct kt_client *client, const struct kt_tasks *arg)
{
	int err;

	if (arg->flags & ~KT_TASKS_CHILDREN)
		return -EOPNOTSUPP;
	if (arg->reserved || !arg->nr || arg->nr > KT_MAX_TASK_RULES)
		return -EINVAL;
	mutex_lock(&client->lock);
	err = client->tasks ? -EBUSY : kt_task_set_of_rules(arg, &client->tasks);
	mutex_unlock(&client->lock);
	return err;
}
