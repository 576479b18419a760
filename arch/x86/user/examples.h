/* SPDX-License-Identifier: GPL-2.0-or-later */
/* examples.h - names for examples in help and messages.  The pads keep columns aligned for names of any length. */
#ifndef KTRACE_EXAMPLES_H
#define KTRACE_EXAMPLES_H

#define EX_ARG1		"rdi"		/* registers of the first parameters */
#define EX_ARG2		"rsi"
#define EX_ARG3		"rdx"
#define EX_RESULT	"rax"
#define EX_PAD		""
#define EX_PARTS	"$rdi  $edi  $dil         "
#define EX_PART_NAMES	"eax, al"
#define EX_FRAME_REG	"rbp"
#define EX_PROLOGUE	"endbr64 and ftrace's nop"
#define EX_ENDBR	"endbr64"
#define EX_RETURN	"At a function's start STACK 0 is the return address."
#define EX_FRAME_RETURN	"FRAME -8 is the return address."
#define EX_RELEASE	"6.1.0-56-amd64"

#endif
