/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mark.h - marks in the guest's instructions, for tests/vm/plugin/profile.c: movz wzr, number, which no compiler writes.
 * Without the plugin they do nothing.
 */
#ifndef KTRACE_MARK_H
#define KTRACE_MARK_H

#define MARK_BEGIN	'B'
#define MARK_END	'E'

#define MARK_WORD(which)	(0x5280001fu | ('k' << 8 | (which)) << 5)
#define MARK_BYTES(which)	{ (char)MARK_WORD(which), (char)(MARK_WORD(which) >> 8), (char)(MARK_WORD(which) >> 16), \
				  (char)(MARK_WORD(which) >> 24) }
#define MARK(which)		__asm__ __volatile__(".inst %c0" : : "i"(MARK_WORD(which)) : "memory")

#endif
