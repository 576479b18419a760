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
 */
#ifndef KTRACE_ABI_H
#define KTRACE_ABI_H

#include <linux/types.h>
#include <linux/ioctl.h>

#define KT_ABI_VERSION		6
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
#define KT_IOC_GATE		_IO('K', 0x05)	/* struct kt_gate */
#define KT_IOC_STATUS		_IO('K', 0x06)	/* struct kt_status */
#define KT_IOC_SEEN		_IO('K', 0x07)	/* struct kt_seen */
#define KT_IOC_TEXT		_IO('K', 0x08)	/* struct kt_text */
#define KT_IOC_CLOCK		_IO('K', 0x09)	/* struct kt_clock */
#define KT_IOC_WAIT		_IO('K', 0x0a)	/* struct kt_wait */
#define KT_IOC_BUFFER		_IO('K', 0x0b)	/* struct kt_buffer */
#define KT_IOC_FAMILY		_IO('K', 0x0c)	/* struct kt_family_add */
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
#define KT_FEATURE_TSC		(1ULL << 1)	/* raw processor ticks as clock */

/*
 * KT_IOC_TRACE: set or update tracepoints, all or none.  An address serves several tracepoints at once: one that is
 * set for nobody (without KT_TRACE_OWNED), one for each open file, and those of KT_ROLE_HIDDEN.  Setting one again
 * replaces its options and leaves the others.  Where one is refused, every [out] field of
 * every element is still filled in, so that all refusals are known at once,
 * nothing is set, and the call returns -EINVAL (-ENOMEM, -ENOSPC if that is
 * why).  With KT_TRACE_PARTIAL those that can be set are, and the call
 * succeeds.  With KT_TRACE_DRYRUN nothing is set at all.  -EINTR: the caller was killed; nothing is set.
 * -EFAULT: sites cannot be read or written; nothing is set.
 */
struct kt_trace {
	__u32 size;
	__u32 flags;		/* KT_TRACE_* */
	__u32 nr;		/* elements at sites, at most KT_MAX_BATCH */
	__u32 nr_set;		/* [out] tracepoints set or updated */
	__u64 sites;		/* struct kt_site_req[nr] */
	__u32 nr_refused;	/* [out] */
	__u32 syncs;		/* [out] cross-CPU synchronisations it took */
	/* The text in which the sites were found.  Where it is not the same any more every site is KT_REFUSE_CHANGED. */
	__u64 scans;		/* struct kt_scan[nr_scans] */
	__u32 nr_scans;		/* at most KT_MAX_SCANS */
	__u32 reserved;
};

/* What KT_IOC_TEXT read, with KT_TEXT_SUM. */
struct kt_scan {
	__u64 addr;
	__u64 sum;
	__u32 len;
	__u32 reserved;
};

#define KT_MAX_SCANS		8192

#define KT_TRACE_DRYRUN		(1U << 0)
#define KT_TRACE_PARTIAL	(1U << 1)
#define KT_TRACE_OWNED		(1U << 2)	/* they are removed when this open file is closed, by its process's death, too */

struct kt_site_req {
	__u64 addr;
	__u64 desc;		/* struct kt_desc_req followed by its parts */
	__u32 desc_len;		/* bytes of all that */
	__u32 flags;		/* KT_SITE_* */
	__u8  insn[KT_MAX_INSN];/* the bytes planned for, without any patch of ours */
	__u8  insn_len;		/* how many of them are the instruction */
	__u8  method;		/*
				 * [in, out] KT_METHOD_*; a jump begins as a breakpoint.  Where more than
				 * KT_ANALYSE_NOW sites are set at once and KT_METHOD_AUTO was asked for, whether a
				 * jump can be had is found out later: KT_METHOD_BREAKPOINT is handed back until then
				 */
	__u8  updated;		/* [out] 1: replaced the options of one already set */
	__u8  refusal;		/* [out] KT_REFUSE_*, 0 when accepted */
	__u32 id;		/* [out] descriptor id */
	__u64 nearest;		/* [out] nearest good address, 0 if none is known */
	__u64 role;		/* struct kt_role, 0: none */
};

/*
 * addr is that of a struct tracepoint of the kernel or a module, or, where symbols tell no data, of the function
 * __traceiter_NAME that it has; insn_len is 0, method KT_METHOD_AUTO.
 */
#define KT_SITE_EVENT	(1U << 0)
/*
 * addr is a number of enum kt_scratch, a place in the functions that KT_IOC_CALIBRATE calls; KT_TRACE_OWNED only.
 * The address comes back in its place.
 */
#define KT_SITE_SCRATCH	(1U << 1)
/*
 * addr is KT_RETURN_OF(first byte of a function): hit when a call of it has returned to its caller, by whatever way
 * it left, tail calls included.  The kernel's kretprobe does it; calls that began before are not seen.  insn_len is 0,
 * method KT_METHOD_AUTO.  The registers are those of the caller just then; the key of its call is the stack pointer
 * at the function's entry.
 */
#define KT_SITE_RETURN	(1U << 2)

/* No instruction has such an address: kernel text lies in the upper half. */
#define KT_RETURN_BIT		(1ULL << 63)
#define KT_RETURN_OF(addr)	((addr) & ~KT_RETURN_BIT)

enum kt_scratch { KT_SCRATCH_ENTRY, KT_SCRATCH_RET, KT_SCRATCH_CALLED, KT_SCRATCH_RETURNED, KT_NR_SCRATCH };

enum kt_method {
	KT_METHOD_AUTO,		/* the module chooses */
	KT_METHOD_BREAKPOINT,	/* trap, then an out-of-line copy */
	KT_METHOD_JUMP,		/* jump to a trampoline */
	KT_METHOD_EVENT,	/* [out] the kernel calls us at a static tracepoint */
	KT_METHOD_RETURN,	/* [out] KT_SITE_RETURN: a kretprobe of the kernel's calls us */
	KT_NR_METHODS,
};

/*
 * Why a site is refused.  Numbers are for ever; new ones go at the end.
 */
enum kt_refusal {
	KT_REFUSE_NONE,
	KT_REFUSE_USER,		/* an address of user space */
	KT_REFUSE_NOT_TEXT,	/* not kernel text: data, unmapped, ... */
	KT_REFUSE_SELF,		/* in the ktrace module itself */
	KT_REFUSE_INIT,		/* init text, gone or going */
	KT_REFUSE_MODULE,	/* its module is being loaded or unloaded */
	KT_REFUSE_NO_SYMBOL,	/* no symbol covers it: boundaries unknown */
	KT_REFUSE_BOUNDARY,	/* in the middle of an instruction */
	KT_REFUSE_UNDECODABLE,	/* bytes there, or before it, do not decode */
	KT_REFUSE_BLACKLIST,	/* the kernel's kprobes blacklist, noinstr, entry */
	KT_REFUSE_IDLE,		/* cpuidle text: RCU may not be watching */
	KT_REFUSE_FTRACE,	/* patched by ftrace */
	KT_REFUSE_JUMP_LABEL,	/* patched as a jump label */
	KT_REFUSE_STATIC_CALL,	/* patched as a static call */
	KT_REFUSE_ALTERNATIVE,	/* patched as an alternative */
	KT_REFUSE_BUG,		/* a BUG() or WARN() instruction */
	KT_REFUSE_EXTABLE,	/* has an exception table entry */
	KT_REFUSE_BREAKPOINT,	/* somebody else's breakpoint is there */
	KT_REFUSE_TRAP,		/* raises an exception by itself */
	KT_REFUSE_SYSTEM,	/* iret, sysret, far transfer, VMX, SEV, ... */
	KT_REFUSE_SHADOW,	/* masks interrupts for one instruction: mov ss, sti; hlt */
	KT_REFUSE_RANGE,	/* no slot within reach of its operand */
	KT_REFUSE_UNKNOWN_INSN,	/* not known to be safe out of line */
	KT_REFUSE_CHANGED,	/* the bytes there, or those of a scan, are not those planned for */
	KT_REFUSE_PADDING,	/* padding or preamble in front of a function */
	KT_REFUSE_METHOD,	/* the method asked for cannot be had there */
	KT_REFUSE_PROGRAM,	/* the capture program is not valid */
	KT_REFUSE_DESC,		/* the descriptor is malformed */
	KT_REFUSE_NOMEM,	/* out of memory */
	KT_REFUSE_NOSLOT,	/* out of slots or descriptor ids */
	KT_REFUSE_TWICE,	/* twice in the same call */
	KT_REFUSE_FULL,		/* max_sites are set already */
	KT_REFUSE_ENDBR,	/* where indirect branches land */
	KT_REFUSE_OWN_WAY,	/* runs between a breakpoint and the hook that knows it is ours */
	KT_REFUSE_NO_TRAPS,	/* runs where a breakpoint cannot be handled: CPU start, kexec, as a copy */
	KT_REFUSE_INTERRUPTED,	/* the caller was killed before it was looked at */
	KT_REFUSE_NO_EVENT,	/* no static tracepoint of the kernel */
	KT_REFUSE_EXCLUSIVE,	/* between a load-exclusive and its store, which a trap would make fail for ever */
	KT_REFUSE_TAKEN,	/* KT_SITE_SCRATCH: another open file calibrates */
	KT_REFUSE_ROLE,		/* its role in a measurement is malformed */
	KT_REFUSE_CROWDED,	/* KT_MAX_CONSUMERS tracepoints are at that address */
	KT_REFUSE_NO_FUNCTION,	/* KT_SITE_RETURN: no function begins there */
	KT_REFUSE_NO_KRETPROBE,	/* KT_SITE_RETURN: the kernel sets no kretprobe there */
	KT_NR_REFUSALS,
};

/*
 * A descriptor as it is handed over:
 *
 *   struct kt_desc_req | struct kt_insn[prog_len] | char meta[meta_len]
 *
 * meta belongs to the controllers and is only kept by the module: what was
 * typed and how to print the records, as one JSON object (docs/descriptor.md).
 */
struct kt_desc_req {
	__u32 size;		/* sizeof(struct kt_desc_req) */
	__u32 flags;		/* KT_DESC_* */
	__u64 late;		/* LATEFREEZE: records after this one */
	__u32 prog_len;		/* capture instructions, at least 1 */
	__u32 meta_len;		/* bytes, at most KT_MAX_META */
	__u64 every;		/* record the first of so many hits that pass the filter; 0, 1: each */
	__u64 limit;		/* records, then the tracepoint is disarmed; 0: no limit */
};

#define KT_DESC_FREEZE		(1U << 0)
#define KT_DESC_LATEFREEZE	(1U << 1)
#define KT_DESC_UNFREEZE	(1U << 2)
#define KT_DESC_FAMILY		(1U << 3)	/* only in tasks of KT_IOC_FAMILY; with KT_TRACE_OWNED only */
#define KT_DESC_FLAGS		((1U << 4) - 1)

/*
 * KT_IOC_DELETE: remove tracepoints, those at addrs or all of them.
 * -ENOENT: there is none at one of the addresses (bad is its index); nothing
 * was removed.  Of several tracepoints at an address the caller's own goes, else the one that nobody owns.
 * -EINTR: the caller was killed before anything was removed.
 * -EBUSY: a kprobe sits on the jump there; nothing was removed, with
 * KT_DELETE_ALL all but such.  -EPERM: another open file owns it; with KT_DELETE_ALL such are left.
 */
struct kt_delete {
	__u32 size;
	__u32 flags;		/* KT_DELETE_ALL: addrs is not used, nr is 0 */
	__u32 nr;		/* at most KT_MAX_BATCH */
	__u32 nr_deleted;	/* [out] */
	__u64 addrs;		/* __u64[nr] */
	__u32 bad;		/* [out] */
	__u32 syncs;		/* [out] cross-CPU synchronisations it took */
};

#define KT_DELETE_ALL		(1U << 0)
/* Addresses with no tracepoint (any more, its module being gone, or none but KT_ROLE_HIDDEN) are passed over. */
#define KT_DELETE_LEFT		(1U << 1)

/*
 * KT_IOC_LIST: the tracepoints in the order in which they were set.  Call
 * again with cursor as it was returned until nr comes back 0.
 */
struct kt_list {
	__u32 size;
	__u32 nr;		/* [in] room at entries, [out] entries written */
	__u64 entries;		/* struct kt_list_entry[nr] */
	__u64 cursor;		/* [in, out] 0 to begin */
};

struct kt_list_entry {
	__u64 addr;
	__u64 hits;		/* times reached since it was set */
	__u64 missed;		/* of those, not recorded for whatever reason */
	__u32 id;		/* its descriptor */
	__u8  method;		/* KT_METHOD_* in use */
	__u8  insn_len;
	__u8  planned;		/* KT_METHOD_* that it will have in a moment; KT_METHOD_AUTO: it is not known yet */
	__u8  spent;		/* 1: its limit is reached, it is disarmed or will be in a moment */
	__u8  insn[KT_MAX_INSN];/* what stood there */
	__u64 unseen;		/* KT_METHOD_RETURN: of the missed, those that the kernel had no kretprobe instance for */
	__u64 braked;		/* of the missed, those that the brake turned away */
	__u8  off;		/* 1: the brake has disarmed it; setting it again arms it */
	__u8  long_way;		/* 1: it has a role, and its hits go the long way: KT_ROLE_LONG calibrates what they take */
	__u8  reserved[6];
};

/*
 * KT_IOC_DESC: the descriptor with this id, in the layout of struct
 * kt_desc_req and its parts.  -ENOENT: there is none (any more).  -ENOSPC:
 * room is too small, len says what is needed.
 * Ids are used again only when no unseen record bears them; born tells
 * which of two owners of an id a record belongs to.
 */
struct kt_desc_get {
	__u32 size;
	__u32 id;
	__u64 buf;
	__u32 room;
	__u32 len;		/* [out] */
	__u64 addr;		/* [out] where it was set */
	__u64 born;		/* [out] ticks: no record of it is older */
};

/*
 * KT_IOC_FAMILY: the process with this id is one of those that descriptors with KT_DESC_FAMILY, set through the
 * same open file, record in; and so is all that it creates from then on: threads, children, children's
 * children.  With KT_FAMILY_AT_EXEC it becomes one when it next executes a program (one
 * process at a time can be awaited).  -ESRCH: there is none with that id; -ENOMEM; -EOPNOTSUPP:
 * this kernel cannot tell.
 */
struct kt_family_add {
	__u32 size;
	__u32 flags;		/* KT_FAMILY_* */
	__s32 pid;		/* as the caller's pid namespace has it */
	__u32 reserved;		/* 0 */
};

#define KT_FAMILY_AT_EXEC	(1U << 0)

/* ------------------------------------------------------------ measurements */

/*
 * A measurement pairs hits: what opens a call, what closes it.  A call that is open has a place in a
 * table of fixed size, found by its key; when it is closed the time between is counted in a histogram
 * of each CPU.  It belongs to the open file that made it, and goes with that and the last
 * descriptor that has a role in it.
 *
 * With E hits at opening sites (`entered`) and R at closing ones, which the filters let through:
 *   E = overflow + superseded + open + braked + taken,  R = taken + unmatched,
 *   taken = samples + filtered + surplus
 *
 * While the brake turns hits away on some CPU nothing is counted, and calls that are open then are dropped (`braked`):
 * their end may have been turned away, and another one would look like it.
 */
struct kt_measure {
	__u32 size;
	__u32 flags;		/* KT_MEASURE_* */
	__u32 slots;		/* calls open at once, rounded up to a power of two; KT_MIN_SLOTS .. KT_MAX_SLOTS */
	__u32 saved;		/* bytes kept with each, at most KT_MAX_SAVED */
	__u32 groups;		/* at most KT_MAX_GROUPS; 0: none */
	__u32 top;		/* of the slowest on each CPU, at most KT_MAX_TOP */
	__u32 id;		/* [out] */
	__u32 reserved;
};

#define KT_MEASURE_ACROSS	(1U << 0)	/* one call is open at a time, whatever the thread */
#define KT_MEASURE_LINES	(1U << 1)	/* groups are numbered, and have no histogram */
/* It outlives its open file, running, for as long as a descriptor has a role in it; any file may give such. */
#define KT_MEASURE_SHARED	(1U << 2)

#define KT_MIN_SLOTS		64
#define KT_MAX_SLOTS		(1U << 20)
#define KT_MAX_SAVED		512
#define KT_MAX_GROUPS		1024
#define KT_MAX_TOP		64
#define KT_MAX_KEY		16	/* bytes of what a group is known by */
#define KT_MAX_BIAS		(1 << 16)	/* more than any stack is large */

/*
 * What a tracepoint does in a measurement.  The key of its call is a register (by DWARF
 * number) plus bias: the stack pointer at the call's entry, or another word that no two calls of a
 * stack have at once; with KT_ROLE_THREAD it is the thread.
 */
struct kt_role {
	__u32 size;
	__u32 measure;		/* id */
	__u32 what;		/* KT_ROLE_* */
	__u32 reg;
	__s32 bias;		/* at most KT_MAX_BIAS up or down */
	__u32 group;		/* KT_MEASURE_LINES: what the time from here on counts for */
	__u32 saved;		/* KT_ROLE_OPEN: so many bytes of its payload are kept */
	__u16 by;		/* KT_ROLE_CLOSE: so many of the kept bytes are the key of its group, */
	__u16 by_at;		/* from this one on */
};

#define KT_ROLE_OPEN		(1U << 0)
#define KT_ROLE_STEP		(1U << 1)	/* what is open goes on in another group */
#define KT_ROLE_CLOSE		(1U << 2)
#define KT_ROLE_THREAD		(1U << 3)
#define KT_ROLE_SILENT		(1U << 4)	/* nothing is recorded */
#define KT_ROLE_TOP		(1U << 5)	/* recorded where it is one of the slowest */
/*
 * KT_ROLE_OPEN: calls that the filter says no to are opened, to be counted as filtered when they end.
 * KT_ROLE_CLOSE: the call is closed before the filter is asked; where that says no, it is counted as filtered.
 */
#define KT_ROLE_MARK		(1U << 6)
#define KT_ROLE_TALLY		(1U << 7)	/* KT_ROLE_CLOSE, KT_ROLE_STEP: counted; else only known to its program */
#define KT_ROLE_LONG		(1U << 8)	/* its hits go the long way, whatever they need: for calibration, see long_way */
/*
 * KT_ROLE_OPEN, with KT_ROLE_SILENT: there for the sake of those that close only.  It is not listed, not
 * deleted by its address, and goes when no tracepoint that closes is left in its measurement.
 */
#define KT_ROLE_HIDDEN		(1U << 9)
/*
 * KT_ROLE_OPEN of a function that ends at KT_SITE_RETURN: where a call of this key and thread is open, the function was
 * jumped to again before it returned.  The first is counted when all of them have returned, the others are superseded.
 */
#define KT_ROLE_JUMPS		(1U << 10)
#define KT_ROLE_FLAGS		((1U << 11) - 1)

/* KT_IOC_MEASURE_RUN: hits count from now on, or no longer.  -ENOENT: no such measurement of this file. */
struct kt_measure_run {
	__u32 size;
	__u32 id;
	__u32 on;
	__u32 reserved;
	__u64 quota;		/* samples, then it stops; 0: no end */
	/* Taken off each sample, in ticks: by the methods of its two ends; and for each hit inside off what encloses it. */
	__u64 cost[KT_NR_METHODS][KT_NR_METHODS];
	__u64 nested[2][KT_NR_METHODS];	/* of a hit that opens or steps; that closes */
};

/* Ticks. */
struct kt_samples {
	__u64 count;
	__u64 sum;
	__u64 square_low, square_high;	/* the sum of their squares: 128 bits */
	__u64 min, max;			/* ~0 and 0 of none */
	__u64 taken_off;		/* by cost and nested, of all together */
	__u64 clamped;			/* would have become less than 0 */
};

/*
 * KT_IOC_TALLY: what was counted so far, over all CPUs; exact when the measurement does not run.  group:
 * KT_TALLY_ALL, the number of one, or KT_TALLY_OTHERS, which found no room among the groups.  buckets may be 0; of
 * groups of KT_MEASURE_LINES there are none.  -ENOENT.
 */
struct kt_tally {
	__u32 size;
	__u32 id;
	__u32 group;
	__u32 nr_groups;	/* [out] in use */
	__u64 buckets;		/* __u64[KT_HIST_BUCKETS] of histogram.h */
	__u8  key[KT_MAX_KEY];	/* [out] of the group */
	struct kt_samples samples;	/* [out] */
	__u64 entered, overflow, superseded, open;	/* [out] of the measurement */
	__u64 unmatched, filtered, surplus, elsewhere;	/* [out] */
	__u64 braked;		/* [out] open when the brake came */
	__u64 turned_away;	/* [out] hits at its tracepoints that the brake turned away; part of none of these */
	__u64 began, ended;	/* [out] ticks of KT_IOC_MEASURE_RUN; ended is that of the last sample where a quota ended it, 0: it runs */
};

#define KT_TALLY_ALL		0xffffffffU
#define KT_TALLY_OTHERS		0xfffffffeU

/*
 * KT_IOC_CALIBRATE: call the function behind KT_SITE_SCRATCH so often, at most KT_MAX_CALLS, with interrupts off
 * in each call.  Its tracepoints do what they are set for, in a call of measurement `id` that
 * encloses each; id 0: in none.  All results are medians.  Its hits are not counted as measured.  -ENOENT; -EBUSY:
 * see the flag; -EAGAIN: the brake turned hits away meanwhile.
 */
struct kt_calibrate {
	__u32 size;
	__u32 calls;
	__u32 id;
	__u32 flags;		/* KT_CALIBRATE_* */
	__u64 whole;		/* [out] ticks of one call as seen from outside */
	__u64 inside;		/* [out] ticks from entry to return without any tracepoint */
	__u64 charged;		/* [out] ticks that its hits took off the enclosing call */
	__u64 sample;		/* [out] ticks counted for the call; */
	__u64 low, high;	/* [out] and their 1st and 99th percentile */
};

#define KT_MAX_CALLS		4096

/* Only where no measurement of another file runs: its samples would be longer by it.  Shared ones are none. */
#define KT_CALIBRATE_ALONE	(1U << 0)
/* The function of KT_SCRATCH_CALLED and KT_SCRATCH_RETURNED, not that of the other two. */
#define KT_CALIBRATE_RETURN	(1U << 1)

/* KT_IOC_GATE: stop and restart recording, globally. */
struct kt_gate {
	__u32 size;
	__u32 op;		/* KT_GATE_* */
};

enum kt_gate_op { KT_GATE_FREEZE, KT_GATE_UNFREEZE, KT_NR_GATE_OPS };

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

/* ---------------------------------------------------------------- the ring */

/*
 * At the start of each CPU's mapping.  Only the module writes it.
 *
 * word is the whole state of the writer:
 *
 *   63                           32 31            16 15             0
 *   +------------------------------+----------------+---------------+
 *   | packet number, low 32 bits   | next free word | records in it |
 *   +------------------------------+----------------+---------------+
 *
 * "next free word" counts units of four bytes from the start of the packet,
 * its header included; KT_WORD_CLOSED there means that the packet is being
 * exchanged for the next one.
 */
struct kt_ring_ctl {
	__u64 word;
	__u64 last_ts;		/* of the newest record, or older */
	__u64 seq;		/* number of the newest packet */
	__u64 count;		/* records before that packet */
	__u64 discarded;
	__u64 recursed;
	__u64 filtered;
	__u64 frozen;
	__u64 seen;		/* see struct kt_cpu_status */
	__u64 cleared;
	__u64 lost_seen;	/* lost among the records that are seen */
	__u64 seen_seq;		/* packet in which the seen position lies */
	__u64 discarded_seen;	/* of the discarded ones: seen, that is told of or cleared */
	__u64 generation;	/* of the area in use: raised when the ring moves to another one */
	__u64 first_seq;	/* no older packet is in that area */
	__u64 measured;
	__u64 braked;
};

/*
 * In front of the sub-buffers, on pages of its own: what is exchanged when the
 * size changes.  It never changes itself.
 */
struct kt_ring_area {
	__u64 generation;
	__u32 subbuf_bytes;
	__u32 nr_subbufs;
	__u64 reserved[6];	/* 0 */
	/* __u64 commit[nr_subbufs] at off_commit: bytes ever committed there */
};

#define KT_WORD_CLOSED		0xffffULL

/*
 * Packet n lies in sub-buffer n % nr_subbufs.  This is a CTF 1.8 packet header
 * followed by its packet context; events follow at once.  ts_end, content_bits
 * and records are valid once the packet is complete.
 */
struct kt_packet {
	__u32 magic;		/* KT_CTF_MAGIC */
	__u8  uuid[16];
	__u32 stream;		/* 0 */
	__u64 ts_begin;
	__u64 ts_end;
	__u64 content_bits;
	__u64 packet_bits;
	__u64 seq;
	__u64 discarded;	/* events_discarded: on this CPU until ts_end */
	__u64 count;		/* records on this CPU before this packet */
	__u32 cpu;
	__u32 records;		/* in this packet */
};

#define KT_CTF_MAGIC		0xC1FC1FC1U

/*
 * Event header: one word, low bits first,
 *
 *   id : 8, time : 24             id < KT_ID_EXT, the low bits of the time;
 *                                 less than 2^24 ticks after its predecessor
 *   KT_ID_EXT : 8, id : 24, then the full time in two words, low first
 *
 * then the payload, in units of four bytes, as the descriptor defines it.
 */
#define KT_ID_EXT		0xffU
#define KT_MAX_ID		0xffffffU
#define KT_TS_BITS		24

/* ----------------------------------------------------- the capture program */

/*
 * Straight-line code over eight 64-bit registers, jumps forward only; it ends
 * at KT_OP_END (record) or KT_OP_DROP (do not).  Registers begin undefined:
 * the verifier refuses a program that reads one before it was written.
 *
 * A value that cannot be had (memory that cannot be read, a division by 0) is
 * unreadable, and so is all that is computed from it.  No comparison holds for it.
 * Its bits are 0 where they come from memory; what is emitted of it is marked by KT_OP_FAULTS.
 *
 * Each KT_OP_EMIT... emits one item.
 */
struct kt_insn {
	__u8  op;		/* KT_OP_* */
	__u8  dst;
	__u8  src;
	__u8  aux;
	__s32 imm;
};

#define KT_NR_REGS		8
#define KT_MAX_LINKS		8	/* loads in one KT_OP_EMITCHAIN */
#define KT_MAX_STR		512	/* bytes of one KT_OP_EMITSTR */
#define KT_MAX_DEPTH		64	/* callers in one KT_OP_EMITSTACK */
#define KT_COMM_BYTES		16

enum kt_op {
	KT_OP_END,		/* record what was emitted */
	KT_OP_DROP,		/* filtered out */
	KT_OP_REG,		/* dst = machine register number imm (DWARF) */
	KT_OP_PSR,		/* dst = processor status */
	KT_OP_IMM,		/* dst = imm, sign-extended */
	KT_OP_IMMHI,		/* dst = imm << 32 | low half of dst */
	KT_OP_CUR,		/* dst = property imm (KT_CUR_*) of the current task */
	KT_OP_ALU,		/* dst = dst aux(KT_ALU_*) src */
	KT_OP_ADDI,		/* dst = dst + imm */
	KT_OP_LOAD,		/* dst = aux(KT_SIZE_*) at src + imm, fault-safe */
	KT_OP_CMP,		/* if (dst aux(KT_CMP_*) src) skip imm instructions */
	KT_OP_EMIT,		/* emit low aux (4 or 8) bytes of src */
	KT_OP_EMITCUR,		/* emit property imm (KT_CUR_PID, KT_CUR_TGID), 4 bytes */
	KT_OP_EMITREG,		/* emit machine register number imm (DWARF), 8 bytes */
	KT_OP_EMITREGS,		/* emit all general registers, 8 bytes each */
	KT_OP_FAULTS,		/* first emit: a 4-byte mask, bit n: the n-th emit after this word is unreadable */
	KT_OP_ALUI,		/* dst = dst aux(KT_ALU_*) imm, sign-extended */
	KT_OP_CMPI,		/* if (dst aux(KT_CMP_*) imm, sign-extended) skip src instructions */
	KT_OP_SET,		/* dst = 1 if (dst aux(KT_CMP_*) src), else 0 */
	KT_OP_EXT,		/* dst = its low bytes as aux(KT_SIZE_*) */
	KT_OP_EMITSTR,		/*
				 * emit the string at src: imm (4..KT_MAX_STR, by four) bytes, 0 behind its end; one that
				 * is unreadable from some byte on is emitted up to there
				 */
	KT_OP_EMITCOMM,		/* emit the name of the current task, KT_COMM_BYTES, 0 behind its end */
	KT_OP_EMITSTACK,	/* emit up to imm callers, the nearest first: 8 bytes each, 0 behind the last */
	KT_OP_EMITCHAIN,	/*
				 * v = machine register number imm (DWARF); for each of the src (1..KT_MAX_LINKS)
				 * KT_OP_LINK that follow: v = 8 bytes at v + their imm, fault-safe; the last
				 * one is aux(KT_SIZE_*) instead.  Emit v: 8 bytes of KT_SIZE_U64, else 4.
				 */
	KT_OP_LINK,
	KT_OP_ELAPSED,		/* dst = ticks since its call was opened, at KT_ROLE_CLOSE; unreadable where that was not seen */
	KT_OP_SAVED,		/*
				 * dst = aux(KT_SIZE_*) of what was saved when it was opened, at byte imm; unreadable as
				 * above, and where bit src - 1 of the first word saved says so (src 0: it never does)
				 */
	KT_OP_EMITSAVED,	/* emit aux (1..) units of four bytes of it, from byte imm on; unreadable as above */
	KT_NR_OPS,
};

enum kt_alu {
	KT_ALU_ADD, KT_ALU_SUB, KT_ALU_MUL, KT_ALU_AND, KT_ALU_OR, KT_ALU_XOR,
	KT_ALU_SHL, KT_ALU_SHR, KT_ALU_SAR,
	KT_ALU_DIV, KT_ALU_MOD, KT_ALU_SDIV, KT_ALU_SMOD,	/* by 0: unreadable */
	KT_NR_ALUS,
};

enum kt_cmp {
	KT_CMP_EQ, KT_CMP_NE, KT_CMP_LT, KT_CMP_LE, KT_CMP_SLT, KT_CMP_SLE,
	KT_CMP_ALWAYS,		/* compares nothing; in KT_OP_CMP only */
	KT_CMP_GT, KT_CMP_GE, KT_CMP_SGT, KT_CMP_SGE,
	KT_NR_CMPS,
};

enum kt_size {
	KT_SIZE_U8, KT_SIZE_U16, KT_SIZE_U32, KT_SIZE_U64, KT_SIZE_S8, KT_SIZE_S16, KT_SIZE_S32,
	KT_NR_SIZES,
};

/*
 * A new one goes to the end and raises no version: a module that does not know it refuses the
 * program (-EINVAL).  None is ever removed or given another meaning.
 */
enum kt_cur {
	KT_CUR_PID, KT_CUR_TGID, KT_CUR_CPU,
	KT_CUR_UID, KT_CUR_GID,			/* real, as the initial user namespace has them */
	KT_CUR_PGRP,				/* of the initial pid namespace, as the two above */
	KT_CUR_TASK,				/* address of its struct task_struct */
	KT_CUR_PERCPU,				/* what is added to the address of a per-CPU variable here */
	KT_CUR_COMM_LOW, KT_CUR_COMM_HIGH,	/* bytes 0 to 7, 8 to 15 of its name */
	KT_CUR_NICE,				/* -20 to 19 */
	KT_NR_CURS,
};

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
KT_ASSERT_SIZE(struct kt_family_add, 16);
KT_ASSERT_SIZE(struct kt_gate, 8);
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
