/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * switches.h - the switches of tracepoints of a process: bytes of its private memory, whose pages are pinned.
 *
 * So a switch can be set at any time and in any context that may not wait, whatever the process does meanwhile: it may unmap
 * the page, or replace it, and then just does not see the switch any more.
 */
#ifndef KTRACE_SWITCHES_H
#define KTRACE_SWITCHES_H

#include <linux/list.h>
#include <linux/types.h>

#include "core/ktrace_abi.h"

struct kt_switch {
	unsigned long address;		/* in the process */
	u8 *at;
	u32 id;
};

/* The tracepoints of one call of KT_USER_IOC_SITES. */
struct kt_switches {
	struct list_head link;		/* for the owner */
	u64 part;			/* struct kt_user_sites */
	u32 nr, nr_pages, nr_pinned;
	u32 nr_kept;			/* pages that stay in memory: nr_pages, and the rest of each huge page among them */
	struct page **pages;
	struct kt_switch v[];
};

/* Of the current process, whose memory is read, which may take long.  ktrace_abi.h has the errors, as ERR_PTR. */
struct kt_switches *kt_switches_read(const struct kt_user_sites *arg);
/* So many pages more stay in memory: count them to the quota and to nr_kept, or return an error. */
typedef int (*kt_more_pages_fn)(void *arg, struct kt_switches *switches, u32 nr);
/*
 * Pin nr_pages pages, which the caller has counted to a quota.  May take long, as well.  After an error only free them.
 * more() is called for each huge page.
 */
int kt_switches_pin(struct kt_switches *switches, kt_more_pages_fn more, void *arg);
/* Set all: on where the bit of the id is set; NULL: off. */
void kt_switches_set(const struct kt_switches *switches, const unsigned long *wanted);
/* NULL is allowed.  Sleepable. */
void kt_switches_free(struct kt_switches *switches);

#endif
