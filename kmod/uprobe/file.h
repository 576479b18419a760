/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file.h - programs and libraries in which instructions are traced (KT_IOC_FILE, KT_SITE_USER).
 *
 * A file has a number as long as a client or a site uses it.  Two names of one inode are one file.
 */
#ifndef KTRACE_FILE_H
#define KTRACE_FILE_H

#include <linux/types.h>

#include "core/ktrace_abi.h"

struct inode;
struct kt_named_file;
struct kt_user_file;

/* The files that a client has named, each once. */
struct kt_file_set {
	struct kt_named_file *first;	/* a list */
};

/* KT_IOC_FILE; ktrace_abi.h has its errors.  The caller serialises calls for one set.  Sleepable. */
int kt_file_name(struct kt_file_set *set, struct kt_file *arg);
/* Forget all files of the set.  Sleepable. */
void kt_file_set_free(struct kt_file_set *set);

/* The file that an address names, with a reference; NULL: there is none.  Sleepable. */
struct kt_user_file *kt_file_get(u64 addr);
/* Drop a reference; NULL is allowed.  Sleepable. */
void kt_file_put(struct kt_user_file *file);

/* The inode whose pages processes map.  As long as the caller has a reference. */
struct inode *kt_file_inode(const struct kt_user_file *file);

/*
 * May the instruction of this request have a uprobe?  KT_REFUSE_NO_FILE, _NOT_CODE, _CHANGED (the file has other bytes
 * there), _NO_UPROBE (the instruction), _FILESYSTEM (the file cannot be read).  Whether an instruction begins there, only
 * the caller knows.  Reads the file: sleepable, no lock held.
 */
enum kt_refusal kt_file_check(const struct kt_site_req *req);
/* Will the kernel execute the instruction of this request, which was accepted, by a single step?  Else it emulates it. */
bool kt_file_is_stepped(const struct kt_site_req *req);

#endif
