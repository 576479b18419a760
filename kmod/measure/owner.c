// SPDX-License-Identifier: GPL-2.0-only
/* owner.c - see owner.h. */
#include <linux/errno.h>

#include "kmod/base/ktrace.h"
#include "kmod/measure/meter.h"
#include "kmod/measure/owner.h"
#include "kmod/measure/process_tree.h"

void kt_owner_init(struct kt_owner *owner)
{
	mutex_init(&owner->lock);
}

void kt_owner_release(struct kt_owner *owner)
{
	kt_meter_disown(owner);
	kt_process_tree_put(owner->tree);
}

int kt_owner_process_tree(struct kt_owner *owner, struct kt_process_tree_add *arg)
{
	int err = 0;

	if (arg->flags & ~KT_PROCESS_TREE_AT_EXEC)
		return -EOPNOTSUPP;
	if (arg->reserved)
		return -EINVAL;
	mutex_lock(&owner->lock);
	if (!owner->tree)
		err = kt_process_tree_create(&owner->tree);
	if (!err)
		err = kt_process_tree_add(owner->tree, arg->pid, arg->flags & KT_PROCESS_TREE_AT_EXEC);
	mutex_unlock(&owner->lock);
	return err;
}
