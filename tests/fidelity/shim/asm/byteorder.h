/* SPDX-License-Identifier: GPL-2.0-or-later */
/* byteorder.h - x86 is little-endian. */
#ifndef SHIM_ASM_BYTEORDER_H
#define SHIM_ASM_BYTEORDER_H

#include_next <asm/byteorder.h>

#define le16_to_cpu(value)	(value)
#define le32_to_cpu(value)	(value)

#endif
