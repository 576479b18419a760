/* SPDX-License-Identifier: GPL-2.0-or-later */
.macro JMP_NOSPEC reg
	jmp	*%\reg
.endm

#define ANNOTATE_RETPOLINE_SAFE
