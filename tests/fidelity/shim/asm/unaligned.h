/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unaligned.h - loads from any address. */
#ifndef SHIM_ASM_UNALIGNED_H
#define SHIM_ASM_UNALIGNED_H

#define get_unaligned(pointer)	((const struct {			\
	__typeof__(*(pointer)) value;					\
} __attribute__((packed)) *)(const void *)(pointer))->value

#endif
