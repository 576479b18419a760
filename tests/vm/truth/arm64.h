/* SPDX-License-Identifier: GPL-2.0-only */
/* arm64.h - what the planted functions must know of this machine, QEMU's `virt`. */
#ifndef KTRUTH_ARCH_H
#define KTRUTH_ARCH_H

#define KTRUTH_DEVICE		0x09010000	/* a clock */
#define KTRUTH_COMBINING	0x09030000	/* general-purpose pins */
#define KTRUTH_FIXED		(-2 * PAGE_SIZE)	/* nothing is there */

#endif
