/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ksym_call.S - the bodies of kt_NAME() in ksym.h: continue at the address that kt_ksym_init() found.
 *
 * They use a return, not an indirect branch: with branch target identification (BTI), a function that is only called
 * directly may begin without a bti.  x16 is free: the linker's veneers change it, too.  For slow paths only.
 */
#include <linux/linkage.h>

.macro KSYM_BODY name
SYM_FUNC_START(kt_\name)
	adrp	x16, kt_ksym_\name
	ldr	x16, [x16, :lo12:kt_ksym_\name]
	ret	x16
SYM_FUNC_END(kt_\name)
.endm

	.text
KSYM_BODY kallsyms_lookup_name
#define KSYM_NEED(name, ret, args...)		KSYM_BODY name;
#define KSYM_NEED_AS(name, other, ret, args...)	KSYM_BODY name;
#define KSYM_MAY(name, ret, args...)		KSYM_BODY name;
#include "kmod/base/ksym_list.h"
#include "ksym_arch.h"
