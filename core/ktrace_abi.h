/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * ktrace_abi.h - the interface between the ktrace module and its controllers.
 *
 * Two parts have a version of their own:
 *
 *   KT_ABI_VERSION     the control ABI: ioctls of KT_DEVICE and KT_USER_CONTROL,
 *                      their structures, the refusal numbers, the capture program.  It is raised when an
 *                      existing call changes its meaning or a structure its
 *                      layout.  It is not raised when a new ioctl, flag, feature
 *                      bit, capture instruction, property of the task (KT_CUR_*)
 *                      or refusal number is added at the end.
 *   KT_TRACE_FORMAT    the contents of the ring: packet header, event header,
 *                      payload layout.  It is raised when a reader of the former
 *                      version would misread the ring.  A new property or
 *                      instruction in a program does not raise it: the program
 *                      defines the length of the payload.
 *
 * Every structure passed to an ioctl begins with its size as the caller knows it.  The module refuses a size
 * that it does not know (-EINVAL), a flag that it does not know (-EOPNOTSUPP) and a reserved field that is not
 * zero (-EINVAL).  The module writes fields marked [out], also when a call fails.  Pointers are passed as
 * __u64.  All numbers have the byte order of the machine.
 *
 * The other parts of this file: abi_trace.h, abi_aggregate.h, abi_measure.h, abi_ring.h, abi_program.h, abi_state.h,
 * abi_user.h.
 */
#ifndef KTRACE_ABI_H
#define KTRACE_ABI_H

#include <linux/types.h>
#include <linux/ioctl.h>

#define KT_ABI_VERSION		16
#define KT_TRACE_FORMAT		2	/* the newest; packets of narrow rings have format 1, of wide ones 2 (abi_ring.h) */

#define KT_DEVICE		"/dev/ktrace"

/* Limits that both sides check. */
#define KT_ANALYSE_NOW		16	/* with more sites in one call, jumps are decided later */
#define KT_ANALYSE_DRY		64	/* the same limit for a dry run; it is higher because a dry run writes no text */
#define KT_MAX_INSN		16	/* bytes of kernel text compared for one site */
#define KT_MAX_ITEMS		32	/* items recorded by one tracepoint */
#define KT_MAX_PAYLOAD		1024	/* bytes of payload in one record */
#define KT_MAX_PROG		256	/* capture instructions */
#define KT_MAX_META		16384	/* bytes of meta data in a descriptor */
#define KT_MAX_BATCH		65536	/* sites in one call */
#define KT_MAX_CONSUMERS	16	/* tracepoints at one address */
#define KT_MAX_NAME		64	/* bytes of the name of a recording, its 0 included */
#define KT_MAX_RECORDINGS	1024	/* recordings listed by one call */
#define KT_MAX_TASK_RULES	64	/* rules of one open file */
#define KT_MAX_OWN		8	/* processes that one open file names by KT_IOC_OWN */

/* ------------------------------------------------------------------ ioctls */

/*
 * KT_IOC_HELLO must be the first call on an open file.  Its number and its first four words will never change;
 * this holds for no other call.  Until it has succeeded every other call fails with -EPROTO.
 */
#define KT_IOC_HELLO		_IO('K', 0x00)	/* struct kt_hello */
#define KT_IOC_TRACE		_IO('K', 0x01)	/* struct kt_trace */
#define KT_IOC_DELETE		_IO('K', 0x02)	/* struct kt_delete */
#define KT_IOC_LIST		_IO('K', 0x03)	/* struct kt_list */
#define KT_IOC_DESC		_IO('K', 0x04)	/* struct kt_desc_get */
#define KT_IOC_RECORDING	_IO('K', 0x05)	/* struct kt_recording */
#define KT_IOC_STATUS		_IO('K', 0x06)	/* struct kt_status */
#define KT_IOC_SEEN		_IO('K', 0x07)	/* struct kt_seen */
#define KT_IOC_TEXT		_IO('K', 0x08)	/* struct kt_text */
#define KT_IOC_CLOCK		_IO('K', 0x09)	/* struct kt_clock */
#define KT_IOC_WAIT		_IO('K', 0x0a)	/* struct kt_wait */
#define KT_IOC_BUFFER		_IO('K', 0x0b)	/* struct kt_buffer */
#define KT_IOC_PROCESS_TREE	_IO('K', 0x0c)	/* struct kt_process_tree_add */
#define KT_IOC_MEASURE		_IO('K', 0x0d)	/* struct kt_measure */
#define KT_IOC_MEASURE_RUN	_IO('K', 0x0e)	/* struct kt_measure_run */
#define KT_IOC_TALLY		_IO('K', 0x0f)	/* struct kt_tally */
#define KT_IOC_CALIBRATE	_IO('K', 0x10)	/* struct kt_calibrate */
#define KT_IOC_RINGS		_IO('K', 0x11)	/* struct kt_rings_req */
#define KT_IOC_RECORDINGS	_IO('K', 0x12)	/* struct kt_recordings */
#define KT_IOC_STOP		_IO('K', 0x13)	/* struct kt_stop */
#define KT_IOC_STATE		_IO('K', 0x14)	/* struct kt_state */
#define KT_IOC_TASKS		_IO('K', 0x15)	/* struct kt_tasks */
#define KT_IOC_FILE		_IO('K', 0x16)	/* struct kt_file */
#define KT_IOC_AGGREGATE	_IO('K', 0x17)	/* struct kt_aggregate_req */
#define KT_IOC_AGGREGATE_RELEASE	_IO('K', 0x18)	/* struct kt_aggregate_release */
#define KT_IOC_AGGREGATE_GET	_IO('K', 0x19)	/* struct kt_aggregate_get */
#define KT_IOC_OWN		_IO('K', 0x1a)	/* struct kt_own_req */
#define KT_IOC_CODE		_IO('K', 0x1e)	/* struct kt_code_get; 0x1b to 0x1d had another meaning up to version 15 */

/*
 * KT_IOC_HELLO: compare versions, and report the geometry of the rings.
 * -EPROTO: the versions differ; abi and format then hold those of the module.
 */
struct kt_hello {
	__u32 size;
	__u32 abi;		/* [in, out] KT_ABI_VERSION */
	__u32 format;		/* [in, out] KT_TRACE_FORMAT */
	__u32 flags;		/* 0 */
	__u64 features;		/* [out] KT_FEATURE_* */
	__u32 nr_cpus;		/* [out] possible CPUs; every CPU number is smaller */
	__u32 arch;		/* [out] ELF machine number, EM_* */
	/*
	 * mmap(fd, offset = cpu * ring_stride, length = ring_bytes, PROT_READ):
	 *
	 *   0              off_area       off_data                          ring_bytes
	 *   +--------------+--------------+------------+------------+-- ... --+
	 *   | struct       | struct       | sub-buffer | sub-buffer |         |
	 *   | kt_ring_ctl  | kt_ring_area |     0      |     1      |         |
	 *   +--------------+--------------+------------+------------+-- ... --+
	 *                                 <- subbuf -->   nr_subbufs of them
	 *
	 * ring_bytes and the sub-buffers describe the present rings; KT_IOC_BUFFER changes them and reports the
	 * new values.
	 */
	__u64 ring_stride;	/* [out] distance in bytes between the mappings of two CPUs */
	__u64 ring_bytes;	/* [out] bytes of one CPU's mapping: mmap accepts no other length */
	__u32 off_data;		/* [out] offset of the first sub-buffer in the mapping */
	__u32 off_commit;	/* [out] offset of __u64 commit[nr_subbufs] in the mapping */
	__u32 subbuf_bytes;	/* [out] power of two */
	__u32 nr_subbufs;	/* [out] power of two */
	__u32 max_sites;	/* [out] largest number of tracepoints set at once */
	__u32 off_area;		/* [out] offset of struct kt_ring_area in the mapping */
	__u8  uuid[16];		/* [out] identifies this load of the module; each packet has it */
	__u64 text_start;	/* [out] core kernel text; for messages only */
	__u64 text_end;		/* [out] */
	char  version[32];	/* [out] version of the module; for people */
};

#define KT_FEATURE_OVERWRITE	(1ULL << 0)	/* the mode is KT_MODE_OVERWRITE at present */
#define KT_FEATURE_TSC		(1ULL << 1)	/* the clock is the CPU's raw counter */
#define KT_FEATURE_WIDE		(1ULL << 2)	/* the rings of this open file are wide (abi_ring.h) */

/*
 * KT_IOC_PROCESS_TREE: add a process to the process tree of this open file.  Descriptors with
 * KT_DESC_TASKS that are set through the same open file record only in this tree.  Everything that a
 * member creates from then on is a member too: threads, children, and their children.  With
 * KT_PROCESS_TREE_AT_EXEC the process becomes a member when it next executes a program; one process at a time
 * can be awaited.
 * -ESRCH: no process has that id; -EBUSY: the file has rules (KT_IOC_TASKS); -ENOMEM; -EOPNOTSUPP: this kernel has no
 * means to follow processes.
 */
struct kt_process_tree_add {
	__u32 size;
	__u32 flags;		/* KT_PROCESS_TREE_* */
	__s32 pid;		/* in the pid namespace of the caller */
	__u32 reserved;		/* 0 */
};

#define KT_PROCESS_TREE_AT_EXEC	(1U << 0)

/*
 * KT_IOC_OWN: until this open file is closed, descriptors with KT_DESC_OTHERS, of all open files, also leave out the hits in
 * this process.  For the process at the other end of the caller's terminal.  To name a process again changes nothing.
 * -ESRCH: no process has that id; -ENOSPC: the file has named KT_MAX_OWN processes already; -ENOMEM.
 */
struct kt_own_req {
	__u32 size;
	__u32 flags;		/* 0 */
	__s32 pid;		/* in the pid namespace of the caller */
	__u32 reserved;		/* 0 */
};

/*
 * KT_IOC_TASKS: rules for this open file, once.  Descriptors with KT_DESC_TASKS that are set through the same open file
 * record only in tasks that fit: for each kind of property that has rules, one of them.  What counts is the property at
 * the moment of the hit.  With KT_TASKS_CHILDREN, everything that such a task creates from then on belongs to them as
 * well, whatever its properties, and so do its present descendants.
 * -EINVAL: nr is 0 or too large, a kind or a value is not valid, or the kinds do not rise; -ESRCH: no process, group or
 * session has that id; -EBADF: not a cgroup of version 2 (other errors of cgroup_get_from_fd()); -EBUSY: the file has
 * rules or a process tree; -ENOMEM; -EFAULT; -EINTR; -EOPNOTSUPP: this kernel has no means to follow processes, or no
 * cgroups.
 */
struct kt_tasks {
	__u32 size;
	__u32 flags;		/* KT_TASKS_* */
	__u32 nr;		/* at most KT_MAX_TASK_RULES */
	__u32 reserved;		/* 0 */
	__u64 rules;		/* struct kt_task_rule[nr], in rising order of their kinds */
};

#define KT_TASKS_CHILDREN	(1U << 0)

enum kt_task_kind {
	KT_TASK_PID,		/* thread; the ids of this and the next three are in the caller's pid namespace */
	KT_TASK_TGID,		/* process */
	KT_TASK_PGRP,
	KT_TASK_SESSION,
	KT_TASK_UID, KT_TASK_GID,	/* real ids, in the initial user namespace */
	KT_TASK_COMM,		/* both values: the name, filled up with zeros */
	KT_TASK_CGROUP,		/* a file descriptor of its directory; those below it fit, too */
	KT_NR_TASK_KINDS,
};

struct kt_task_rule {
	__u32 kind;		/* KT_TASK_* */
	__u32 reserved;		/* 0 */
	__u64 value[2];		/* the second is 0 except for KT_TASK_COMM */
};

/*
 * KT_IOC_RECORDING: stop or restart recording into the rings of this open file.  It returns when all hits that read the
 * state before have ended: after KT_RECORDING_FREEZE no record is added, and after KT_RECORDING_UNFREEZE no hit is left
 * that found the rings frozen.
 */
struct kt_recording {
	__u32 size;
	__u32 op;		/* KT_RECORDING_* */
};

enum kt_recording_op { KT_RECORDING_FREEZE, KT_RECORDING_UNFREEZE, KT_NR_RECORDING_OPS };

/*
 * KT_IOC_RINGS: make this open file a recording, with rings of its own.  From then on its tracepoints record there and
 * nowhere else, and KT_IOC_HELLO, _STATUS (cpus, frozen, late), _SEEN, _WAIT, _BUFFER, _RECORDING and mmap() of this
 * file are about these rings; call KT_IOC_HELLO again to learn their geometry.  All other open files share the rings
 * that the module made when it was loaded.  A recording ends when its file is closed.
 *
 * Each tracepoint of a recording must be KT_TRACE_OWNED (else KT_IOC_TRACE returns -EINVAL) and must not have a role
 * (KT_REFUSE_ROLE).
 * -EINVAL: bytes, mode or name is not valid; -EEXIST: another recording has this name; -EBUSY: the file is a recording
 * already, or has set tracepoints; -ENOMEM: there is not enough memory; -EOPNOTSUPP: an unknown flag.
 */
struct kt_rings_req {
	__u32 size;
	__u32 flags;		/* KT_RINGS_* */
	__u32 mode;		/* KT_MODE_* */
	__u32 reserved;		/* 0 */
	__u64 bytes;		/* as in struct kt_buffer */
	char  name[KT_MAX_NAME];		/* printable ASCII, terminated by 0, not empty */
};

/* Wide rings (abi_ring.h); KT_IOC_BUFFER cannot change their size. */
#define KT_RINGS_WIDE		(1U << 0)

/* KT_IOC_RECORDINGS: list the recordings, oldest first. */
struct kt_recordings {
	__u32 size;
	__u32 nr;		/* [in] room at entries, [out] entries written */
	__u64 entries;		/* struct kt_recording_entry[nr] */
	__u32 total;		/* [out] recordings that exist */
	__u32 reserved;
};

struct kt_recording_entry {
	char  name[KT_MAX_NAME];
	__s32 pid;		/* process that made it, in the pid namespace of the caller; 0: not visible there */
	__u32 mode;
	__u64 bytes;		/* of each CPU */
	__u64 began;		/* CLOCK_REALTIME in ns */
	__u64 recorded;		/* records, on all CPUs */
	__u64 discarded;	/* hits without room */
	__u32 frozen;		/* 1: recording is stopped */
	__u32 reserved;
};

/*
 * KT_IOC_STOP: ask for the end of a recording.  poll(2) of its file reports POLLPRI from then on; its process decides
 * what it does.  -ENOENT: no recording has this name.
 */
struct kt_stop {
	__u32 size;
	__u32 flags;		/* 0 */
	char  name[KT_MAX_NAME];
};

/*
 * KT_IOC_STATUS.  When no hit is under way, these equations hold for each CPU, and so for the sums:
 *   hits = recorded + discarded + recursed + filtered + frozen + measured + braked
 *   recorded = pending + cleared + lost
 * lost counts records that were overwritten before a reader saw them.
 */
struct kt_status {
	__u32 size;
	__u32 nr_cpus;		/* [in] room at cpus, [out] entries written */
	__u64 cpus;		/* struct kt_cpu_status[], or 0 */
	__u32 nr_sites;		/* [out] tracepoints set */
	__u32 nr_descs;		/* [out] descriptors kept, old ones included */
	__u32 nr_slots;		/* [out] out-of-line slots in use */
	__u32 max_slots;	/* [out] */
	__u32 frozen;		/* [out] 1: recording is stopped */
	__u32 desc_gen;		/* [out] rises each time an id becomes free for reuse */
	__u64 late;		/* [out] records left until a pending LATEFREEZE stops recording */
	__u64 stray;		/* [out] breakpoints met just after their removal */
	/*
	 * [out] progress of the call that sets or deletes tracepoints now: change_done of change_of; 0, 0: no
	 * such call
	 */
	__u32 change_done, change_of;
	__u32 nr_areas;		/* [out] memory areas that hold slots */
	__u32 max_areas;	/* [out] largest possible number of areas */
	/*
	 * The brake: where the hits of a CPU take more than brake_percent of its time, the module turns hits
	 * away on that CPU and disarms the most expensive tracepoints.
	 */
	__u32 brake_percent;	/* [out] module parameter `brake`; 0: no limit */
	__u32 brake_cpus;	/* [out] CPUs that turn hits away at present */
	__u32 brake_off;	/* [out] tracepoints disarmed by the brake and not set again since */
	/*
	 * Windows: while a CPU starts, or the machine sleeps or goes down, tracepoints in functions that run without an
	 * interrupt table then are disarmed.
	 */
	__u32 windows;		/* [out] how often that has disarmed tracepoints, since load */
	__u64 brakes;		/* [out] how often a CPU began to turn hits away, since load */
	__u32 window_id;	/* [out] the descriptor of the records in which windows begin and end; 0: none so far */
	__u32 window_open;	/* [out] 1: a window is open; for long only after a CPU that was started did not come */
	/*
	 * [out] the descriptor of the records of what a hit in a system call could not read, but could be read when the
	 * call returned; 0: no such record so far
	 */
	__u32 late_id;
	__u32 frozen_by;	/* [out] the descriptor with whose hit recording stopped, while it is stopped; 0: a call did it */
	__u64 frozen_at;	/* [out] when, in ticks */
};

struct kt_cpu_status {
	__u64 recorded;		/* records taken since load */
	__u64 discarded;	/* hits without room, or that interrupted an exchange of sub-buffers */
	__u64 recursed;		/* hits inside ktrace's own code */
	__u64 filtered;		/* hits that a filter turned down */
	__u64 frozen;		/* hits while recording was stopped */
	__u64 seen;		/* the seen position: records before it are cleared or lost */
	__u64 cleared;		/* records that were printed, or cleared unprinted */
	__u64 lost;		/* records overwritten before a reader saw them */
	__u64 pending;		/* records not yet seen */
	__u64 measured;		/* hits that a measurement or an aggregate counted and did not record */
	__u64 braked;		/* hits that the brake turned away */
};

/*
 * KT_IOC_SEEN: move the seen position.  With KT_SEEN_ALL everything recorded and discarded so far becomes seen;
 * nr is 0.  Otherwise each element moves one CPU from `from` to `to`, and from `discarded_from` to
 * `discarded_to`.  The call moves all of them or none.  -ESTALE: another controller has moved one of them
 * meanwhile.
 */
struct kt_seen {
	__u32 size;
	__u32 flags;		/* KT_SEEN_ALL */
	__u32 nr;
	__u32 reserved;
	__u64 cpus;		/* struct kt_seen_cpu[nr] */
	__u64 nr_cleared;	/* [out] records that this call cleared */
};

#define KT_SEEN_ALL		(1U << 0)

struct kt_seen_cpu {
	__u32 cpu;
	__u32 reserved;
	__u64 from;		/* the seen position as the caller read it */
	__u64 to;		/* the new seen position */
	__u64 printed;		/* records between the two that the caller printed; the others were lost */
	__u64 seq;		/* the packet that contains the new position */
	__u64 discarded_from;	/* discarded records already reported, as the caller read it */
	__u64 discarded_to;	/* the same after this call */
};

/*
 * KT_IOC_TEXT: read kernel text without the patches of ktrace and of kprobes, never in the middle of a change.
 * len [out] is the number of bytes up to the end of the text, at most what was asked for.
 * -EACCES: not kernel text; -EAGAIN: the text changed during each attempt to read it; -ENOMEM; -EINTR.
 */
struct kt_text {
	__u32 size;
	__u32 len;		/* [in, out] at most 64 KiB */
	__u64 addr;
	__u64 buf;
	__u32 flags;		/* KT_TEXT_* */
	__u32 reserved;
	/*
	 * [out] a checksum for struct kt_scan.  It leaves out bytes that the kernel itself patches (jump
	 * labels, static calls, ftrace).
	 */
	__u64 sum;
};

#define KT_TEXT_SUM		(1U << 0)	/* fill in sum */

/*
 * KT_IOC_CLOCK: anchors are pairs (ticks, wall-clock time) that the module has taken since load, oldest first.
 * Between two anchors time runs evenly.  A duration in ns is ticks * ns_num / ns_den.
 */
struct kt_clock {
	__u32 size;
	__u32 nr;		/* [in] room at anchors, [out] entries written */
	__u64 anchors;		/* struct kt_anchor[nr] */
	__u64 ns_num;		/* [out] */
	__u64 ns_den;		/* [out] */
	__u64 now;		/* [out] ticks */
	char  name[16];		/* [out] "tsc", "mono"; for people */
};

struct kt_anchor {
	__u64 ticks;
	__u64 real_ns;		/* CLOCK_REALTIME */
};

/*
 * KT_IOC_WAIT: set when poll(2) reports this open file as readable.  It does so when the records taken and
 * discarded on all CPUs together exceed `total` and some CPU has at least `packets` complete packets that are
 * not yet seen; of a recording, at least one packet.  It also does so when a measurement of this file has met its quota, and
 * once after each action of the brake.
 */
struct kt_wait {
	__u32 size;
	__u32 packets;
	__u64 total;
};

/*
 * KT_IOC_BUFFER: change what `flags` names, the size or the mode of all rings.  The [out] fields report the
 * state afterwards, also where flags is 0.
 *
 * Tracing continues during the change.  Records that are not yet seen move to the new rings as far as there is
 * room: a smaller ring keeps the newest records.  The rest counts as lost.  A record that is written during the
 * exchange counts as discarded.  The call changes all rings or none.
 * -EINVAL: bytes or mode is out of range; -ENOMEM: there is not enough memory; -EINTR; -EOPNOTSUPP: an unknown flag, or
 * the size of wide rings.
 *
 * A mapping made before stays readable, but no new records arrive there.  The reader sees this from the
 * generation in kt_ring_ctl, which then differs from the one in kt_ring_area, and maps the ring again.
 */
struct kt_buffer {
	__u32 size;
	__u32 flags;		/* KT_BUFFER_* */
	__u64 bytes;		/* [in, out] sub-buffers of each CPU together, rounded up to a power of two */
	__u32 mode;		/* [in, out] KT_MODE_* */
	__u32 subbuf_bytes;	/* [out] */
	__u32 nr_subbufs;	/* [out] */
	__u32 off_data;		/* [out] */
	__u64 ring_bytes;	/* [out] */
	__u64 dropped;		/* [out] unseen records without room in the new rings */
};

#define KT_BUFFER_SIZE		(1U << 0)
#define KT_BUFFER_MODE		(1U << 1)

#define KT_BUFFER_MIN		(8ULL << 10)
#define KT_BUFFER_MAX		(1ULL << 30)

enum kt_mode {
	KT_MODE_OVERWRITE,	/* new records overwrite the oldest */
	KT_MODE_DISCARD,	/* new records without room are discarded; the oldest unseen ones stay */
	KT_NR_MODES,
};

/* --------------------------------------------------------------- the parts */

#include "core/abi_trace.h"
#include "core/abi_aggregate.h"
#include "core/abi_measure.h"
#include "core/abi_ring.h"
#include "core/abi_program.h"
#include "core/abi_state.h"
#include "core/abi_user.h"

/* -------------------------------------------------------------- the layout */

#ifndef __cplusplus
#define KT_ASSERT_SIZE(type, n) \
	_Static_assert(sizeof(type) == (n), #type " has changed its size")
KT_ASSERT_SIZE(struct kt_hello, 136);
KT_ASSERT_SIZE(struct kt_trace, 48);
KT_ASSERT_SIZE(struct kt_scan, 24);
KT_ASSERT_SIZE(struct kt_site_req, 88);
KT_ASSERT_SIZE(struct kt_case, 24);
KT_ASSERT_SIZE(struct kt_file, 24);
KT_ASSERT_SIZE(struct kt_desc_req, 40);
KT_ASSERT_SIZE(struct kt_delete, 32);
KT_ASSERT_SIZE(struct kt_list, 24);
KT_ASSERT_SIZE(struct kt_list_entry, 88);
KT_ASSERT_SIZE(struct kt_desc_get, 40);
KT_ASSERT_SIZE(struct kt_code_get, 64);
KT_ASSERT_SIZE(struct kt_process_tree_add, 16);
KT_ASSERT_SIZE(struct kt_own_req, 16);
KT_ASSERT_SIZE(struct kt_tasks, 24);
KT_ASSERT_SIZE(struct kt_task_rule, 24);
KT_ASSERT_SIZE(struct kt_recording, 8);
KT_ASSERT_SIZE(struct kt_status, 120);
KT_ASSERT_SIZE(struct kt_cpu_status, 88);
KT_ASSERT_SIZE(struct kt_seen, 32);
KT_ASSERT_SIZE(struct kt_seen_cpu, 56);
KT_ASSERT_SIZE(struct kt_text, 40);
KT_ASSERT_SIZE(struct kt_clock, 56);
KT_ASSERT_SIZE(struct kt_anchor, 16);
KT_ASSERT_SIZE(struct kt_wait, 16);
KT_ASSERT_SIZE(struct kt_buffer, 48);
KT_ASSERT_SIZE(struct kt_rings_req, 88);
KT_ASSERT_SIZE(struct kt_recordings, 24);
KT_ASSERT_SIZE(struct kt_recording_entry, 112);
KT_ASSERT_SIZE(struct kt_stop, 72);
KT_ASSERT_SIZE(struct kt_aggregate_req, 48);
KT_ASSERT_SIZE(struct kt_aggregate_release, 8);
KT_ASSERT_SIZE(struct kt_aggregate_get, 72);
KT_ASSERT_SIZE(struct kt_measure, 32);
KT_ASSERT_SIZE(struct kt_role, 40);
KT_ASSERT_SIZE(struct kt_measure_run, 528);
KT_ASSERT_SIZE(struct kt_samples, 64);
KT_ASSERT_SIZE(struct kt_tally, 224);
KT_ASSERT_SIZE(struct kt_calibrate, 64);
KT_ASSERT_SIZE(struct kt_ring_ctl, 136);
KT_ASSERT_SIZE(struct kt_ring_area, 64);
KT_ASSERT_SIZE(struct kt_packet, 88);
KT_ASSERT_SIZE(struct kt_insn, 8);
KT_ASSERT_SIZE(struct kt_state, 72);
KT_ASSERT_SIZE(struct kt_state_head, 16);
KT_ASSERT_SIZE(struct kt_state_task, 144);
KT_ASSERT_SIZE(struct kt_state_pids, 40);
KT_ASSERT_SIZE(struct kt_state_file, 56);
KT_ASSERT_SIZE(struct kt_state_map, 72);
KT_ASSERT_SIZE(struct kt_state_cpu, 24);
KT_ASSERT_SIZE(struct kt_user_register, 16);
KT_ASSERT_SIZE(struct kt_user_sites, 24);
KT_ASSERT_SIZE(struct kt_user_site, 16);
KT_ASSERT_SIZE(struct kt_user_forget, 16);
KT_ASSERT_SIZE(struct kt_user_hello, 16);
KT_ASSERT_SIZE(struct kt_user_list, 32);
KT_ASSERT_SIZE(struct kt_user_entry, 48);
KT_ASSERT_SIZE(struct kt_user_open, 16);
KT_ASSERT_SIZE(struct kt_user_switch, 32);
#endif

#endif /* KTRACE_ABI_H */
