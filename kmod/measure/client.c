// SPDX-License-Identifier: GPL-2.0-only
/* client.c - see client.h. */
#include <linux/errno.h>

#include "kmod/base/ktrace.h"
#include "kmod/measure/client.h"
#include "kmod/measure/measurement.h"
#include "kmod/measure/process_tree.h"

void kt_client_init(struct kt_client *client)
{
	mutex_init(&client->lock);
}

void kt_client_release(struct kt_client *client)
{
	kt_measurement_client_gone(client);
	kt_process_tree_put(client->tree);
}

int kt_client_process_tree(struct kt_client *client, struct kt_process_tree_add *arg)
{
	int err = 0;

	if (arg->flags & ~KT_PROCESS_TREE_AT_EXEC)
		return -EOPNOTSUPP;
	if (arg->reserved)
		return -EINVAL;
	mutex_lock(&client->lock);
	if (!client->tree)
		err = kt_process_tree_create(&client->tree);
	if (!err)
		err = kt_process_tree_add(client->tree, arg->pid, arg->flags & KT_PROCESS_TREE_AT_EXEC);
	mutex_unlock(&client->lock);
	return err;
}
