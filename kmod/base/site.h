/* SPDX-License-Identifier: GPL-2.0-only */
/* site.h - a probe site: what is traced: an address in kernel text, a static tracepoint, a function return, an instruction of a program. */
#ifndef KTRACE_SITE_H
#define KTRACE_SITE_H

#include <linux/list.h>
#include <linux/types.h>

#include "core/ktrace_abi.h"

#define KT_MAX_SITES	65536	/* at the same time */
#define KT_MAX_BRANCHES	3	/* among displaced instructions: at most 4 bytes lie before the last, a branch has 2 */

struct kt_desc;
struct kt_retprobe;
struct kt_uprobe;
struct module;
struct tracepoint;

/* The patch in the text, and where execution continues after a hit by the breakpoint. */
enum kt_site_state {
	KT_SITE_OFF,		/* the original text */
	KT_SITE_BREAKPOINT,	/* a breakpoint; continues in `plain` */
	KT_SITE_READY,		/* a breakpoint; continues in `displaced_slot` */
	KT_SITE_JUMP,		/* a jump over the displaced instructions */
	KT_SITE_BROKEN,		/* a breakpoint over the head of a jump; continues in `displaced_slot` */
};

struct kt_site {
	struct hlist_node hash;		/* RCU; readers: the breakpoint hook */
	unsigned long addr;
	/*
	 * The descriptor of the only consumer, or kt_shared_desc for several consumers.  NULL until the first
	 * consumer is live.  RCU; readers: hits, with interrupts off.
	 */
	struct kt_desc __rcu *desc;
	const void *direct;		/* where a direct trampoline, or the probe of an event, goes on for that descriptor: see kmod/text/code.h */
	void *slot;			/* where a hit by the breakpoint continues: one of the next two; READ_ONCE() */
	void *plain;			/*  a copy of the instruction */
	void *displaced_slot;		/*  a copy of the displaced instructions, in the trampoline */
	void *trampoline;		/* NULL: not needed so far */
	unsigned long branch_targets[KT_MAX_BRANCHES];	/* of the displaced instructions; 0: no more */
	u8 insn[KT_MAX_INSN];		/* the original instruction */
	u8 insn_len;
	u8 displaced_len;		/* bytes that a jump replaces; 0: a jump is not possible */
	u8 no_jump;			/* KT_NO_JUMP_*: the reason why displaced_len is 0 */
	u8 state;			/* enum kt_site_state */
	bool analysed;			/* displaced_len, no_jump and flags_dead are valid */
	bool flags_dead;		/* the code behind the site writes all arithmetic flags before it reads any; false where CPUs have none */
	u8 form;			/* of the trampoline; the architecture's own number */
	bool wants_jump;		/* the requested method allows a jump */
	u8 shared;			/* enum kt_shared */
	bool spent;			/* disarmed: the limits of all its consumers are reached */
	bool braked;			/* disarmed by the brake, until one of its tracepoints is set again */
	bool internal;			/* a site of the module itself: users can neither list nor change it */
	bool text_goes;			/* its module is being unloaded: the text needs no restoring */
	bool windowed;			/* table/window.h: to be disarmed in windows */
	bool faultable;			/* a static tracepoint whose probes may sleep */
	bool lifted;			/* table/window.h: disarmed for a window, whatever `state` says */
	u8 displaced[KT_MAX_INSN];	/* the original bytes of the displaced instructions */
	struct list_head consumers;	/* struct kt_consumer; RCU, readers: hits */
	u64 order;			/* increases with each site ever set; 0: not published */
	struct tracepoint *event;	/* NULL: not a static tracepoint */
	unsigned long entry;		/* event: its iterator; retprobe: the start of the function */
	struct kt_retprobe *retprobe;	/* NULL: not a function return */
	struct kt_uprobe *uprobe;	/* NULL: not an instruction of a program */
	bool called;			/* event, retprobe or uprobe: armed, the kernel calls ktrace */
	struct module *module;		/* the module with its text (or event); NULL: the kernel */
	struct list_head jump;		/* sites whose jump is being written or removed */
	struct list_head leaving;	/* sites that are being disarmed */
	struct list_head window;	/* table/window.c: windowed sites that are not KT_SITE_OFF */
	struct list_head list;		/* all sites by order, or the sites to be freed */
	u64 load;			/* brake_disarm.c: ticks that its hits took on one CPU */
};

/* Is it disarmed, although it stays in the table? */
static inline bool kt_site_is_off(const struct kt_site *site)
{
	return site->spent || site->braked;
}

/* Is it an instruction that ktrace patches? */
static inline bool kt_site_is_text(const struct kt_site *site)
{
	return !site->event && !site->retprobe && !site->uprobe;
}

#endif
