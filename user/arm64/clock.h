/* SPDX-License-Identifier: MIT */
/* clock.h - the counter of this architecture. */
#ifndef KTRACE_USER_CLOCK_H
#define KTRACE_USER_CLOCK_H

#include <stdint.h>

#define KTU_CLOCK	"arch_sys_counter"
#define KTU_MACHINE	183	/* of ELF */

static inline uint64_t ktu_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks) :: "memory");
	return ticks;
}

/* All CPUs have one counter. */
static inline int ktu_clock_is_good(const char *source)
{
	return source[0] != 0;
}

#endif
