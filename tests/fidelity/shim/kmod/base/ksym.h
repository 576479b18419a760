/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ksym.h - replaces the module's header: the kernel's functions, called by their own names. */
#ifndef SHIM_KSYM_H
#define SHIM_KSYM_H

#include <asm/insn.h>

static inline int kt_insn_decode(void *insn, const void *kaddr, int len, int mode)
{
	return insn_decode(insn, kaddr, len, mode);
}

#endif
