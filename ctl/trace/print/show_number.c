// SPDX-License-Identifier: GPL-2.0-or-later
/* show_number.c - show a number, or bytes, in another form than the type's.  See show_number.h. */
#include "ctl/trace/print/show_number.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ctl/ask/events/value_names.h"
#include "ctl/base/duration.h"
#include "ctl/base/memory.h"

struct number {
	uint64_t value, bits;	/* bits: those of its own bytes */
	bool is_signed;
};

static void show_hex(const struct number *n, char buf[SHOW_SIZE])
{
	snprintf(buf, SHOW_SIZE, "0x%" PRIx64, n->bits);
}

static void show_decimal(const struct number *n, char buf[SHOW_SIZE])
{
	if (n->is_signed)
		snprintf(buf, SHOW_SIZE, "%" PRId64, (int64_t)n->value);
	else
		snprintf(buf, SHOW_SIZE, "%" PRIu64, n->value);
}

static void show_octal(const struct number *n, char buf[SHOW_SIZE])
{
	snprintf(buf, SHOW_SIZE, "0%" PRIo64, n->bits);
}

static void show_binary(const struct number *n, char buf[SHOW_SIZE])
{
	int digits = n->bits ? 64 - __builtin_clzll(n->bits) : 1;

	buf += sprintf(buf, "0b");
	while (digits--)
		*buf++ = '0' + (n->bits >> digits & 1);
	*buf = '\0';
}

static void show_character(const struct number *n, char buf[SHOW_SIZE])
{
	if (n->bits < 0x80 && isprint((int)n->bits))
		snprintf(buf, SHOW_SIZE, "'%s%c'", strchr("'\\", (int)n->bits) ? "\\" : "", (int)n->bits);
	else
		show_hex(n, buf);
}

/* A function returns an error as a negative number, an errno is positive. */
static void show_error(const struct number *n, char buf[SHOW_SIZE])
{
	const bool is_negative = (int64_t)n->value < 0;
	const char *name = value_error(is_negative ? -n->value : n->value);

	if (name)
		snprintf(buf, SHOW_SIZE, "%s%s", is_negative ? "-" : "", name);
	else
		show_decimal(n, buf);
}

/* What a function returns: only a negative number may be an error. */
static void show_result(const struct number *n, char buf[SHOW_SIZE])
{
	((int64_t)n->value < 0 ? show_error : show_decimal)(n, buf);
}

static void show_time(const struct number *n, char buf[SHOW_SIZE])
{
	const double ns = n->is_signed ? (double)(int64_t)n->value : (double)n->value;

	if (ns < 0)
		*buf++ = '-';
	duration_text(ns < 0 ? -ns : ns, buf);
}

/* An address of IPv4 as the kernel has it, in the order of the network. */
static void show_ip(const struct number *n, char buf[SHOW_SIZE])
{
	const struct in_addr address = { .s_addr = (uint32_t)n->bits };

	if (n->bits > UINT32_MAX || !inet_ntop(AF_INET, &address, buf, SHOW_SIZE))
		show_hex(n, buf);
}

/* A dev_t of the kernel: its minor number has 20 bits. */
static void show_dev(const struct number *n, char buf[SHOW_SIZE])
{
	if (n->bits > UINT32_MAX)
		show_hex(n, buf);
	else
		snprintf(buf, SHOW_SIZE, "%u:%u", (uint32_t)n->bits >> 20, (uint32_t)n->bits & 0xfffff);
}

/* A umode_t, as ls shows it; without a type, as chmod() has it, in octal. */
static void show_mode(const struct number *n, char buf[SHOW_SIZE])
{
	static const char types[] = "?pc?d?b?-?l?s???", rights[] = "rwxrwxrwx";
	/* A setuid, a setgid and a sticky bit stand in place of an x. */
	static const struct { unsigned int bit, at; char with, without; } special[] = {
		{ 04000, 3, 's', 'S' }, { 02000, 6, 's', 'S' }, { 01000, 9, 't', 'T' },
	};

	if (n->bits > UINT16_MAX || !(n->bits >> 12)) {
		snprintf(buf, SHOW_SIZE, "%#" PRIo64, n->bits);
		return;
	}
	buf[0] = types[n->bits >> 12];
	for (int i = 0; i < 9; i++)
		buf[1 + i] = n->bits & (0400 >> i) ? rights[i] : '-';
	for (size_t i = 0; i < ARRAY_SIZE(special); i++)
		if (n->bits & special[i].bit)
			buf[special[i].at] = buf[special[i].at] == 'x' ? special[i].with : special[i].without;
	buf[10] = '\0';
}

static void (*const shows[NR_SHOWS])(const struct number *n, char buf[SHOW_SIZE]) = {
	[SHOW_HEX] = show_hex,
	[SHOW_DECIMAL] = show_decimal,
	[SHOW_OCTAL] = show_octal,
	[SHOW_BINARY] = show_binary,
	[SHOW_CHARACTER] = show_character,
	[SHOW_ERROR] = show_error,
	[SHOW_TIME] = show_time,
	[SHOW_IP] = show_ip,
	[SHOW_DEV] = show_dev,
	[SHOW_MODE] = show_mode,
	[SHOW_RESULT] = show_result,
};

const char *show_number(enum show show, uint64_t value, uint8_t bytes, bool is_signed, char buf[SHOW_SIZE])
{
	const struct number n = {
		.value = value, .bits = bytes < 8 ? value & ((1ULL << 8 * bytes) - 1) : value, .is_signed = is_signed,
	};

	shows[show](&n, buf);
	return buf;
}

#define REST_SIZE	24	/* "|0x123456789abcdef0" */

const char *show_flag_names(const struct field *field, uint64_t value, char buf[VALUE_NAMES_SIZE])
{
	uint64_t left = field->bytes < 8 ? value & ((1ULL << 8 * field->bytes) - 1) : value;
	const bool any = left;
	size_t n = 0;

	for (size_t i = 0; i < field->nr_names; i++) {
		const uint64_t mask = field->names[i].value;
		const char *name = field->names[i].name;

		if (mask ? (left & mask) != mask : any || n)
			continue;
		if (n + strlen(name) + REST_SIZE >= VALUE_NAMES_SIZE)
			break;
		n += snprintf(buf + n, VALUE_NAMES_SIZE - n, "%s%s", n ? "|" : "", name);
		left &= ~mask;
	}
	if (left || !n)
		snprintf(buf + n, VALUE_NAMES_SIZE - n, "%s%#" PRIx64, n ? "|" : "", left);
	return buf;
}

/* All in one word, with a separator before the bytes whose numbers are in `before`. */
static void show_joined(const uint8_t *bytes, size_t n, char separator, uint64_t before, char *buf)
{
	for (size_t i = 0; i < n; i++) {
		if (before >> i & 1)
			*buf++ = separator;
		buf += sprintf(buf, "%02x", bytes[i]);
	}
}

static bool is_printable(uint8_t byte)
{
	return byte >= ' ' && byte < 0x7f;
}

/* "68 69 0a", and of the first `text` bytes the text behind it: "|hi.|". */
static void show_dump(const uint8_t *bytes, size_t n, size_t text, char *buf)
{
	for (size_t i = 0; i < n; i++)
		buf += sprintf(buf, "%s%02x", i ? " " : "", bytes[i]);
	if (!text)
		return;
	buf += sprintf(buf, " |");
	for (size_t i = 0; i < text; i++)
		*buf++ = is_printable(bytes[i]) ? bytes[i] : '.';
	strcpy(buf, "|");
}

/* How much is shown as text: nothing where no byte is printable, apart from blanks. */
static size_t text_of_any(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_printable(bytes[i]) && bytes[i] != ' ')
			return n;
	return 0;
}

#define LEAST_TEXT	4	/* a shorter one may be chance */

/* How much of an array is a text: all up to the first 0, or nothing. */
static size_t text_of_array(const uint8_t *bytes, size_t n)
{
	size_t len = 0;

	while (len < n && is_printable(bytes[len]))
		len++;
	return len >= LEAST_TEXT && (len == n || !bytes[len]) ? len : 0;
}

#define UUID_DASHES	(1ULL << 4 | 1ULL << 6 | 1ULL << 8 | 1ULL << 10)

const char *show_bytes(enum show show, const uint8_t *bytes, size_t n, char buf[SHOW_BYTES_SIZE])
{
	*buf = '\0';
	if (show == SHOW_MAC)
		show_joined(bytes, n, ':', ~1ULL, buf);
	else if (show == SHOW_UUID)
		show_joined(bytes, n, '-', UUID_DASHES, buf);
	else if (show == SHOW_IP6 && n == sizeof(struct in6_addr))
		inet_ntop(AF_INET6, bytes, buf, SHOW_BYTES_SIZE);
	else
		show_dump(bytes, n, text_of_any(bytes, n), buf);
	return buf;
}

const char *show_byte_array(const uint8_t *bytes, size_t n, char buf[SHOW_BYTES_SIZE])
{
	*buf = '\0';
	show_dump(bytes, n, text_of_array(bytes, n), buf);
	return buf;
}
