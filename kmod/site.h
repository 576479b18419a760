/* SPDX-License-Identifier: GPL-2.0-only */
/* site.h - a place in the kernel's text that is traced. */
#ifndef KTRACE_SITE_H
#define KTRACE_SITE_H

#include <linux/list.h>
#include <linux/types.h>

#include "ktrace_abi.h"

struct kt_desc;
struct module;

struct kt_site_counts {
	u64 hits;
	u64 missed;
};

struct kt_site {
	struct hlist_node hash;		/* RCU; readers: the breakpoint hook */
	unsigned long addr;
	struct kt_desc __rcu *desc;	/* readers: hits, with interrupts off */
	struct kt_site_counts __percpu *counts;
	void *slot;			/* where execution goes on after a hit */
	u8 insn[KT_MAX_INSN];		/* what stands there when it is not armed */
	u8 insn_len;
	u8 method;			/* KT_METHOD_* */
	bool armed;
	bool updating;			/* in the batch that is being set */
	u64 order;			/* rises with each site ever set: the order of list */
	struct module *module;		/* whose text it is, NULL for the kernel's */
	struct list_head list;		/* all sites by order, or a list of sites to go */
};

#endif
