/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * abi_state.h - the state of the system before a recording starts: tasks, open files, mappings.
 *
 * A part of ktrace_abi.h: include that.
 */
#ifndef KTRACE_ABI_STATE_H
#define KTRACE_ABI_STATE_H

#include <linux/types.h>

#define KT_MIN_STATE_ROOM	8192	/* bytes: more than the largest entry */
#define KT_MAX_STATE_ROOM	65536	/* one call writes at most that many */
#define KT_MAX_STATE_NAME	4096	/* bytes of a name, its 0 included */

/*
 * KT_IOC_STATE: read a part of the state of the system: the next entries of one kind.  Begin with a cursor of zeros,
 * and call again with the cursor that the call returned until `done` is 1.  A call does a bounded amount of work and
 * holds no lock while it writes to buf.  It may write no entry and not be done.
 *
 * What exists from before the first call until after the last call of a kind has an entry.  What begins or ends
 * meanwhile may have one.  An entry was read at `time` or a little later.  So an event that is younger than `time`
 * may be part of the entry already; no older event is missing.
 *
 * All ids of tasks but those of KT_STATE_PIDS are of the initial pid namespace, uid and gid of the initial user namespace.
 *
 * -EOPNOTSUPP: the kind is not known, or flags is not 0; -EINVAL: room is too small; -EFAULT; -ENOMEM; -EINTR: the
 * caller was killed.  A call that fails changes nothing and leaves the cursor as it was.
 */
struct kt_state {
	__u32 size;
	__u32 kind;		/* KT_STATE_* */
	__u64 buf;		/* the entries: each begins with struct kt_state_head */
	__u32 room;		/* bytes at buf, at least KT_MIN_STATE_ROOM */
	__u32 flags;		/* 0 */
	__u64 cursor[4];	/* [in, out] its contents belong to the module */
	__u32 len;		/* [out] bytes written */
	__u32 nr;		/* [out] entries written */
	__u32 done;		/* [out] 1: there are no more entries of this kind */
	__u32 reserved;		/* 0 */
};

enum kt_state_kind {
	KT_STATE_TASKS,		/* struct kt_state_task: every thread, but not the idle tasks */
	KT_STATE_PIDS,		/* struct kt_state_pids: every thread in each pid namespace that has a number for it */
	KT_STATE_FILES,		/* struct kt_state_file: every open file */
	KT_STATE_MAPS,		/* struct kt_state_map: every mapping of user memory */
	/*
	 * struct kt_state_cpu: force one scheduling event on every online CPU.  Who records scheduling events, reads
	 * the kinds above, and then this one, knows the state of every task from then on.
	 */
	KT_STATE_END,
	KT_NR_STATES,
};

/*
 *   len                                         a multiple of 8
 *   +----------------------+---------------+---------+
 *   | fields of the kind   | name, then 0  | padding |
 *   +----------------------+---------------+---------+
 */
struct kt_state_head {
	__u32 len;		/* bytes of the whole entry */
	__s32 pid;		/* thread id */
	__u64 time;		/* ticks of the clock of the records */
};

/* The namespaces of a task, by their inode numbers (/proc/PID/ns); 0: not known, the task has none any more, or the kernel has none. */
enum kt_namespace {
	KT_NS_PID,
	KT_NS_MNT,
	KT_NS_NET,
	KT_NS_USER,
	KT_NS_UTS,
	KT_NS_IPC,
	KT_NS_CGROUP,
	KT_NS_TIME,
	KT_NR_NS,
};

struct kt_state_task {
	struct kt_state_head head;
	__s32 tgid;		/* its process */
	__s32 ppid;		/* 0: none */
	__s32 pgrp;
	__s32 session;
	__u32 uid;		/* real */
	__u32 gid;
	__u32 cpu;		/* where it runs, or ran last */
	__u32 flags;		/* KT_TASK_* */
	__u32 policy;		/* SCHED_* */
	__s32 prio;		/* of the kernel: 0 to 99 real time, 100 to 139 normal, negative: deadline */
	__u8  status;		/* enum kt_task_status */
	__u8  state;		/* the letter in /proc/PID/stat */
	__u8  reserved[6];
	__u64 start;		/* CLOCK_BOOTTIME in ns */
	__u64 files;		/* identifies its table of open files; 0: none.  Tasks may share one */
	__u64 memory;		/* identifies its address space; 0: none.  Tasks may share one */
	__u64 cgroup;		/* id in the cgroup hierarchy of version 2: the inode number of its directory */
	__u32 ns[KT_NR_NS];
	char  name[16];		/* terminated by 0 */
};

#define KT_TASK_KERNEL		(1U << 0)	/* a kernel thread */
#define KT_TASK_ON_CPU		(1U << 1)	/* it is on its CPU just now */
#define KT_TASK_IOWAIT		(1U << 2)	/* it waits for a device */
#define KT_TASK_EXITING		(1U << 3)	/* it has begun to exit */

/* The numbers of LTTng's lttng_statedump_process_state. */
enum kt_task_status {
	KT_STATUS_UNNAMED,	/* stopped, traced or parked */
	KT_STATUS_WAIT_FORK,	/* runnable, and has never run */
	KT_STATUS_WAIT_CPU,	/* runnable, or running */
	KT_STATUS_EXIT,		/* not used: see KT_TASK_EXITING */
	KT_STATUS_ZOMBIE,
	KT_STATUS_WAIT,		/* sleeping */
	KT_STATUS_RUN,		/* not used: see KT_TASK_ON_CPU */
	KT_STATUS_DEAD,
};

/* A thread in one of its pid namespaces; 0: it has no number there. */
struct kt_state_pids {
	struct kt_state_head head;
	__s32 vtid, vpid;	/* its own number, and that of its process */
	__s32 vppid;		/* that of the process that is its parent */
	__u32 level;		/* 0: the initial namespace */
	__u32 ns;		/* as kt_state_task.ns */
	__u32 reserved;
};

/* Each table of open files appears once for each process that uses it. */
struct kt_state_file {
	struct kt_state_head head;
	__s32 tgid;
	__u32 fd;
	__u64 table;		/* kt_state_task.files of the tasks that have this file open */
	__u32 flags;		/* O_*, as in /proc/PID/fdinfo */
	__u32 mode;		/* FMODE_* of this kernel */
	__u64 inode;
	__u32 dev;		/* of the file system: major << 20 | minor */
	__u32 reserved;
	char  name[];		/* as in /proc/PID/fd; empty: longer than KT_MAX_STATE_NAME */
};

/* Each address space appears once for each process that uses it. */
struct kt_state_map {
	struct kt_state_head head;
	__s32 tgid;
	__u32 dev;		/* as above; 0: no file */
	__u64 memory;		/* kt_state_task.memory of the tasks that have this mapping */
	/* 0, 0: the other maps of this process could not be read: another task kept them locked for a second. */
	__u64 start, end;
	__u64 offset;		/* in the file, in bytes */
	__u64 flags;		/* VM_* of this kernel; the lowest four: read, write, execute, shared */
	__u64 inode;		/* 0: no file */
	char  name[];		/* as in /proc/PID/maps, but unescaped and without names given by prctl(2) */
};

/* head.pid was running on this CPU at head.time. */
struct kt_state_cpu {
	struct kt_state_head head;
	__u32 cpu;
	__u32 flags;		/* KT_CPU_* */
};

#define KT_CPU_BUSY	(1U << 0)	/* no scheduling event: this task kept the CPU for a second */

#endif
