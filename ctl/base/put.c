// SPDX-License-Identifier: GPL-2.0-or-later
/* put.c - see put.h. */
#include "ctl/base/put.h"

static const char hundred[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869"
			      "707172737475767778798081828384858687888990919293949596979899";

/* Write the digits of a number so that they end there.  Returns their begin. */
static char *digits_before(char *end, uint64_t value)
{
	for (; value >= 100; value /= 100)
		memcpy(end -= 2, hundred + 2 * (value % 100), 2);
	if (value >= 10)
		return memcpy(end - 2, hundred + 2 * value, 2);
	*--end = '0' + value;
	return end;
}

static int copy_digits(char *out, const char *begin, const char *end)
{
	memcpy(out, begin, end - begin);
	out[end - begin] = '\0';
	return end - begin;
}

int put_format_decimal(char *out, uint64_t value)
{
	char text[PUT_DIGITS], *const end = text + PUT_DIGITS;

	return copy_digits(out, digits_before(end, value), end);
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
	for (int i = digits; i--; value /= 10)
		out[i] = '0' + value % 10;
	return out + digits;
}

void put_decimal(FILE *out, uint64_t value)
{
	char text[PUT_DIGITS], *const end = text + PUT_DIGITS, *const begin = digits_before(end, value);

	put_bytes(out, begin, end - begin);
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

void put_blanks(FILE *out, int n)
{
	static const char blanks[] = "                                                                ";
	const int most = sizeof(blanks) - 1;

	for (; n > most; n -= most)
		put_bytes(out, blanks, most);
	if (n > 0)
		put_bytes(out, blanks, n);
}
