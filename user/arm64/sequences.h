/* SPDX-License-Identifier: MIT */
/* sequences.h - what section.S of this folder has, and what it needs to be told. */
#ifndef KTRACE_USER_SEQUENCES_H
#define KTRACE_USER_SEQUENCES_H

#include <stdint.h>

#define KTU_HAS_SEQUENCES	1	/* restartable ones */
#define KTU_HAS_PARTS		0	/* 1: ktrace_write_parts() is in section.S; 0: in write.c */

/* The answer does not matter here: section.S copies with the same registers on all processors. */
static inline uint32_t ktu_has_wide(void)
{
	return 0;
}

#endif
