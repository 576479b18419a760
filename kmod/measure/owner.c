// SPDX-License-Identifier: GPL-2.0-only
/* owner.c - see owner.h. */
#include <linux/errno.h>

#include "kmod/base/ktrace.h"
#include "kmod/measure/family.h"
#include "kmod/measure/meter.h"
#include "kmod/measure/owner.h"

void kt_owner_init(struct kt_owner *owner)
{
	mutex_init(&owner->lock);
}

void kt_owner_release(struct kt_owner *owner)
{
	kt_meter_disown(owner);
	kt_family_put(owner->family);
}

int kt_owner_family(struct kt_owner *owner, struct kt_family_add *arg)
{
	int err = 0;

	if (arg->flags & ~KT_FAMILY_AT_EXEC)
		return -EOPNOTSUPP;
	if (arg->reserved)
		return -EINVAL;
	mutex_lock(&owner->lock);
	if (!owner->family)
		err = kt_family_create(&owner->family);
	if (!err)
		err = kt_family_add(owner->family, arg->pid, arg->flags & KT_FAMILY_AT_EXEC);
	mutex_unlock(&owner->lock);
	return err;
}
