/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compat_call.h - system calls of 32-bit programs that the kernel handles by a function of another name, or with other arguments
 * than the 64-bit call of that name.
 */
#ifndef KTRACE_COMPAT_CALL_H
#define KTRACE_COMPAT_CALL_H

struct compat_call {
	const char *call;	/* as in the headers of the C library */
	const char *name;	/* how recordings call it: by the kernel's function; NULL: as `call` */
	/*
	 * "fd buf:* count": the arguments; behind a name :i is a signed integer, :* a pointer, :t the address of a text.
	 * NULL: those of the 64-bit call of that name.
	 */
	const char *args;
};

#endif
