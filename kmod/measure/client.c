// SPDX-License-Identifier: GPL-2.0-only
/* client.c - see client.h. */
#include <linux/err.h>

#include "kmod/base/ktrace.h"
#include "kmod/measure/aggregate.h"
#include "kmod/measure/client.h"
#include "kmod/measure/measurement.h"
#include "kmod/measure/own.h"
#include "kmod/measure/task_set.h"

int kt_client_init(struct kt_client *client)
{
	mutex_init(&client->lock);
	client->opener = kt_own_add_current();
	return PTR_ERR_OR_ZERO(client->opener);
}

void kt_client_release(struct kt_client *client)
{
	kt_measurement_client_gone(client);
	kt_aggregate_client_gone(client);
	kt_task_set_put(client->tasks);
	kt_file_set_free(&client->files);
	while (client->nr_named)
		kt_own_remove(client->named[--client->nr_named]);
	kt_own_remove(client->opener);
}

static bool has_named(const struct kt_client *client, const struct kt_own *own)
{
	u32 i;

	for (i = 0; i < client->nr_named; i++)
		if (client->named[i] == own)
			return true;
	return false;
}

/* Takes over `own`. */
static int name_own(struct kt_client *client, struct kt_own *own)
{
	const bool known = has_named(client, own), full = client->nr_named == KT_MAX_OWN;

	if (!known && !full)
		client->named[client->nr_named++] = own;
	else
		kt_own_remove(own);
	return known || !full ? 0 : -ENOSPC;
}

int kt_client_own(struct kt_client *client, const struct kt_own_req *arg)
{
	struct kt_own *own;
	int err;

	if (arg->flags)
		return -EOPNOTSUPP;
	if (arg->reserved)
		return -EINVAL;
	own = kt_own_add(arg->pid);
	if (IS_ERR(own))
		return PTR_ERR(own);
	mutex_lock(&client->lock);
	err = name_own(client, own);
	mutex_unlock(&client->lock);
	return err;
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

int kt_client_file(struct kt_client *client, struct kt_file *arg)
{
	int err;

	mutex_lock(&client->lock);
	err = kt_file_name(&client->files, arg);
	mutex_unlock(&client->lock);
	return err;
}
