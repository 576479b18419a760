/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compat_call.h - a program of 64 bits cannot make the system calls of 32-bit programs. */
#ifndef COMPAT_CALL_H
#define COMPAT_CALL_H

#define HAS_COMPAT_CALL	0

static inline long compat_call(long number)
{
	return number;
}

#endif
