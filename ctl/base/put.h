/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * put.h - print texts and numbers to a stream.  A trace has millions of them, and fprintf() takes four times as long.
 *
 * The stream is not locked: it belongs to this thread alone.
 */
#ifndef KTRACE_PUT_H
#define KTRACE_PUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PUT_DIGITS	24	/* room for a number in any form, with its 0 */

/*
 * Write the digits of a number, and a 0 behind them, to memory with at least PUT_DIGITS bytes.  Returns how many digits.
 * A hexadecimal number gets zeros before it until it has `least` digits, which are at most 16.
 */
int put_format_decimal(char *out, uint64_t value);
int put_format_signed(char *out, int64_t value);
int put_format_hex(char *out, uint64_t value, int least);
/* Write exactly so many decimal digits, with zeros before the number, and no 0 behind it.  Returns the end. */
char *put_fixed(char *out, uint32_t value, int digits);

void put_decimal(FILE *out, uint64_t value);
void put_signed(FILE *out, int64_t value);
void put_hex(FILE *out, uint64_t value, int least);
/* Write n blanks to memory; n <= 0: none.  Returns the end. */
char *put_pad(char *to, int n);
/* Print a character n times; n <= 0: not at all. */
void put_repeated(FILE *out, char c, int n);
/* The same with blanks, of which it knows that most are few. */
void put_blanks(FILE *out, int n);

static inline void put_bytes(FILE *out, const void *bytes, size_t len)
{
	fwrite_unlocked(bytes, 1, len, out);
}

static inline void put_text(FILE *out, const char *text)
{
	put_bytes(out, text, strlen(text));
}

static inline void put_char(FILE *out, char c)
{
	putc_unlocked(c, out);
}

#endif
