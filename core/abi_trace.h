/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * abi_trace.h - tracepoints: set them, remove them, list them, and why one is refused.
 *
 * A part of ktrace_abi.h: include that.
 */
#ifndef KTRACE_ABI_TRACE_H
#define KTRACE_ABI_TRACE_H

#include <linux/types.h>

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
	KT_REFUSE_ENTRY_PATH,	/* runs between a breakpoint and the hook that knows it is ours */
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
#define KT_DESC_PROCESS_TREE	(1U << 3)	/* only in tasks of KT_IOC_PROCESS_TREE; with KT_TRACE_OWNED only */
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
	__u8  slow_path;	/* 1: it has a role, and its hits go the slow path: KT_ROLE_SLOW_PATH calibrates what they take */
	__u8  reserved[6];
};

/*
 * KT_IOC_DESC: the descriptor with this id, in the layout of struct
 * kt_desc_req and its parts.  -ENOENT: there is none (any more).  -ENOSPC:
 * room is too small, len says what is needed.
 * Ids are used again only when no unseen record bears them; born tells
 * which of two descriptors of an id a record belongs to.
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

#endif
