/* SPDX-License-Identifier: GPL-2.0-only */
/* truth_arch.h - addresses that every machine of this architecture has. */
#ifndef KTRUTH_ARCH_H
#define KTRUTH_ARCH_H

#include <asm/vsyscall.h>

#define TRUTH_DEVICE		0xfec00000	/* an interrupt controller */
#define TRUTH_DEVICE_COMBINING	0xfed00000	/* a timer */
#define TRUTH_END_OF_USER	TASK_SIZE_MAX
#define TRUTH_FIXED		VSYSCALL_ADDR	/* the kernel's own, but for user space */

#endif
