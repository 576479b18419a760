/* SPDX-License-Identifier: GPL-2.0-only */
/* client.h - what an open file owns: it goes when the file is closed, however its last process ends. */
#ifndef KTRACE_CLIENT_H
#define KTRACE_CLIENT_H

#include <linux/mutex.h>

#include "core/ktrace_abi.h"

struct kt_process_tree;

struct kt_client {
	struct mutex lock;		/* tree */
	struct kt_process_tree *tree;	/* NULL: none was asked for */
	bool has_sites;			/* some were set; under kt_change_lock */
};

void kt_client_init(struct kt_client *client);
/* Nobody uses the file any more: its measurements and its tree go; its sites are the table's.  Sleepable. */
void kt_client_release(struct kt_client *client);

/* KT_IOC_PROCESS_TREE: its errors, see ktrace_abi.h.  Sleepable. */
int kt_client_process_tree(struct kt_client *client, struct kt_process_tree_add *arg);

#endif
