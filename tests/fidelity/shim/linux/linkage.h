/* SPDX-License-Identifier: GPL-2.0-or-later */
/* linkage.h - the kernel's macros for functions in assembler code. */
#ifndef SHIM_LINUX_LINKAGE_H
#define SHIM_LINUX_LINKAGE_H

#define SYM_FUNC_START(name)	.globl name; name:
#define SYM_FUNC_END(name)	.type name, @function; .size name, . - name

#endif
