/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * own_desc.h - the descriptors of records that the module itself writes: the begin and the end of a window
 * (kmod/table/window.h), and what could not be read at a hit but later (late.h).  Readers get them by KT_IOC_DESC.
 */
#ifndef KTRACE_OWN_DESC_H
#define KTRACE_OWN_DESC_H

#include <linux/types.h>

struct kt_rings;

enum kt_own_desc { KT_OWN_DESC_WINDOW, KT_OWN_DESC_LATE, KT_NR_OWN_DESCS };

/* The payloads of such records. */
struct kt_window_record {
	u32 ends;		/* 0: the window begins; 1: it ends */
	u32 why;		/* enum kt_window_why */
	s32 cpu;		/* that starts or has started; -1: none */
	u32 sites;		/* so many are disarmed, or armed again */
};

#define KT_LATE_BYTES	516	/* KT_MAX_STR, as a number that can be in a text */

struct kt_late_record {
	u32 desc;		/* id of the descriptor of the hit */
	u32 item;		/* that could not be read: its bit in the mask of KT_OP_FAULTS */
	u32 time[2];		/* of the hit, the low half first */
	s32 tid;
	u8 bytes[KT_LATE_BYTES];	/* the item, as the hit would have recorded it; 0 behind it */
};

/* In this order, the descriptor has their names. */
enum kt_window_why { KT_WINDOW_CPU, KT_WINDOW_SLEEP, KT_WINDOW_REBOOT };

/* Make the descriptor, if there is none.  It stays until the module is unloaded.  -ENOMEM, -ENOSPC.  Sleepable. */
int kt_own_desc_make(enum kt_own_desc which);

/* Its id; 0: there is none, and so no record.  Any context. */
u32 kt_own_desc_id(enum kt_own_desc which);

/* Write such a record into the ring of this CPU, unless recording is frozen there.  Any task context. */
void kt_own_desc_record(struct kt_rings *rings, enum kt_own_desc which, const void *record);

void kt_own_desc_exit(void);	/* nothing records any more; after kt_desc_exit() */

#endif
