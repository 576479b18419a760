/* SPDX-License-Identifier: MIT */
/* layout.h - offsets of the fields that section.S uses; start.c compares them with the structures. */
#ifndef KTRACE_USER_LAYOUT_H
#define KTRACE_USER_LAYOUT_H

#define SITE_HEAD	0
#define SITE_ID		4

#define RSEQ_CPU_START	0
#define RSEQ_CPU	4
#define RSEQ_CS		8

#define SELF_TID	32
#define SELF_LANE	48

#define LANE_SHIFT	6
#define LANE_RING	0
#define LANE_TID	24
#define LANE_SUB_UNITS	36
#define LANE_NUMBER	40
#define LANE_EPOCH	44
#define LANE_PACKET	48
#define LANE_LAST_UNIT	56

#define RING_WORD	0

#define PARTS_BYTES	0
#define PARTS_SIZES	8
#define PARTS_NR	16
#define PARTS_WORDS	24

#define COMMIT_CPU	0
#define COMMIT_NR	4
#define COMMIT_COMPARE	8
#define COMMIT_EXPECT	16
#define COMMIT_STORE	24
#define COMMIT_VALUE	32
#define COMMIT_COPIES	40
#define COPY_TO		0
#define COPY_FROM	8
#define COPY_WORDS	16
#define COPY_SIZE	24

#endif
