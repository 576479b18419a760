// SPDX-License-Identifier: GPL-2.0-only
/*
 * files.c - KT_STATE_FILES: every open file of every table of open files.
 *
 * References to at most KT_STATE_BATCH files are taken at once, under the lock of the table.  Their paths are made
 * afterwards, without a lock.  (The kernel has functions that find the next open file, but each version has others.)
 */
#include <linux/bitops.h>
#include <linux/fcntl.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/clock.h"
#include "kmod/state/dump.h"

#define SPAN	65536	/* numbers looked at under one lock: the table of a process may be large and nearly empty */

static u64 table_of(const struct task_struct *task)
{
	return (unsigned long)READ_ONCE(task->files);
}

/* Under the lock of the table.  Returns the number of references; *at moves on. */
static u32 take_files(struct kt_file_ref *refs, struct files_struct *files, u64 *at)
{
	const struct fdtable *fdt = files_fdtable(files);
	unsigned long fd, end;
	struct file *file;
	u32 n = 0;

	if (*at >= fdt->max_fds) {
		*at = KT_WALK_DONE;
		return 0;
	}
	end = min_t(u64, fdt->max_fds, *at + SPAN);
	for (fd = find_next_bit(fdt->open_fds, end, *at); fd < end && n < KT_STATE_BATCH;
	     fd = find_next_bit(fdt->open_fds, end, fd + 1)) {
		/* A number is in use before its file is there. */
		file = rcu_dereference_check_fdtable(files, fdt->fd[fd]);
		if (file)
			refs[n++] = (struct kt_file_ref){ get_file(file), fd, test_bit(fd, fdt->close_on_exec) };
	}
	*at = fd;
	return n;
}

/* The same for a task; task_lock() protects task->files.  *table identifies the table. */
static u32 take(struct kt_file_ref *refs, struct task_struct *task, u64 *table, u64 *at)
{
	struct files_struct *files;
	u32 n = 0;

	task_lock(task);
	files = task->files;
	*table = (unsigned long)files;
	if (files) {
		spin_lock(&files->file_lock);
		n = take_files(refs, files, at);
		spin_unlock(&files->file_lock);
	} else {
		*at = KT_WALK_DONE;
	}
	task_unlock(task);
	return n;
}

static bool add(struct kt_dump *dump, struct kt_state_file *entry, const struct kt_file_ref *ref)
{
	const struct inode *inode = file_inode(ref->file);

	if (!kt_dump_fits(dump, sizeof(*entry) + KT_MAX_STATE_NAME))
		return false;
	entry->fd = ref->fd;
	entry->flags = (ref->file->f_flags & ~O_CLOEXEC) | (ref->cloexec ? O_CLOEXEC : 0);
	entry->mode = (__force u32)ref->file->f_mode;
	entry->inode = inode->i_ino;
	entry->dev = inode->i_sb->s_dev;
	kt_dump_add(dump, entry, sizeof(*entry), kt_dump_path(dump, &ref->file->f_path));
	return true;
}

static int read_batch(struct kt_dump *dump, struct task_struct *task)
{
	struct kt_walk *walk = &dump->walk;
	struct kt_state_file entry = {
		.head = { .pid = walk->pid, .time = kt_clock_now() }, .tgid = task_tgid_nr(task),
	};
	u64 next = walk->at;
	const u32 n = take(dump->files, task, &entry.table, &next);
	u32 added = 0, i;

	while (added < n && add(dump, &entry, &dump->files[added]))
		added++;
	walk->at = added < n ? dump->files[added].fd : next;
	for (i = 0; i < n; i++)
		fput(dump->files[i].file);
	return added < n ? -EAGAIN : 0;
}

int kt_state_files(struct kt_dump *dump)
{
	return kt_walk_objects(dump, table_of, read_batch);
}
