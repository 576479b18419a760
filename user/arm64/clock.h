/* SPDX-License-Identifier: MIT */
/* clock.h - the counter of this architecture. */
#ifndef KTRACE_USER_CLOCK_H
#define KTRACE_USER_CLOCK_H

#include <stdint.h>
#include <sys/auxv.h>

#define KTU_CLOCK	"arch_sys_counter"
#define KTU_MACHINE	183	/* of ELF */

static inline uint64_t ktu_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks) :: "memory");
	return ticks;
}

#define KTU_HWCAP2_ECV	(1UL << 19)

/* 1: the CPUs have a register for it that is read in the order of the program.  0: a barrier must precede a read. */
static inline uint32_t ktu_clock_is_ordered(void)
{
	return getauxval(AT_HWCAP2) & KTU_HWCAP2_ECV ? 1 : 0;
}

/* All CPUs have one counter. */
static inline int ktu_clock_is_good(const char *source)
{
	return source[0] != 0;
}

#endif
