/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * own_desc.h - the descriptor of records that the module itself writes: the begin and the end of a window
 * (kmod/table/window.h).  Readers get it by KT_IOC_DESC and print its records as those of any tracepoint.
 */
#ifndef KTRACE_OWN_DESC_H
#define KTRACE_OWN_DESC_H

#include <linux/types.h>

struct kt_rings;

/* The payload of such a record. */
struct kt_window_record {
	u32 ends;		/* 0: the window begins; 1: it ends */
	u32 why;		/* enum kt_window_why */
	s32 cpu;		/* that starts or has started; -1: none */
	u32 sites;		/* so many are disarmed, or armed again */
};

/* In this order, the descriptor has their names. */
enum kt_window_why { KT_WINDOW_CPU, KT_WINDOW_SLEEP, KT_WINDOW_REBOOT };

/* Make the descriptor, if there is none.  It stays until the module is unloaded.  -ENOMEM, -ENOSPC.  Sleepable. */
int kt_own_desc_make(void);

/* Its id; 0: there is none, and so no record.  Any context. */
u32 kt_own_desc_id(void);

/* Write a record into the ring of this CPU, unless recording is frozen there.  Any task context. */
void kt_own_desc_record(struct kt_rings *rings, const struct kt_window_record *record);

void kt_own_desc_exit(void);	/* nothing records any more; after kt_desc_exit() */

#endif
