// SPDX-License-Identifier: GPL-2.0-or-later
/* put.c - numbers as digits, and runs of one character.  See put.h. */
#include "ctl/base/put.h"

static const char two_digits[] =
	"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
	"50515253545556575859606162636465666768697071727374757677787980818283848586878889909192939495969798"
	"99";

int put_format_decimal(char *out, uint64_t value)
{
	char text[PUT_DIGITS], *const end = text + PUT_DIGITS, *begin = end;

	for (; value >= 100; value /= 100)
		memcpy(begin -= 2, &two_digits[2 * (value % 100)], 2);
	if (value >= 10)
		memcpy(begin -= 2, &two_digits[2 * value], 2);
	else
		*--begin = '0' + value;
	memcpy(out, begin, end - begin);
	out[end - begin] = '\0';
	return end - begin;
}

int put_format_signed(char *out, int64_t value)
{
	if (value >= 0)
		return put_format_decimal(out, value);
	*out = '-';
	return 1 + put_format_decimal(out + 1, -(uint64_t)value);
}

int put_format_hex(char *out, uint64_t value, int least)
{
	int digits = value ? (67 - __builtin_clzll(value)) / 4 : 1;

	if (digits < least)
		digits = least;
	for (int i = digits; i--; value >>= 4)
		out[i] = "0123456789abcdef"[value & 15];
	out[digits] = '\0';
	return digits;
}

char *put_fixed(char *out, uint32_t value, int digits)
{
	int i = digits;

	for (; i >= 2; value /= 100)
		memcpy(out + (i -= 2), &two_digits[2 * (value % 100)], 2);
	if (i)
		*out = '0' + value % 10;
	return out + digits;
}

void put_decimal(FILE *out, uint64_t value)
{
	char text[PUT_DIGITS];

	put_bytes(out, text, put_format_decimal(text, value));
}

void put_signed(FILE *out, int64_t value)
{
	char text[PUT_DIGITS];

	put_bytes(out, text, put_format_signed(text, value));
}

void put_hex(FILE *out, uint64_t value, int least)
{
	char text[PUT_DIGITS];

	put_bytes(out, text, put_format_hex(text, value, least));
}

char *put_pad(char *to, int n)
{
	if (n <= 0)
		return to;
	memset(to, ' ', n);
	return to + n;
}

void put_repeated(FILE *out, char c, int n)
{
	char run[256];

	memset(run, c, n < 0 ? 0 : n < (int)sizeof(run) ? (size_t)n : sizeof(run));
	for (; n > (int)sizeof(run); n -= sizeof(run))
		put_bytes(out, run, sizeof(run));
	if (n > 0)
		put_bytes(out, run, n);
}

void put_blanks(FILE *out, int n)
{
	static const char few[] = "                                                                ";

	if (n >= (int)sizeof(few))
		put_repeated(out, ' ', n);
	else if (n > 0)
		put_bytes(out, few, n);
}
