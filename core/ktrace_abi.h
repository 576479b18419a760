/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * ktrace_abi.h - the contract between the ktrace module and its controllers.
 *
 * Two things are versioned apart:
 *
 *   KT_ABI_VERSION     the control ABI: ioctls, their structures, the refusal
 *                      numbers, the capture program.  Raised when an existing
 *                      call changes its meaning or a structure its layout;
 *                      not when a new ioctl, flag, feature bit, capture
 *                      instruction, property of the task (KT_CUR_*) or
 *                      refusal number is added at the end.
 *   KT_TRACE_FORMAT    what lies in the ring: packet header, event header,
 *                      payload layout.  Raised when a reader of the former
 *                      version would misread the ring.  What a program
 *                      records (one more property or instruction) does not
 *                      raise it: the payload is as long as the program says.
 *
 * Every structure handed to an ioctl begins with its size as the caller knows
 * it.  The module refuses a size that it does not know (-EINVAL), a flag that it
 * does not know (-EOPNOTSUPP) and a reserved field that is not zero (-EINVAL).
 * Fields marked [out] are written by the module, also where a call fails.
 * Pointers travel as __u64.  All numbers have the byte order of the machine.
 *
 * Its parts: abi_trace.h, abi_measure.h, abi_ring.h, abi_program.h.
 */
#ifndef KTRACE_ABI_H
#define KTRACE_ABI_H

#include <linux/types.h>
#include <linux/ioctl.h>

#define KT_ABI_VERSION		7
#define KT_TRACE_FORMAT		1

#define KT_DEVICE		"/dev/ktrace"

/* Limits that both sides check. */
#define KT_ANALYSE_NOW		16	/* so many sites at once are told how hits will be caught */
#define KT_MAX_INSN		16	/* bytes of text planned for one site */
#define KT_MAX_ITEMS		32	/* items recorded by one tracepoint */
#define KT_MAX_PAYLOAD		1024	/* bytes of payload in one record */
#define KT_MAX_PROG		256	/* capture instructions */
#define KT_MAX_META		16384	/* bytes of descriptor meta data */
#define KT_MAX_BATCH		65536	/* sites in one call */
#define KT_MAX_CONSUMERS	16	/* tracepoints at one address */

/* ------------------------------------------------------------------ ioctls */

/*
 * KT_IOC_HELLO must be the first call on a descriptor and is the only one
 * whose number and first four words will never change; until it has
 * succeeded every other call fails with -EPROTO.
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

/*
 * KT_IOC_HELLO: compare versions, learn the geometry.
 * -EPROTO: the versions differ; abi and format then hold the module's.
 */
struct kt_hello {
	__u32 size;
	__u32 abi;		/* [in, out] KT_ABI_VERSION */
	__u32 format;		/* [in, out] KT_TRACE_FORMAT */
	__u32 flags;		/* 0 */
	__u64 features;		/* [out] KT_FEATURE_* */
	__u32 nr_cpus;		/* [out] possible CPUs; CPU numbers are below */
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
	 * ring_bytes and the sub-buffers are those of now: KT_IOC_BUFFER changes them,
	 * and tells of them.
	 */
	__u64 ring_stride;	/* [out] bytes from one CPU's mapping to the next */
	__u64 ring_bytes;	/* [out] bytes of one CPU's mapping: no other length will do */
	__u32 off_data;		/* [out] first sub-buffer in the mapping */
	__u32 off_commit;	/* [out] __u64 commit[nr_subbufs] in the mapping */
	__u32 subbuf_bytes;	/* [out] power of two */
	__u32 nr_subbufs;	/* [out] power of two */
	__u32 max_sites;	/* [out] tracepoints that can be set at once */
	__u32 off_area;		/* [out] struct kt_ring_area in the mapping */
	__u8  uuid[16];		/* [out] of this load of the module; in each packet */
	__u64 text_start;	/* [out] core kernel text, for messages */
	__u64 text_end;		/* [out] */
	char  version[32];	/* [out] of the module, for people */
};

#define KT_FEATURE_OVERWRITE	(1ULL << 0)	/* KT_MODE_OVERWRITE, at this moment */
#define KT_FEATURE_TSC		(1ULL << 1)	/* raw CPU ticks as clock */

/*
 * KT_IOC_PROCESS_TREE: the process with this id is one of those that descriptors with KT_DESC_PROCESS_TREE, set
 * through the same open file, record in; and so is all that it creates from then on: threads, children, children's
 * children.  With KT_PROCESS_TREE_AT_EXEC it becomes one when it next executes a program (one
 * process at a time can be awaited).  -ESRCH: there is none with that id; -ENOMEM; -EOPNOTSUPP:
 * this kernel cannot tell.
 */
struct kt_process_tree_add {
	__u32 size;
	__u32 flags;		/* KT_PROCESS_TREE_* */
	__s32 pid;		/* as the caller's pid namespace has it */
	__u32 reserved;		/* 0 */
};

#define KT_PROCESS_TREE_AT_EXEC	(1U << 0)

/* KT_IOC_RECORDING: stop and restart recording, globally. */
struct kt_recording {
	__u32 size;
	__u32 op;		/* KT_RECORDING_* */
};

enum kt_recording_op { KT_RECORDING_FREEZE, KT_RECORDING_UNFREEZE, KT_NR_RECORDING_OPS };

/*
 * KT_IOC_STATUS.  For each CPU, and so for their sums, at rest:
 *   hits = recorded + discarded + recursed + filtered + frozen + measured + braked
 *   recorded = pending + cleared + lost
 * where lost counts records that were overwritten before anyone saw them.
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
	__u32 desc_gen;		/* [out] raised whenever an id may be used again */
	__u64 late;		/* [out] records until a pending LATEFREEZE */
	__u64 stray;		/* [out] breakpoints met just after their removal */
	/* [out] tracepoints that a call which sets or deletes many has done, of so many; 0, 0: none is under way */
	__u32 change_done, change_of;
	__u32 nr_areas;		/* [out] areas of memory that the slots are in */
	__u32 max_areas;	/* [out] as many as there can be */
	/*
	 * The brake: where the hits of a CPU take more than brake_percent of it, they are turned away there, and the
	 * dearest tracepoints are disarmed.
	 */
	__u32 brake_percent;	/* [out] the module's parameter `brake`; 0: no limit */
	__u32 brake_cpus;	/* [out] CPUs that turn hits away now */
	__u32 brake_off;	/* [out] tracepoints that it has disarmed and nobody has set again */
	__u32 reserved;
	__u64 brakes;		/* [out] how often a CPU has begun to, since load */
};

struct kt_cpu_status {
	__u64 recorded;		/* records taken since load: kitrace's count */
	__u64 discarded;	/* no room, or interrupted while changing sub-buffer */
	__u64 recursed;		/* hits inside ktrace's own path */
	__u64 filtered;		/* a filter said no */
	__u64 frozen;		/* met while recording was stopped */
	__u64 seen;		/* position: records up to here are cleared */
	__u64 cleared;		/* of those, printed or cleared unprinted */
	__u64 lost;		/* of recorded: overwritten before they were seen */
	__u64 pending;		/* still to be printed */
	__u64 measured;		/* counted by a measurement and not recorded */
	__u64 braked;		/* turned away: too much of the CPU went to tracepoints */
};

/*
 * KT_IOC_SEEN: move the seen position.  With KT_SEEN_ALL everything recorded and
 * discarded so far becomes seen and nr is 0.  Otherwise each element moves one
 * CPU from `from` to `to` and from `discarded_from` to `discarded_to`, all or none:
 * -ESTALE when some other controller has moved it meanwhile.
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
	__u64 from;		/* the seen position that the caller started from */
	__u64 to;		/* the new one */
	__u64 printed;		/* records between that were really had: the rest was lost */
	__u64 seq;		/* packet in which the new position lies */
	__u64 discarded_from;	/* records known to be discarded, as the caller found it */
	__u64 discarded_to;	/* and with those that it has told of */
};

/*
 * KT_IOC_TEXT: kernel text as it is when nobody probes it: without the patches of ktrace and of kprobes, and
 * never in the middle of a change.  len [out] is how much could be read before the text ends.
 * -EACCES: not kernel text; -EAGAIN: it was changed each time that it was read.
 */
struct kt_text {
	__u32 size;
	__u32 len;		/* [in, out] at most 64 KiB */
	__u64 addr;
	__u64 buf;
	__u32 flags;		/* KT_TEXT_* */
	__u32 reserved;
	/*
	 * [out] a checksum for struct kt_scan.  Bytes that the kernel patches by itself (jump labels, static calls,
	 * ftrace's) do not count.
	 */
	__u64 sum;
};

#define KT_TEXT_SUM		(1U << 0)	/* fill in sum */

/*
 * KT_IOC_CLOCK: pairs of (ticks, wall-clock time) taken now and then since
 * load, oldest first; between two of them time runs evenly.  A duration in
 * ns is ticks * ns_num / ns_den.
 */
struct kt_clock {
	__u32 size;
	__u32 nr;		/* [in] room at anchors, [out] entries written */
	__u64 anchors;		/* struct kt_anchor[nr] */
	__u64 ns_num;		/* [out] */
	__u64 ns_den;		/* [out] */
	__u64 now;		/* [out] ticks */
	char  name[16];		/* [out] for people: "tsc", "mono" */
};

struct kt_anchor {
	__u64 ticks;
	__u64 real_ns;		/* CLOCK_REALTIME */
};

/*
 * KT_IOC_WAIT: poll(2) on this descriptor becomes readable as soon as the
 * records taken and discarded, over all CPUs, are more than total; and, where
 * packets is not 0, so many packets of some CPU are complete and not yet seen.
 */
struct kt_wait {
	__u32 size;
	__u32 packets;
	__u64 total;
};

/*
 * KT_IOC_BUFFER: the size and mode of all rings.  What flags name is changed;
 * the [out] fields tell what holds then, also where nothing is to be changed.
 *
 * Tracing goes on meanwhile; what is recorded and not yet seen moves along, as
 * far as it finds room: in rings that become smaller the newest records do,
 * and where the sub-buffers become smaller, none.  What did not is counted as lost.
 * A record that meets the exchange itself is counted as discarded.
 * All rings are changed, or none.  -EINVAL: bytes or mode is out of range;
 * -ENOMEM: there is not so much memory; -EINTR.
 *
 * A mapping made before stays readable, but nothing new comes there: the
 * generation in its kt_ring_ctl is then not the one in its kt_ring_area, and
 * the ring is to be mapped again.
 */
struct kt_buffer {
	__u32 size;
	__u32 flags;		/* KT_BUFFER_* */
	__u64 bytes;		/* [in, out] of sub-buffers on each CPU, rounded up to a power of two */
	__u32 mode;		/* [in, out] KT_MODE_* */
	__u32 subbuf_bytes;	/* [out] */
	__u32 nr_subbufs;	/* [out] */
	__u32 off_data;		/* [out] */
	__u64 ring_bytes;	/* [out] */
	__u64 dropped;		/* [out] unseen records that found no room in the new rings */
};

#define KT_BUFFER_SIZE		(1U << 0)
#define KT_BUFFER_MODE		(1U << 1)

#define KT_BUFFER_MIN		(8ULL << 10)
#define KT_BUFFER_MAX		(1ULL << 30)

enum kt_mode {
	KT_MODE_OVERWRITE,	/* new records take the place of the oldest */
	KT_MODE_DISCARD,	/* what finds no room is discarded: the oldest unseen ones stay */
	KT_NR_MODES,
};

/* --------------------------------------------------------------- the parts */

#include "core/abi_trace.h"
#include "core/abi_measure.h"
#include "core/abi_ring.h"
#include "core/abi_program.h"

/* -------------------------------------------------------------- the layout */

#ifndef __cplusplus
#define KT_ASSERT_SIZE(type, n) \
	_Static_assert(sizeof(type) == (n), #type " has changed its size")
KT_ASSERT_SIZE(struct kt_hello, 136);
KT_ASSERT_SIZE(struct kt_trace, 48);
KT_ASSERT_SIZE(struct kt_scan, 24);
KT_ASSERT_SIZE(struct kt_site_req, 64);
KT_ASSERT_SIZE(struct kt_desc_req, 40);
KT_ASSERT_SIZE(struct kt_delete, 32);
KT_ASSERT_SIZE(struct kt_list, 24);
KT_ASSERT_SIZE(struct kt_list_entry, 72);
KT_ASSERT_SIZE(struct kt_desc_get, 40);
KT_ASSERT_SIZE(struct kt_process_tree_add, 16);
KT_ASSERT_SIZE(struct kt_recording, 8);
KT_ASSERT_SIZE(struct kt_status, 96);
KT_ASSERT_SIZE(struct kt_cpu_status, 88);
KT_ASSERT_SIZE(struct kt_seen, 32);
KT_ASSERT_SIZE(struct kt_seen_cpu, 56);
KT_ASSERT_SIZE(struct kt_text, 40);
KT_ASSERT_SIZE(struct kt_clock, 56);
KT_ASSERT_SIZE(struct kt_anchor, 16);
KT_ASSERT_SIZE(struct kt_wait, 16);
KT_ASSERT_SIZE(struct kt_buffer, 48);
KT_ASSERT_SIZE(struct kt_measure, 32);
KT_ASSERT_SIZE(struct kt_role, 32);
KT_ASSERT_SIZE(struct kt_measure_run, 304);
KT_ASSERT_SIZE(struct kt_samples, 64);
KT_ASSERT_SIZE(struct kt_tally, 200);
KT_ASSERT_SIZE(struct kt_calibrate, 64);
KT_ASSERT_SIZE(struct kt_ring_ctl, 136);
KT_ASSERT_SIZE(struct kt_ring_area, 64);
KT_ASSERT_SIZE(struct kt_packet, 88);
KT_ASSERT_SIZE(struct kt_insn, 8);
#endif

#endif /* KTRACE_ABI_H */
