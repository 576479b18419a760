// SPDX-License-Identifier: GPL-2.0-or-later
/* number.c - parse typed numbers.  See number.h. */
#include "ctl/base/number.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int digit(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : 16;
}

static bool has_0x(const char *text, int len)
{
	return len > 1 && !strncasecmp(text, "0x", 2);
}

static enum number_status digits(const char *text, int len, int base, uint64_t *out)
{
	bool large = false;
	uint64_t v = 0;

	if (len <= 0)
		return NUMBER_NONE;
	for (int i = 0; i < len; i++) {
		int d = digit(text[i]);

		if (d >= base)
			return NUMBER_NONE;
		large |= __builtin_mul_overflow(v, (uint64_t)base, &v);
		large |= __builtin_add_overflow(v, (uint64_t)d, &v);
	}
	*out = v;
	return large ? NUMBER_TOO_LARGE : NUMBER_OK;
}

enum number_status number_hex(const char *text, int len, uint64_t *out)
{
	int skip = has_0x(text, len) ? 2 : 0;

	return digits(text + skip, len - skip, 16, out);
}

enum number_status number_count(const char *text, uint64_t *out)
{
	int len = strlen(text);

	if (has_0x(text, len))
		return number_hex(text, len, out);
	return digits(text, len, 10, out);
}

enum number_status number_c(const char *text, uint64_t *out)
{
	int len = strlen(text);

	if (*text == '0' && !has_0x(text, len))
		return digits(text, len, 8, out);
	return number_count(text, out);
}

enum number_status number_offset(const char *text, int64_t *out)
{
	bool negative = *text == '-';
	uint64_t v;
	enum number_status status;

	text += *text == '-' || *text == '+';
	status = number_hex(text, strlen(text), &v);
	if (status != NUMBER_OK)
		return status;
	if (v > INT64_MAX)
		return NUMBER_TOO_LARGE;
	*out = negative ? -(int64_t)v : (int64_t)v;
	return NUMBER_OK;
}

/* Bytes of a unit; 0: not a unit. */
static uint64_t unit_of(const char *text)
{
	static const struct {
		const char *name;
		uint64_t bytes;
	} units[] = {
		{ "K", 1 << 10 }, { "KiB", 1 << 10 }, { "KB", 1 << 10 },
		{ "M", 1 << 20 }, { "MiB", 1 << 20 }, { "MB", 1 << 20 },
		{ "G", 1 << 30 }, { "GiB", 1 << 30 }, { "GB", 1 << 30 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcasecmp(text, units[i].name))
			return units[i].bytes;
	return 0;
}

bool number_bytes(const char *text, uint64_t *out, bool *unit)
{
	const size_t digits = strspn(text, "0123456789");
	const uint64_t number = strtoull(text, NULL, 10), bytes = unit_of(text + digits);

	*unit = bytes;
	*out = !bytes ? number : number > UINT64_MAX / bytes ? UINT64_MAX : number * bytes;
	return digits && (bytes || !text[digits]);
}
