/* SPDX-License-Identifier: GPL-2.0-or-later */
/* examples.h - names for examples in help and messages.  The pads keep columns aligned for names of any length. */
#ifndef KTRACE_EXAMPLES_H
#define KTRACE_EXAMPLES_H

#define EX_ARG1		"x0"		/* registers of the first parameters */
#define EX_ARG2		"x1"
#define EX_ARG3		"x2"
#define EX_RESULT	"x0"
#define EX_PAD		" "
#define EX_PARTS	"$x0  $w0                 "
#define EX_PART_NAMES	"w0"
#define EX_FRAME_REG	"x29"
#define EX_PROLOGUE	"bti and ftrace's nops"
#define EX_ENDBR	"bti, paciasp"
#define EX_RETURN	"At a function's start x30 is the return address."
#define EX_FRAME_RETURN	"FRAME 0 is the caller's last word."
#define EX_RELEASE	"6.1.0-56-arm64"

#endif
