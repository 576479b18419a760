/* SPDX-License-Identifier: MIT */
/* types.h - the types of arguments.  A part of ktrace.h: include that. */
#ifndef KTRACE_USER_TYPES_H
#define KTRACE_USER_TYPES_H

/* What an argument is recorded as.  These numbers are in files: they never change. */
enum ktrace_type {
	KTRACE_END, KTRACE_I8, KTRACE_U8, KTRACE_I16, KTRACE_U16, KTRACE_I32, KTRACE_U32, KTRACE_I64, KTRACE_U64,
	KTRACE_BOOL, KTRACE_F32, KTRACE_F64, KTRACE_POINTER, KTRACE_STRING, KTRACE_BYTES, KTRACE_NR_TYPES
};

#define KTRACE_MAX_ARGS		12
/* The most bytes of a text, with its 0, and of an array of bytes: what is longer is cut. */
#define KTRACE_MAX_TEXT		256
/* Words of four bytes that such an argument takes at most: its length, and its bytes. */
#define KTRACE_TEXT_WORDS	(1 + KTRACE_MAX_TEXT / 4)

#endif
