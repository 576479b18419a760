/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dump.h - what the kinds of state share: the buffer of one call, and the walk over all tasks.
 *
 * Each kind is a function int read(struct kt_dump *dump): it adds entries and moves the walk on.
 *   0		there are no more entries
 *   -EAGAIN	there may be more: the next call continues
 *   -EINTR	the caller was killed
 *   -ENOMEM
 * Such a function is sleepable, and holds no lock and no reference when it returns.
 */
#ifndef KTRACE_STATE_DUMP_H
#define KTRACE_STATE_DUMP_H

#include <linux/path.h>
#include <linux/types.h>

#include "core/ktrace_abi.h"

struct file;
struct task_struct;

/* How many files or mappings are looked at under one lock. */
#define KT_STATE_BATCH	64

#define KT_WALK_DONE	(~0ULL)

/*
 * kt_state.cursor: the walk goes over all tasks, by rising id.  User space may change it, so its contents are used only
 * as numbers to search from and to compare with.
 */
struct kt_walk {
	u64 pid;		/* all tasks with smaller ids are done */
	u64 tgid;		/* the object that the walk met last: the process it was met in, */
	u64 object;		/* and its address; 0: none */
	u64 at;			/* position in this object, or KT_WALK_DONE */
};

struct kt_file_ref {
	struct file *file;	/* a reference */
	u32 fd;
	bool cloexec;
};

struct kt_map_ref {
	struct file *file;	/* a reference, or NULL */
	u64 start, end, offset, flags;
	char name[24];		/* where there is no file */
};

struct kt_dump {
	struct kt_walk walk;
	u32 room, len, nr;	/* of buf: bytes, bytes used, entries */
	union {
		struct kt_file_ref files[KT_STATE_BATCH];
		struct kt_map_ref maps[KT_STATE_BATCH];
	};
	char path[KT_MAX_STATE_NAME];
	u8 buf[] __aligned(8);	/* zeroed */
};

/* Is there room for so many bytes?  Any context, as for the next two. */
static inline bool kt_dump_fits(const struct kt_dump *dump, size_t bytes)
{
	return bytes <= dump->room - dump->len;
}

/* Add an entry: the fields, and the name behind them (NULL: this kind has no name).  There is room for it. */
void kt_dump_add(struct kt_dump *dump, const void *fields, size_t size, const char *name);

/* The path of an open file as /proc shows it to the caller, in dump->path; "": it is too long.  Task context. */
const char *kt_dump_path(struct kt_dump *dump, const struct path *path);

/* Have all tasks been visited? */
bool kt_walk_over(const struct kt_walk *walk);

/*
 * The task with the smallest id from walk->pid on; walk->pid becomes this id.  NULL: the walk is over, or none of the
 * next ids has a task.  Under rcu_read_lock(), which protects the task.
 */
struct task_struct *kt_walk_next(struct kt_walk *walk);

/*
 * Visit the objects of one kind that belong to tasks, each once for each process.  id() gives the address of a task's
 * object, 0: none.  read_batch() is called with a reference to the task, again and again until walk->at is
 * KT_WALK_DONE: it adds entries from walk->at on, and moves this.  Returns as a kind does, as read_batch() does.
 */
int kt_walk_objects(struct kt_dump *dump, u64 (*id)(const struct task_struct *task),
		    int (*read_batch)(struct kt_dump *dump, struct task_struct *task));

/* The kinds. */
int kt_state_tasks(struct kt_dump *dump);
int kt_state_pids(struct kt_dump *dump);
int kt_state_files(struct kt_dump *dump);
int kt_state_maps(struct kt_dump *dump);
int kt_state_end(struct kt_dump *dump);

#endif
