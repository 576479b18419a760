// SPDX-License-Identifier: GPL-2.0-or-later
/* json_out.c - write JSON.  See json_out.h. */
#include "ctl/base/json_out.h"

#include <math.h>
#include <string.h>

#include "ctl/base/escape.h"
#include "ctl/base/output.h"
#include "ctl/base/put.h"

static void new_line(const struct json *j)
{
	put_char(j->out, '\n');
	put_blanks(j->out, 2 * (int)j->depth);
}

static void begin(struct json *j, const char *key)
{
	if (j->has_any)
		put_char(j->out, ',');
	if (j->is_pretty && j->depth)
		new_line(j);
	j->has_any = true;
	if (!key)
		return;
	escape_json(j->out, key);
	put_char(j->out, ':');
}

#define SHORT	80	/* bytes of a key or value that put_short() takes */

static char *quote(char *to, const char *text, size_t len)
{
	*to++ = '"';
	to = mempcpy(to, text, len);
	*to++ = '"';
	return to;
}

/*
 * Write a member by one call of the stream: a recording has millions of them.  The value needs no escape; it gets quotes
 * if it is a string.  False: key or value are too long for that, or the output has a line for each member.
 */
static bool put_short(struct json *j, const char *key, const char *value, size_t len, bool is_string)
{
	const size_t key_len = key ? strlen(key) : 0;
	char line[2 * SHORT + 6], *at = line;

	if (j->is_pretty || key_len > SHORT || len > SHORT || !escape_is_quotable(key ? key : "", key_len))
		return false;
	if (j->has_any)
		*at++ = ',';
	if (key) {
		at = quote(at, key, key_len);
		*at++ = ':';
	}
	at = is_string ? quote(at, value, len) : mempcpy(at, value, len);
	put_bytes(j->out, line, at - line);
	j->has_any = true;
	return true;
}

/* A member whose value is no string. */
static void put_member(struct json *j, const char *key, const char *value, size_t len)
{
	if (put_short(j, key, value, len, false))
		return;
	begin(j, key);
	put_bytes(j->out, value, len);
}

static void open(struct json *j, const char *key, bool is_array)
{
	begin(j, key);
	put_char(j->out, is_array ? '[' : '{');
	j->depth++;
	j->arrays = (j->arrays & ~(1U << j->depth)) | (uint32_t)is_array << j->depth;
	j->has_any = false;
}

void json_open(struct json *j, const char *key)
{
	open(j, key, false);
}

void json_open_array(struct json *j, const char *key)
{
	open(j, key, true);
}

void json_close(struct json *j)
{
	const bool is_array = j->arrays >> j->depth-- & 1;

	if (j->is_pretty && j->has_any)
		new_line(j);
	put_char(j->out, is_array ? ']' : '}');
	j->has_any = true;
}

void json_text(struct json *j, const char *key, const char *value)
{
	if (value)
		json_bytes(j, key, (const uint8_t *)value, strlen(value));
	else
		json_null(j, key);
}

void json_bytes(struct json *j, const char *key, const uint8_t *text, size_t len)
{
	if (escape_is_quotable((const char *)text, len) && put_short(j, key, (const char *)text, len, true))
		return;
	begin(j, key);
	escape_text(j->out, text, len, true, "\"");
}

void json_raw(struct json *j, const char *key, const char *text)
{
	put_member(j, key, text, strlen(text));
}

void json_number(struct json *j, const char *key, uint64_t value)
{
	char text[PUT_DIGITS];

	if (j->is_exact && value > JSON_EXACT)
		return json_digits(j, key, value);
	put_member(j, key, text, put_format_decimal(text, value));
}

void json_signed(struct json *j, const char *key, int64_t value)
{
	const bool beyond = j->is_exact && (value < 0 ? -(uint64_t)value : (uint64_t)value) > JSON_EXACT;
	char text[PUT_DIGITS];
	const int len = put_format_signed(text, value);

	if (beyond)
		json_bytes(j, key, (const uint8_t *)text, len);
	else
		put_member(j, key, text, len);
}

void json_boolean(struct json *j, const char *key, bool value)
{
	json_raw(j, key, value ? "true" : "false");
}

void json_null(struct json *j, const char *key)
{
	json_raw(j, key, "null");
}

/* JSON has no infinity: write null.  Write 1 as 1.0, so that readers take it as a real number. */
void json_real(struct json *j, const char *key, double value)
{
	char text[40];

	snprintf(text, sizeof(text), "%.17g", value);
	json_raw(j, key, isfinite(value) ? text : "null");
	if (isfinite(value) && !strpbrk(text, ".e"))
		put_text(j->out, ".0");
}

void json_time(struct json *j, const char *key, double ns)
{
	begin(j, key);
	fprintf(j->out, "%.3f", ns);
}

void json_hex(struct json *j, const char *key, uint64_t value)
{
	char text[PUT_DIGITS + 2] = "0x";

	json_bytes(j, key, (const uint8_t *)text, 2 + put_format_hex(text + 2, value, 1));
}

void json_digits(struct json *j, const char *key, uint64_t value)
{
	char text[PUT_DIGITS];

	json_bytes(j, key, (const uint8_t *)text, put_format_decimal(text, value));
}

struct json json_typed(FILE *out, const char *type)
{
	struct json j = { .out = out, .is_exact = true };

	json_open(&j, NULL);
	json_text(&j, "type", type);
	json_number(&j, "v", OUTPUT_VERSION);
	return j;
}

void json_end(struct json *j)
{
	json_close(j);
	put_char(j->out, '\n');
}
