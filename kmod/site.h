/* SPDX-License-Identifier: GPL-2.0-only */
/* site.h - a place in the kernel's text that is traced. */
#ifndef KTRACE_SITE_H
#define KTRACE_SITE_H

#include <linux/list.h>
#include <linux/types.h>

#include "ktrace_abi.h"

struct kt_desc;
struct kt_owner;
struct module;
struct tracepoint;

struct kt_site_counts {
	u64 recorded;
	u64 missed;
};

/* What stands in the text, and where a breakpoint leads. */
enum kt_site_state {
	KT_SITE_OFF,		/* nothing of ours */
	KT_SITE_BREAKPOINT,	/* a breakpoint; on in the plain slot */
	KT_SITE_READY,		/* a breakpoint; on in the copy of the whole region */
	KT_SITE_JUMP,		/* a jump over the region */
};

struct kt_site {
	struct hlist_node hash;		/* RCU; readers: the breakpoint hook */
	unsigned long addr;
	struct kt_desc __rcu *desc;	/* readers: hits, with interrupts off */
	struct kt_site_counts __percpu *counts;
	void *slot;			/* where execution goes on after a breakpoint: one of: */
	void *plain;			/*  a copy of the instruction */
	void *region_slot;		/*  a copy of the region, in the trampoline */
	void *trampoline;		/* NULL: none was needed so far */
	unsigned long branch_target;	/* where the displaced instruction may branch to, else 0 */
	u8 insn[KT_MAX_INSN];		/* what stands there when it is not armed */
	u8 insn_len;
	u8 region_len;			/* bytes that a jump replaces, 0: it cannot be had */
	u8 state;			/* enum kt_site_state */
	bool analysed;			/* region_len is known */
	bool wants_jump;		/* the method that was asked for allows it */
	bool updating;			/* in the batch that is being set */
	bool spent;			/* disarmed, its descriptor's limit being reached */
	bool internal;			/* the module's own: neither listed nor changed */
	bool orphan;			/* its owner is gone, and it is to go */
	u8 region[KT_MAX_INSN];		/* what stood in them */
	const struct kt_owner *owner;	/* the open file whose it is, NULL: nobody's, it stays */
	u64 order;			/* rises with each site ever set: the order of list */
	struct tracepoint *event;	/* a static tracepoint, NULL: an instruction */
	unsigned long entry;		/* of the function that stands for the call of an event */
	bool event_armed;		/* the kernel calls us */
	struct module *module;		/* whose text (or event) it is, NULL for the kernel's */
	struct list_head jump;		/* those whose jump is being written or taken back */
	struct list_head list;		/* all sites by order, or a list of sites to go */
};

#endif
