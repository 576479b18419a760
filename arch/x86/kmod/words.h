/* SPDX-License-Identifier: GPL-2.0-only */
/* words.h - search for bytes, eight at a time. */
#ifndef KTRACE_X86_WORDS_H
#define KTRACE_X86_WORDS_H

#include <linux/compiler.h>
#include <linux/kernel.h>

/*
 * The high bit of each byte that is 0.  A byte above such a byte may be found although it is not 0.  The same trick as in
 * include/asm-generic/word-at-a-time.h of the kernel.  Any context.
 */
static __always_inline unsigned long kt_x86_zero_bytes(unsigned long word)
{
	return (word - REPEAT_BYTE(1)) & ~word & REPEAT_BYTE(0x80);
}

/* Not 0: the word has this byte. */
static __always_inline unsigned long kt_x86_find_byte(unsigned long word, unsigned char byte)
{
	return kt_x86_zero_bytes(word ^ REPEAT_BYTE(byte));
}

#endif
