/* SPDX-License-Identifier: GPL-2.0-or-later */
/* desc.h - replaces the module's header: the fields that trampolines read. */
#ifndef SHIM_DESC_H
#define SHIM_DESC_H

#include <linux/types.h>

#include "arch/x86/kmod/frame.h"

/* The offset of all_regs is in the assembler code, too: KT_DESC_ALL_REGS. */
struct kt_desc {
	u8 others[KT_DESC_ALL_REGS];
	bool all_regs, has_hit;
};

#endif
