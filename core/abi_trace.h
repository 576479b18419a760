/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * abi_trace.h - tracepoints: set, remove and list them, and the reasons for a refusal.
 *
 * A part of ktrace_abi.h: include that.
 */
#ifndef KTRACE_ABI_TRACE_H
#define KTRACE_ABI_TRACE_H

#include <linux/types.h>

/*
 * KT_IOC_TRACE: set or update tracepoints, all or none.  Several tracepoints can share an address: one that is
 * persistent (set without KT_TRACE_OWNED), one for each open file, and those with KT_ROLE_HIDDEN.  Setting one
 * of them again replaces its options and leaves the others.
 *
 * Where the module refuses a site, it still fills in every [out] field of every element, so the caller learns
 * of all refusals at once.  It then sets nothing and returns -EINVAL, or -ENOMEM or -ENOSPC if that was the
 * reason.  With KT_TRACE_PARTIAL it sets the sites that it accepts, and the call succeeds.  With
 * KT_TRACE_DRYRUN it sets nothing.
 * -EINTR: the caller was killed; nothing is set.  -EFAULT: sites cannot be read or written; nothing is set.
 */
struct kt_trace {
	__u32 size;
	__u32 flags;		/* KT_TRACE_* */
	__u32 nr;		/* elements at sites, at most KT_MAX_BATCH */
	__u32 nr_set;		/* [out] tracepoints set or updated */
	__u64 sites;		/* struct kt_site_req[nr] */
	__u32 nr_refused;	/* [out] */
	__u32 syncs;		/* [out] cross-CPU synchronisations that the call needed */
	/*
	 * The text from which the caller chose the sites.  If it has changed since, every site is
	 * KT_REFUSE_CHANGED.
	 */
	__u64 scans;		/* struct kt_scan[nr_scans] */
	__u32 nr_scans;		/* at most KT_MAX_SCANS */
	__u32 reserved;
};

/* A piece of text as KT_IOC_TEXT returned it with KT_TEXT_SUM. */
struct kt_scan {
	__u64 addr;
	__u64 sum;
	__u32 len;
	__u32 reserved;
};

#define KT_MAX_SCANS		8192

#define KT_TRACE_DRYRUN		(1U << 0)
#define KT_TRACE_PARTIAL	(1U << 1)
#define KT_TRACE_OWNED		(1U << 2)	/* remove them when this open file is closed or its process dies */

struct kt_site_req {
	__u64 addr;
	__u64 desc;		/* struct kt_desc_req followed by its parts */
	__u32 desc_len;		/* bytes of kt_desc_req and its parts together */
	__u32 flags;		/* KT_SITE_* */
	__u8  insn[KT_MAX_INSN];/* the bytes that the caller expects, without patches of ktrace */
	__u8  insn_len;		/* bytes of insn that the instruction has */
	__u8  method;		/*
				 * [in, out] KT_METHOD_*.  A jump begins as a breakpoint.  If one call sets more than
				 * KT_ANALYSE_NOW sites with KT_METHOD_AUTO (KT_ANALYSE_DRY in a dry run), the module
				 * decides later whether a jump is possible, and returns KT_METHOD_BREAKPOINT until then.
				 */
	__u8  updated;		/* [out] 1: replaced the options of an existing tracepoint */
	__u8  refusal;		/* [out] KT_REFUSE_*, 0 when accepted */
	__u32 id;		/* [out] descriptor id */
	__u64 nearest;		/* [out] nearest address that can be traced; 0: none is known */
	__u64 role;		/* struct kt_role, 0: none */
	union {
		__u64 cases;		/* struct kt_case[nr_cases] */
		/*
		 * KT_SITE_USER: the offset in the file of a 16-bit count in writable data, which the kernel raises by 1
		 * in each process that has the breakpoint; 0: none
		 */
		__u64 semaphore;
	};
	__u32 nr_cases;		/* at most KT_MAX_CASES; 0: none */
	__u32 process;		/*
				 * KT_SITE_USER: the kernel writes the breakpoint only where this process (an id in the
				 * initial pid namespace) maps the file.  0: wherever the file is mapped.  Another
				 * tracepoint at the address may need more; so the program must test the id, too
				 */
	__u32 aggregate;	/* id of an aggregate that its hits count in, see KT_IOC_AGGREGATE; 0: none */
	__u8  no_jump;		/* [out] KT_NO_JUMP_*: the reason for a breakpoint, or for KT_REFUSE_METHOD */
	__u8  windowed;		/* [out] 1: it is disarmed in windows (struct kt_status) */
	__u8  reserved[2];	/* 0 */
};

/*
 * A site of a recording can have a descriptor for each system call.  A hit that passes the filter of the site's own
 * descriptor records under the case with the number of the task's system call, under KT_CASE_OTHER if there is none.
 * The site's own descriptor emits nothing, and has no records.
 *
 * KT_REFUSE_DESC, for a case or for the site: the site has a role, EVERY or LIMIT, emits something, or is not in a
 * recording with wide rings; a case has a filter or a flag; two cases have one number; KT_CASE_OTHER is missing.
 */
struct kt_case {
	__u64 desc;		/* as in struct kt_site_req */
	__u32 desc_len;
	/* Less than KT_MAX_CASE_NUMBER; that of a call of 32-bit programs with KT_CASE_COMPAT; or KT_CASE_OTHER. */
	__u32 number;
	__u32 id;		/* [out] descriptor id */
	__u32 reserved;		/* 0 */
};

#define KT_MAX_CASES		1024
#define KT_MAX_CASE_NUMBER	4096
#define KT_CASE_COMPAT		0x40000000U
#define KT_CASE_OTHER		0xffffffffU

/*
 * addr is the address of a struct tracepoint of the kernel or a module.  Where kallsyms has no data symbols, it
 * is the address of its function __traceiter_NAME.  insn_len is 0, method KT_METHOD_AUTO.
 */
#define KT_SITE_EVENT	(1U << 0)
/*
 * addr is a number of enum kt_scratch: a site in the functions that KT_IOC_CALIBRATE calls.  KT_TRACE_OWNED
 * only.  The module replaces the number by the address.
 */
#define KT_SITE_SCRATCH	(1U << 1)
/*
 * addr is KT_RETURN_OF(first byte of a function).  The tracepoint is hit when a call of the function has
 * returned to its caller, whatever path it left by, tail calls included.  It uses a kretprobe of the kernel; it
 * does not see calls that began before it was set.  insn_len is 0, method KT_METHOD_AUTO.  The registers are
 * those of the caller just after the return.  The key of the call is the stack pointer at the function's entry.
 */
#define KT_SITE_RETURN	(1U << 2)

/*
 * An instruction of a program or library: addr is its offset in the file + the base that KT_IOC_FILE returned.  The
 * tracepoint is hit in every process that executes it, by a uprobe of the kernel.  method is KT_METHOD_AUTO, without a
 * role and cases.  The registers are those of the program.  The capture program reads memory of the program only:
 * addresses of the kernel are unreadable, KT_OP_EMITSTACK is refused.  A page that the kernel can bring in is brought in
 * before the hit, unless a process of user space would have to fill it (FUSE, userfaultfd).  Hits in 32-bit programs are
 * not recorded.
 */
#define KT_SITE_USER	(1U << 3)

/*
 * KT_IOC_FILE: name a file for KT_SITE_USER.  The base of a file stays the same while an open file of the device that has
 * named it, or a tracepoint in it, exists.  So long, its file system cannot be unmounted.  Afterwards no file gets that
 * base for a long time.
 * -EBADF: fd is not open for reading; -EACCES: not a regular file, or nothing can be executed there; -ENOEXEC: not a
 * 64-bit ELF file for this machine, or it has no instructions; -EREMOTE: a process of anybody may serve its file system (FUSE);
 * -ENFILE: too many files; -EIO, -ENOMEM.
 */
struct kt_file {
	__u32 size;
	__u32 flags;		/* 0 */
	__s32 fd;
	__u32 reserved;		/* 0 */
	__u64 base;		/* [out] */
};

/* The address of an instruction in a file: bit 62, the number of the file in bits 40 to 59, the offset below. */
#define KT_FILE_SHIFT		40
#define KT_FILE_BASE		(1ULL << 62)
#define KT_MAX_FILE_NUMBER	((1U << 20) - 1)
#define KT_FILE_OFFSET(addr)	((addr) & ((1ULL << KT_FILE_SHIFT) - 1))
#define KT_FILE_NUMBER(addr)	((__u32)((addr) >> KT_FILE_SHIFT) & KT_MAX_FILE_NUMBER)
#define KT_FILE_HAS(addr)	((addr) >> 60 == KT_FILE_BASE >> 60)

/* Kernel text lies in the upper half of the addresses, so no instruction has an address without this bit. */
#define KT_RETURN_BIT		(1ULL << 63)
#define KT_RETURN_OF(addr)	((addr) & ~KT_RETURN_BIT)

enum kt_scratch { KT_SCRATCH_ENTRY, KT_SCRATCH_RET, KT_SCRATCH_CALLED, KT_SCRATCH_RETURNED, KT_NR_SCRATCH };

enum kt_method {
	KT_METHOD_AUTO,		/* the module chooses */
	KT_METHOD_BREAKPOINT,	/* trap, then an out-of-line copy */
	KT_METHOD_JUMP,		/* jump to a trampoline */
	KT_METHOD_EVENT,	/* [out] the kernel calls ktrace at a static tracepoint */
	KT_METHOD_RETURN,	/* [out] KT_SITE_RETURN: a kretprobe calls ktrace */
	KT_METHOD_UPROBE,	/* [out] KT_SITE_USER: a uprobe calls ktrace; the kernel emulates the instruction */
	KT_METHOD_STEPPED,	/* [out] the same, but the kernel executes a copy by a single step, which is a second trap */
	KT_NR_METHODS,
};

/*
 * Why a site whose method allows a jump stays a breakpoint.  "There" are the instructions that the jump would replace.
 * A number never changes its meaning; new ones go to the end.
 */
enum kt_no_jump {
	KT_NO_JUMP_NONE,	/* it is a jump or will be one, a jump is not wanted, or that is not known yet */
	KT_NO_JUMP_TARGET,	/* a branch or a pointer in the data may lead to one of them behind the first */
	KT_NO_JUMP_INDIRECT,	/* the function has an indirect jump, and it is not proven that it does not lead there */
	KT_NO_JUMP_FUNCTION,	/* the function or code beside it cannot be decoded, or is too long to search */
	KT_NO_JUMP_TABLES,	/* this kernel hides the tables that name branch targets */
	KT_NO_JUMP_END,		/* there are not enough bytes before the end of the function */
	KT_NO_JUMP_FIXED,	/* the kernel patches one of them or looks it up by its address */
	KT_NO_JUMP_BRANCH,	/* one before the last calls, jumps or returns */
	KT_NO_JUMP_UNMOVABLE,	/* one of them cannot be executed elsewhere */
	KT_NO_JUMP_RANGE,	/* the memory for the code is too far away */
	KT_NO_JUMP_KPROBE,	/* a kprobe of others is there */
	KT_NO_JUMP_SITE,	/* another tracepoint is there */
	KT_NR_NO_JUMPS,
};

/* The reason why a site is refused.  A number never changes its meaning; new ones go to the end. */
enum kt_refusal {
	KT_REFUSE_NONE,
	KT_REFUSE_USER,		/* an address of user space */
	KT_REFUSE_NOT_TEXT,	/* not kernel text: data, unmapped memory, ... */
	KT_REFUSE_SELF,		/* in the ktrace module itself */
	KT_REFUSE_INIT,		/* init text, freed now or soon */
	KT_REFUSE_MODULE,	/* its module is being loaded or unloaded */
	KT_REFUSE_NO_SYMBOL,	/* no symbol covers it: instruction boundaries are unknown */
	KT_REFUSE_BOUNDARY,	/* in the middle of an instruction */
	KT_REFUSE_UNDECODABLE,	/* the bytes there, or before it, do not decode */
	KT_REFUSE_BLACKLIST,	/* on the kernel's kprobes blacklist, noinstr, or entry text */
	KT_REFUSE_IDLE,		/* cpuidle text: RCU may not be watching */
	KT_REFUSE_FTRACE,	/* patched by ftrace */
	KT_REFUSE_JUMP_LABEL,	/* patched as a jump label */
	KT_REFUSE_STATIC_CALL,	/* patched as a static call */
	KT_REFUSE_ALTERNATIVE,	/* patched as an alternative */
	KT_REFUSE_BUG,		/* a BUG() or WARN() instruction */
	KT_REFUSE_EXTABLE,	/* has an exception table entry */
	KT_REFUSE_BREAKPOINT,	/* another tool's breakpoint is there */
	KT_REFUSE_TRAP,		/* the instruction raises an exception itself */
	KT_REFUSE_SYSTEM,	/* iret, sysret, far transfer, VMX, SEV, ... */
	KT_REFUSE_SHADOW,	/* masks interrupts for one instruction: mov ss, sti; hlt */
	KT_REFUSE_RANGE,	/* no slot within reach of its operand */
	KT_REFUSE_UNKNOWN_INSN,	/* not known to be safe when executed out of line */
	KT_REFUSE_CHANGED,	/* the bytes there, or those of a scan, are not the expected ones */
	KT_REFUSE_PADDING,	/* padding or preamble in front of a function */
	KT_REFUSE_METHOD,	/* the requested method is not possible there */
	KT_REFUSE_PROGRAM,	/* the capture program is not valid */
	KT_REFUSE_DESC,		/* the descriptor is malformed */
	KT_REFUSE_NOMEM,	/* out of memory */
	KT_REFUSE_NOSLOT,	/* out of slots or descriptor ids */
	KT_REFUSE_TWICE,	/* the address appears twice in this call */
	KT_REFUSE_FULL,		/* max_sites are set already */
	KT_REFUSE_ENDBR,	/* an indirect branch target marker */
	KT_REFUSE_ENTRY_PATH,	/* runs on the breakpoint entry path, before ktrace recognises its own breakpoint */
	/*
	 * runs where no breakpoint can be handled: entry of a starting CPU, kexec, copied text; or KT_SITE_RETURN for a
	 * function that is to be disarmed in windows
	 */
	KT_REFUSE_NO_TRAPS,
	KT_REFUSE_INTERRUPTED,	/* the caller was killed before the module examined it */
	KT_REFUSE_NO_EVENT,	/* not a static tracepoint of the kernel */
	KT_REFUSE_EXCLUSIVE,	/* between a load-exclusive and its store: a trap makes the store fail */
	KT_REFUSE_TAKEN,	/* KT_SITE_SCRATCH: another open file is calibrating */
	KT_REFUSE_ROLE,		/* its role in a measurement is malformed */
	KT_REFUSE_CROWDED,	/* the address has KT_MAX_CONSUMERS tracepoints already */
	KT_REFUSE_NO_FUNCTION,	/* KT_SITE_RETURN: no function begins there */
	KT_REFUSE_NO_KRETPROBE,	/* KT_SITE_RETURN: the kernel accepts no kretprobe there */
	KT_REFUSE_NO_FILE,	/* KT_SITE_USER: no file has this base */
	KT_REFUSE_NOT_CODE,	/* KT_SITE_USER: not in an executable segment of the file */
	KT_REFUSE_NO_UPROBE,	/* KT_SITE_USER: the kernel accepts no uprobe at this instruction */
	KT_REFUSE_FILESYSTEM,	/* KT_SITE_USER: the kernel accepts no uprobe in files of this file system */
	KT_REFUSE_NO_PROCESS,	/* KT_SITE_USER: no process has that id */
	KT_NR_REFUSALS,
};

/*
 * A descriptor as the caller passes it:
 *
 *   struct kt_desc_req | struct kt_insn[prog_len] | char meta[meta_len]
 *
 * meta belongs to the controllers; the module only stores it.  It is one JSON object with the command as typed
 * and the layout of the records (docs/descriptor.md).
 */
struct kt_desc_req {
	__u32 size;		/* sizeof(struct kt_desc_req) */
	__u32 flags;		/* KT_DESC_* */
	__u64 late;		/* LATEFREEZE: stop recording after that many more records */
	__u32 prog_len;		/* capture instructions, at least 1 */
	__u32 meta_len;		/* bytes, at most KT_MAX_META */
	__u64 every;		/* record every n-th hit that passes the filter, beginning with the first; 0, 1: each */
	__u64 limit;		/* disarm the tracepoint after that many records; 0: no limit */
};

#define KT_DESC_FREEZE		(1U << 0)
#define KT_DESC_LATEFREEZE	(1U << 1)
#define KT_DESC_UNFREEZE	(1U << 2)
#define KT_DESC_TASKS		(1U << 3)	/* only in tasks of KT_IOC_PROCESS_TREE or _TASKS; needs KT_TRACE_OWNED */
/*
 * With KT_DESC_TASKS at a static tracepoint that tells about a task (the next of sched_switch, the one that sched_waking
 * and sched_wakeup wake, the receiver of signal_generate ...): also if that task is one of them.
 */
#define KT_DESC_ABOUT		(1U << 4)
/*
 * Leave out hits in ktrace's own processes: those that have opened the device, and those of KT_IOC_OWN.  Interrupts that come
 * while such a process runs are not left out.  Not in a recording, and without effect beside KT_DESC_TASKS: chosen tasks are
 * followed, whatever they are.
 */
#define KT_DESC_OTHERS		(1U << 5)
/* No machine code of its own: its hits by a jump take the path of the module's C code. */
#define KT_DESC_PLAIN		(1U << 6)
#define KT_DESC_FLAGS		((1U << 7) - 1)

/*
 * KT_IOC_DELETE: remove tracepoints, those at addrs or all of them.  Where an address has several, the call
 * removes the caller's own, else the persistent one.
 * -ENOENT: there is no tracepoint at one of the addresses, `bad` is its index; nothing was removed.
 * -EINTR: the caller was killed before anything was removed.
 * -EBUSY: a kprobe sits on the jump there; nothing was removed.  KT_DELETE_ALL removes all others.
 * -EPERM: another open file owns it; nothing was removed.  KT_DELETE_ALL leaves such tracepoints.
 */
struct kt_delete {
	__u32 size;
	__u32 flags;		/* KT_DELETE_ALL: addrs is not used, nr is 0 */
	__u32 nr;		/* at most KT_MAX_BATCH */
	__u32 nr_deleted;	/* [out] */
	__u64 addrs;		/* __u64[nr] */
	__u32 bad;		/* [out] */
	__u32 syncs;		/* [out] cross-CPU synchronisations that the call needed */
};

#define KT_DELETE_ALL		(1U << 0)
/* Skip addresses without a tracepoint, or only with KT_ROLE_HIDDEN ones.  Their module may be unloaded by now. */
#define KT_DELETE_LEFT		(1U << 1)

/*
 * KT_IOC_LIST: the tracepoints in the order in which they were set.  Call again with the returned cursor until
 * nr is 0.
 */
struct kt_list {
	__u32 size;
	__u32 nr;		/* [in] room at entries, [out] entries written */
	__u64 entries;		/* struct kt_list_entry[nr] */
	__u64 cursor;		/* [in, out] 0 for the first call */
};

struct kt_list_entry {
	__u64 addr;
	__u64 hits;		/* hits since it was set */
	__u64 missed;		/* hits that were not recorded, for any reason */
	__u32 id;		/* its descriptor */
	__u8  method;		/* KT_METHOD_* in use */
	__u8  insn_len;
	__u8  planned;		/* KT_METHOD_* that it will have soon; KT_METHOD_AUTO: not known yet */
	__u8  spent;		/* 1: its limit is reached; it is disarmed now or soon */
	__u8  insn[KT_MAX_INSN];/* the original bytes */
	__u64 unseen;		/* KT_METHOD_RETURN: missed hits for which the kernel had no free kretprobe instance */
	__u64 braked;		/* missed hits that the brake turned away */
	__u8  off;		/* 1: the brake has disarmed it; setting it again arms it */
	__u8  slow_path;	/* 1: it has a role and its hits take the slow path; calibrate with KT_ROLE_SLOW_PATH */
	__u8  no_jump;		/* KT_NO_JUMP_* */
	__u8  no_code;		/* KT_NO_CODE_* */
	__u32 compat;		/* KT_METHOD_UPROBE: hits in 32-bit programs, which are not recorded; at most ~0 */
	__u32 aggregate;	/* id of the aggregate that its hits count in; 0: none */
	__u32 code_bytes;	/* of machine code that the module has made for it; 0: none */
	__u8  windowed;		/* 1: it is disarmed in windows (struct kt_status); 2: in one just now */
	__u8  misfit;		/* 1: its jump still leads to a trampoline for other tracepoints: its hits take more time than they will */
	__u8  shared;		/* KT_SHARED_*; if not KT_SHARED_NOT, calibrate with KT_ROLE_SHARED_PATH */
	__u8  reserved[5];
};

/* What else is set at the address of a tracepoint. */
enum kt_shared {
	KT_SHARED_NOT,
	KT_SHARED_OTHERS,	/* other tracepoints: each hit serves all of them, one after the other */
	KT_SHARED_MEASURED,	/* and more than one of all has a role: what a hit costs a call depends on how many */
};

/* Why the module has made no machine code for the hits of a tracepoint. */
enum kt_no_code {
	KT_NO_CODE_NONE,	/* it has; or it cannot say why not */
	KT_NO_CODE_OFF,		/* codegen=0 */
	KT_NO_CODE_ARCH,	/* it makes none on this architecture, or with this clock */
	KT_NO_CODE_MANY,	/* set by a call with more than KT_ANALYSE_NOW sites */
	KT_NO_CODE_PLAIN,	/* KT_DESC_PLAIN */
	KT_NO_CODE_METHOD,	/* KT_METHOD_BREAKPOINT is requested, or it is neither an instruction nor an event of the kernel */
	KT_NO_CODE_OPTIONS,	/* limits, recording states, tasks, measurements, strings, walks of the stack */
	KT_NO_CODE_PROGRAM,	/* an instruction of its program, a filter of another form, an id above 254, no memory */
	KT_NR_NO_CODES,
};

/*
 * KT_IOC_CODE: the machine code for the hits of a tracepoint: the trampoline of its jump, and what the module has made for this
 * descriptor.  At buf come the bytes of the one, then those of the other.  -ENOENT: no such tracepoint at addr (any more), or
 * KT_ROLE_HIDDEN.  -ENOSPC: room is too small; nothing is written there.  -ENOMEM, -EFAULT.
 */
struct kt_code_get {
	__u32 size;
	__u32 id;		/* of its descriptor */
	__u64 addr;
	__u64 buf;
	__u32 room;
	__u32 trampoline_bytes;	/* [out] 0: it has no jump */
	__u64 trampoline;	/* [out] where CPUs execute it */
	__u32 displaced;	/* [out] where the displaced instructions begin in it */
	__u32 code_bytes;	/* [out] 0: there is none */
	__u64 code;		/* [out] where CPUs execute it */
	__u32 text_bytes;	/* [out] of code_bytes: instructions; what follows is data */
	__u32 trampoline_text;	/* [out] the same of trampoline_bytes */
};

/*
 * KT_IOC_DESC: the descriptor with this id, in the layout of struct kt_desc_req and its parts.
 * -ENOENT: there is no such descriptor (any more).  -ENOSPC: room is too small; len is the needed size.  The
 * module reuses an id only when no unseen record has it.  A reader that finds an older record of the same id
 * tells the two descriptors apart by `born`.
 */
struct kt_desc_get {
	__u32 size;
	__u32 id;
	__u64 buf;
	__u32 room;
	__u32 len;		/* [out] */
	__u64 addr;		/* [out] the address where it was set */
	__u64 born;		/* [out] ticks: all its records are younger */
};

#endif
