/* SPDX-License-Identifier: GPL-2.0-only */
/* x86.h - what the planted functions must know of this machine. */
#ifndef KTRUTH_ARCH_H
#define KTRUTH_ARCH_H

#include <asm/nmi.h>
#include <asm/vsyscall.h>

#define KTRUTH_DEVICE		0xfec00000	/* an interrupt controller */
#define KTRUTH_COMBINING	0xfed00000	/* a timer */
#define KTRUTH_FIXED		VSYSCALL_ADDR	/* mapped for user space, or not at all */

/* Have an NMI handler called, or no longer. */
#define KTRUTH_HAS_NMI
#define ktruth_register_nmi(handler)	register_nmi_handler(NMI_LOCAL, handler, 0, "ktruth")
#define ktruth_unregister_nmi()		unregister_nmi_handler(NMI_LOCAL, "ktruth")

#endif
