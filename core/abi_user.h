/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * abi_user.h - a part of ktrace_abi.h: processes that offer tracepoints (libktrace).  Include that.
 *
 * A process registers with KT_USER_DEVICE, which can do nothing else: it hands over a memory file in which it describes its
 * tracepoints and will write its events, and says where the switch of each tracepoint is: one byte, which the program tests.
 * A registration ends with the memory of the process, so at exit, exec or kill; no descriptor has to stay open.  A
 * controller lists the registrations, reads their files and sets their switches through KT_USER_CONTROL.
 *
 * Both nodes belong to a module of its own, ktrace_user.ko, which trusts nothing of this: it writes 0 or 1 to private memory
 * that the process had itself, and reads no file.
 *
 * The calls of a process never change: programs have them inside.  Those of a controller belong to the control ABI.
 */
#ifndef KTRACE_ABI_USER_H
#define KTRACE_ABI_USER_H

#include <linux/types.h>
#include <linux/ioctl.h>

#define KT_USER_DEVICE		"/dev/ktrace-user"
#define KT_USER_CONTROL		"/dev/ktrace-user-control"

/*
 * The minor number of KT_USER_DEVICE among misc devices, of those for local use (243 to 254); the kernel never gives one of them
 * to a driver that takes any.  So the node can exist before the module is loaded, and to open it then loads the module.
 */
#define KT_USER_MINOR		247

#define KT_USER_MAX_SITES	65535	/* tracepoints of a process; their ids are at most this */
#define KT_USER_MAX_LIST	4096	/* registrations listed by one call */

/* ------------------------------------------------------------------ calls of a process */

#define KT_USER_IOC_REGISTER	_IO('k', 0x00)	/* struct kt_user_register */
#define KT_USER_IOC_SITES	_IO('k', 0x01)	/* struct kt_user_sites */
#define KT_USER_IOC_FORGET	_IO('k', 0x02)	/* struct kt_user_forget */

/*
 * KT_USER_IOC_REGISTER: once for each memory of a process.  With KT_USER_CHILD, and if the parent of the process is switched
 * on, the tracepoints of this one are switched on as those of its parent with the same ids.
 * -EEXIST: this memory is registered already; -EBADF: not an open file; -EINVAL: not a file of memfd_create(), or empty;
 * -EDQUOT: the user has too many processes here (module parameter user_processes); -EOPNOTSUPP: other flags, or the kernel
 * does not tell when a process' memory ends (CONFIG_MMU_NOTIFIER); -ENOMEM, -EINTR.
 */
struct kt_user_register {
	__u32 size;
	__u32 flags;		/* KT_USER_CHILD */
	__s32 memory;		/* a descriptor, which may be closed afterwards */
	__u32 reserved;		/* 0 */
};

#define KT_USER_CHILD		(1U << 0)

/*
 * KT_USER_IOC_SITES: more tracepoints of this process, of one part of it.  Their switches are then 0, or as the controller
 * wants them.  With an error no tracepoint of the call is known.
 * -ENOENT: this memory is not registered; -EINVAL: no tracepoint, too many, an id that is too large, or a switch that is not
 * in private memory; -EFAULT; -EDQUOT: the user has too many tracepoints, or too many pages with them (module parameters
 * user_sites, user_pages); -ENOMEM, -EINTR.
 */
struct kt_user_sites {
	__u32 size;
	__u32 nr;		/* at most KT_USER_MAX_SITES */
	__u64 sites;		/* struct kt_user_site[nr] */
	__u64 part;		/* any number, for KT_USER_IOC_FORGET */
};

struct kt_user_site {
	__u64 address;		/* of the switch */
	__u32 id;		/* 0: the switch says whether anything is on */
	__u32 reserved;		/* 0 */
};

/* KT_USER_IOC_FORGET: the tracepoints of a part are gone.  -ENOENT: no part has this number, or as above. */
struct kt_user_forget {
	__u32 size;
	__u32 reserved;		/* 0 */
	__u64 part;
};

/* ------------------------------------------------------------------ calls of a controller */

#define KT_IOC_USER_HELLO	_IO('k', 0x10)	/* struct kt_user_hello */
#define KT_IOC_USER_LIST	_IO('k', 0x11)	/* struct kt_user_list */
#define KT_IOC_USER_OPEN	_IO('k', 0x12)	/* struct kt_user_open */
#define KT_IOC_USER_SWITCH	_IO('k', 0x13)	/* struct kt_user_switch */

/*
 * KT_IOC_USER_HELLO must be the first call on an open file of KT_USER_CONTROL; until it has succeeded every other call fails
 * with -EPROTO.  Its number and its structure will never change.
 * -EPROTO: the versions differ; abi then holds that of the module.
 */
struct kt_user_hello {
	__u32 size;
	__u32 abi;		/* [in, out] KT_ABI_VERSION */
	__u32 flags;		/* 0 */
	__u32 reserved;		/* 0 */
};

/* KT_IOC_USER_LIST: list registrations, by rising id. */
struct kt_user_list {
	__u32 size;
	__u32 nr;		/* [in] room at entries, [out] entries written, at most KT_USER_MAX_LIST */
	__u64 entries;		/* struct kt_user_entry[nr] */
	__u64 after;		/* only those with greater ids */
	__u64 refused;		/* [out] registrations and tracepoints that a quota has refused, since load */
};

struct kt_user_entry {
	__u64 id;		/* of the registration; never used again */
	__s32 pid, parent;	/* in the pid namespace of the caller, when it registered; 0: not visible there */
	__u32 uid;		/* effective user id, in the initial user namespace */
	__u32 nr_sites;
	__u32 flags;		/* KT_USER_ON and so on */
	__u32 changes;		/* how often its tracepoints have changed */
	char  comm[16];
};

#define KT_USER_ON		(1U << 0)	/* a controller has switched tracepoints on */
#define KT_USER_OWN		(1U << 1)	/* this open file has switched it, and may do it again */
#define KT_USER_ENDED		(1U << 2)	/* the process has ended; kept for the controller that switched it */

/*
 * KT_IOC_USER_OPEN: a descriptor of the memory file of a registration.  Whether it is sealed, and what is in it, the caller
 * must check.  -ENOENT: there is no such registration; -EMFILE.
 */
struct kt_user_open {
	__u32 size;
	__s32 fd;		/* [out] */
	__u64 id;
};

/*
 * KT_IOC_USER_SWITCH: switch the tracepoints with these ids on, and all others off.  nr 0: all are off.  From the first call
 * until KT_USER_RELEASE, or until this open file is closed, nobody else can switch this registration; then all are off.
 * A process that ends meanwhile is kept for this file until then: its memory can be opened.
 * -ENOENT: there is no such registration; -EBUSY: another open file has switched it; -EINVAL: an id is too large, or ids with
 * KT_USER_RELEASE; -ENOMEM; -EFAULT; -EINTR.
 */
struct kt_user_switch {
	__u32 size;
	__u32 nr;
	__u64 id;
	__u64 ids;		/* __u32[nr] */
	__u32 flags;		/* KT_USER_RELEASE */
	__u32 reserved;		/* 0 */
};

#define KT_USER_RELEASE		(1U << 0)

#endif /* KTRACE_ABI_USER_H */
