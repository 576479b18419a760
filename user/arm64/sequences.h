/* SPDX-License-Identifier: MIT */
/* sequences.h - what section.S of this folder has, and what it needs to be told. */
#ifndef KTRACE_USER_SEQUENCES_H
#define KTRACE_USER_SEQUENCES_H

#include <stdint.h>

#define KTU_HAS_SEQUENCES	1	/* restartable ones */
#define KTU_HAS_PARTS		0	/* section.S has ktrace_write_parts(); else write.c has it */

/* section.S of this architecture does not use it. */
static inline uint32_t ktu_has_wide(void)
{
	return 0;
}

#endif
