/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ksym_call.S - the bodies of kt_NAME() in ksym.h: continue at the address that kt_ksym_init() found.
 *
 * They use a return, not an indirect jump: a kernel with indirect branch tracking may have removed (sealed) the endbr64
 * of the target, because the kernel itself never takes the target's address.  For slow paths only.
 */
#include <linux/linkage.h>
#include <asm/unwind_hints.h>

.macro KSYM_BODY name
SYM_FUNC_START(kt_\name)
	pushq	kt_ksym_\name(%rip)
	UNWIND_HINT_FUNC
	RET
SYM_FUNC_END(kt_\name)
.endm

	.text
KSYM_BODY kallsyms_lookup_name
#define KSYM_NEED(name, ret, args...)		KSYM_BODY name;
#define KSYM_NEED_AS(name, other, ret, args...)	KSYM_BODY name;
#define KSYM_MAY(name, ret, args...)		KSYM_BODY name;
#include "kmod/base/ksym_list.h"
#include "ksym_arch.h"
