/* SPDX-License-Identifier: GPL-2.0-only */
/* owner.h - what an open file owns: it goes when the file is closed, however its last process ends. */
#ifndef KTRACE_OWNER_H
#define KTRACE_OWNER_H

#include <linux/mutex.h>

#include "core/ktrace_abi.h"

struct kt_process_tree;

struct kt_owner {
	struct mutex lock;		/* tree */
	struct kt_process_tree *tree;	/* NULL: none was asked for */
	bool has_sites;			/* some were set; under kt_change_lock */
};

void kt_owner_init(struct kt_owner *owner);
/* Nobody uses the file any more: its measurements and its tree go; its sites are the table's.  Sleepable. */
void kt_owner_release(struct kt_owner *owner);

/* KT_IOC_PROCESS_TREE: its errors, see ktrace_abi.h.  Sleepable. */
int kt_owner_process_tree(struct kt_owner *owner, struct kt_process_tree_add *arg);

#endif
