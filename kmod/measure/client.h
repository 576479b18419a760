/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * client.h - a client is an open file of /dev/ktrace.  Its measurements, set of tasks and tracepoints are removed when
 * the file is closed, also when its last process is killed.
 */
#ifndef KTRACE_CLIENT_H
#define KTRACE_CLIENT_H

#include <linux/mutex.h>

#include "core/ktrace_abi.h"
#include "kmod/uprobe/file.h"

struct kt_own;
struct kt_task_set;
struct recording;

struct kt_client {
	struct mutex lock;		/* protects tasks, files and named */
	struct kt_task_set *tasks;	/* NULL: the client did not ask for one */
	struct kt_file_set files;	/* KT_IOC_FILE */
	struct kt_own *opener;		/* the process that opened the file */
	struct kt_own *named[KT_MAX_OWN];	/* KT_IOC_OWN; [nr_named] */
	u32 nr_named;
	struct recording *recording;	/* NULL: it has no rings of its own; set once, see recordings.h */
	bool has_sites;			/* it has set tracepoints; set under kt_change_lock */
};

/* The current process opens the file.  -ENOMEM.  Sleepable. */
int kt_client_init(struct kt_client *client);
/*
 * The file is closed: release its measurements, its set of tasks and its own processes.  kt_table_client_gone() has removed its
 * tracepoints.  Sleepable.
 */
void kt_client_release(struct kt_client *client);

/* KT_IOC_PROCESS_TREE; ktrace_abi.h has its errors.  Sleepable. */
int kt_client_process_tree(struct kt_client *client, struct kt_process_tree_add *arg);

/* KT_IOC_OWN; ktrace_abi.h has its errors.  Sleepable. */
int kt_client_own(struct kt_client *client, const struct kt_own_req *arg);

/* KT_IOC_TASKS; ktrace_abi.h has its errors.  Sleepable. */
int kt_client_tasks(struct kt_client *client, const struct kt_tasks *arg);

/* KT_IOC_FILE; ktrace_abi.h has its errors.  Sleepable. */
int kt_client_file(struct kt_client *client, struct kt_file *arg);

#endif
