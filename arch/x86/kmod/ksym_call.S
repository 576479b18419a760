/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ksym_call.S - the bodies of kt_NAME() in ksym.h: go to the address found.
 *
 * By a return, not an indirect jump: on kernels with indirect branch tracking
 * the target's endbr64 may have been taken away (sealed), because nothing in
 * the kernel takes its address.  Slow paths only.
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
