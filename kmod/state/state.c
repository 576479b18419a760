// SPDX-License-Identifier: GPL-2.0-only
/* state.c - see state.h. */
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "kmod/base/ktrace.h"
#include "kmod/state/dump.h"
#include "kmod/state/state.h"

typedef int (*kind_fn)(struct kt_dump *dump);

static const kind_fn kinds[KT_NR_STATES] = {
	[KT_STATE_TASKS] = kt_state_tasks,
	[KT_STATE_PIDS] = kt_state_pids,
	[KT_STATE_FILES] = kt_state_files,
	[KT_STATE_MAPS] = kt_state_maps,
	[KT_STATE_END] = kt_state_end,
};

static int check(const struct kt_state *arg)
{
	if (arg->flags || arg->kind >= KT_NR_STATES)
		return -EOPNOTSUPP;
	return arg->reserved || arg->room < KT_MIN_STATE_ROOM ? -EINVAL : 0;
}

/* Read the next part, and copy it when no lock and no reference is held any more. */
static int read_part(struct kt_state *arg, struct kt_dump *dump)
{
	const kind_fn read = kinds[array_index_nospec(arg->kind, KT_NR_STATES)];
	const int err = read(dump);

	if (err && err != -EAGAIN)
		return err;
	if (copy_to_user(u64_to_user_ptr(arg->buf), dump->buf, dump->len))
		return -EFAULT;
	memcpy(arg->cursor, &dump->walk, sizeof(arg->cursor));
	arg->len = dump->len;
	arg->nr = dump->nr;
	arg->done = !err;
	return 0;
}

int kt_state_get(struct kt_state *arg)
{
	const u32 room = min_t(u32, arg->room, KT_MAX_STATE_ROOM);
	struct kt_dump *dump;
	int err;

	BUILD_BUG_ON(sizeof(arg->cursor) != sizeof(dump->walk));
	arg->len = arg->nr = arg->done = 0;
	err = check(arg);
	if (err)
		return err;
	dump = kvcalloc(1, sizeof(*dump) + room, GFP_KERNEL);
	if (!dump)
		return -ENOMEM;
	dump->room = room;
	memcpy(&dump->walk, arg->cursor, sizeof(dump->walk));
	err = read_part(arg, dump);
	kvfree(dump);
	return err;
}
