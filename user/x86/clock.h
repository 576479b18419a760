/* SPDX-License-Identifier: MIT */
/* clock.h - the counter that section.S reads. */
#ifndef KTRACE_USER_CLOCK_H
#define KTRACE_USER_CLOCK_H

#include <stdint.h>

#define KTU_CLOCK	"tsc"
#define KTU_MACHINE	62	/* of ELF */

static inline uint64_t ktu_ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high) :: "memory");
	return (uint64_t)high << 32 | low;
}

/* section.S does not ask. */
static inline uint32_t ktu_clock_is_ordered(void)
{
	return 0;
}

/* Is the counter the kernel's clock?  Otherwise CPUs may disagree about it.  `source` is the kernel's name of its own. */
static inline int ktu_clock_is_good(const char *source)
{
	return source[0] == 't' && source[1] == 's' && source[2] == 'c';
}

#endif
