/* SPDX-License-Identifier: GPL-2.0-only */
/* checked.h - how far loads may be from an address that generated code has checked.  For C and the assembler. */
#ifndef KTRACE_X86_CHECKED_H
#define KTRACE_X86_CHECKED_H

#define KT_X86_CHECKED	32768	/* more than a task_struct has */

#endif
