/* SPDX-License-Identifier: MIT */
/* sequences.h - what section.S of this folder has, and what it needs to be told. */
#ifndef KTRACE_USER_SEQUENCES_H
#define KTRACE_USER_SEQUENCES_H

#include <stdint.h>

#define KTU_HAS_SEQUENCES	1	/* restartable ones */
#define KTU_HAS_PARTS		1	/* 1: ktrace_write_parts() is in section.S; 0: in write.c */

/* Has the processor registers that copy more at once, and does the kernel save them? */
static inline uint32_t ktu_has_wide(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx") != 0;
}

#endif
