/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mark.h - marks in the guest's instructions, for tests/vm/plugin/profile.c: a NOP with an offset that no compiler writes,
 * nopl offset(%rax).  Without the plugin they do nothing.
 */
#ifndef KTRACE_MARK_H
#define KTRACE_MARK_H

#define MARK_BEGIN	'B'
#define MARK_END	'E'

#define MARK_BYTES(which)	{ 0x0f, 0x1f, (char)0x80, 'k', 't', 'r', which }
#define MARK(which)		__asm__ __volatile__(".byte 0x0f, 0x1f, 0x80, 'k', 't', 'r', %c0" : : "i"(which) : "memory")

#endif
