/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compat_call.h - a system call as 32-bit programs make it, for tests. */
#ifndef COMPAT_CALL_H
#define COMPAT_CALL_H

#define HAS_COMPAT_CALL	1

/* Returns what the call returned, or `number` where the kernel has no calls of 32-bit programs. */
static inline long compat_call(long number)
{
	__asm__ volatile("int $0x80" : "+a"(number) : : "memory", "r8", "r9", "r10", "r11");
	return number;
}

#endif
