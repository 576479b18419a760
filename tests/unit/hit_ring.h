/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hit_ring.h - where the generated code of a hit records: the memory of a ring, and what the module keeps of its rings. */
#ifndef HIT_RING_H
#define HIT_RING_H

#include "core/ring.h"

#define HIT_SUB		4096
#define HIT_SUBS	4
#define HIT_ID		0x1234
#define HIT_NARROW_ID	0x5a
#define HIT_OTHER_ID	77	/* of a record that comes between two instructions of the code */

static struct hit_rings {
	u64 recording;
	u8 wake_next;
} hit_rings;

static struct kt_ring_ctl hit_ctl;
static u64 hit_commit[HIT_SUBS];
static u8 hit_data[HIT_SUB * HIT_SUBS] __attribute__((aligned(8)));

/* An empty ring. */
static void hit_ring_reset(struct kt_ring *ring, bool wide)
{
	memset(&hit_ctl, 0, sizeof(hit_ctl));
	memset(hit_commit, 0, sizeof(hit_commit));
	memset(hit_data, 0, sizeof(hit_data));
	memset(&hit_rings, 0, sizeof(hit_rings));
	kt_ring_init(ring, &hit_ctl, hit_commit, hit_data, HIT_SUB, HIT_SUBS, 0, wide, hit_data);
}

#endif
