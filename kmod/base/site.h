/* SPDX-License-Identifier: GPL-2.0-only */
/* site.h - a place in the kernel's text that is traced. */
#ifndef KTRACE_SITE_H
#define KTRACE_SITE_H

#include <linux/list.h>
#include <linux/types.h>

#include "core/ktrace_abi.h"

/* As many at once. */
#define KT_MAX_SITES	65536

struct kt_desc;
struct kt_retprobe;
struct module;
struct tracepoint;

/* What stands in the text, and where a breakpoint leads. */
enum kt_site_state {
	KT_SITE_OFF,		/* nothing of ours */
	KT_SITE_BREAKPOINT,	/* a breakpoint; on in the plain slot */
	KT_SITE_READY,		/* a breakpoint; on in the copy of the whole displaced instructions */
	KT_SITE_JUMP,		/* a jump over the displaced instructions */
	KT_SITE_BROKEN,		/* a breakpoint over the head of a jump; on in the copy of the displaced instructions */
};

struct kt_site {
	struct hlist_node hash;		/* RCU; readers: the breakpoint hook */
	unsigned long addr;
	/*
	 * What a hit does: the descriptor of the one consumer, or kt_shared_desc where there are several.  NULL
	 * before the first is live.  Readers: hits, with interrupts off.
	 */
	struct kt_desc __rcu *desc;
	void *slot;			/* where execution goes on after a breakpoint, READ_ONCE() in hits: one of: */
	void *plain;			/*  a copy of the instruction */
	void *displaced_slot;		/*  a copy of the displaced instructions, in the trampoline */
	void *trampoline;		/* NULL: none was needed so far */
	unsigned long branch_target;	/* where the displaced instruction may branch to, else 0 */
	u8 insn[KT_MAX_INSN];		/* what stands there when it is not armed */
	u8 insn_len;
	u8 displaced_len;		/* bytes that a jump replaces, 0: it cannot be had */
	u8 state;			/* enum kt_site_state */
	bool analysed;			/* displaced_len is known */
	bool wants_jump;		/* the method that was asked for allows it */
	bool spent;			/* disarmed: the limits of all its consumers are reached */
	bool braked;			/* disarmed by the brake, until one of its tracepoints is set again */
	bool internal;			/* the module's own: neither listed nor changed */
	bool text_goes;			/* its module is going, and takes along what stands there */
	u8 displaced[KT_MAX_INSN];	/* what stood in them */
	struct list_head consumers;	/* struct kt_consumer; RCU, readers: hits */
	u64 order;			/* rises with each site ever set, 0: not published */
	struct tracepoint *event;	/* a static tracepoint, NULL: an instruction */
	unsigned long entry;		/* of the function that stands for the call of an event */
	struct kt_retprobe *retprobe;	/* the return of a function, NULL: an instruction or event */
	bool called;			/* armed: the kernel calls us, of an event or a return */
	struct module *module;		/* whose text (or event) it is, NULL for the kernel's */
	struct list_head jump;		/* those whose jump is being written or taken back */
	struct list_head leaving;	/* those that are being disarmed */
	struct list_head list;		/* all sites by order, or those to be freed */
	u64 load;			/* brake_disarm.c: ticks that its hits on some CPU took */
};

/* It stays in the table, but nothing leads to it. */
static inline bool kt_site_is_off(const struct kt_site *site)
{
	return site->spent || site->braked;
}

/* Is it an instruction that we patch ourselves? */
static inline bool kt_site_is_text(const struct kt_site *site)
{
	return !site->event && !site->retprobe;
}

#endif
