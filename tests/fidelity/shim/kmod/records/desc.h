/* SPDX-License-Identifier: GPL-2.0-or-later */
/* desc.h - replaces the module's header: the fields that trampolines read. */
#ifndef SHIM_DESC_H
#define SHIM_DESC_H

#include <linux/types.h>

struct kt_desc {
	u32 others;
	bool all_regs;
};

#endif
