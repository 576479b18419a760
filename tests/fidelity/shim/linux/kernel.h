/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel.h - the kernel's macros that the code under test uses. */
#ifndef SHIM_LINUX_KERNEL_H
#define SHIM_LINUX_KERNEL_H

#include <asm/byteorder.h>
#include <linux/types.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define fallthrough		__attribute__((__fallthrough__))
#define BUILD_BUG()		__builtin_unreachable()
#define BUILD_BUG_ON(condition)	_Static_assert(!(condition), "")

#endif
