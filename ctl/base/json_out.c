// SPDX-License-Identifier: GPL-2.0-or-later
/* json_out.c - write JSON.  See json_out.h. */
#include "ctl/base/json_out.h"

#include <math.h>
#include <string.h>

#include "ctl/base/escape.h"
#include "ctl/base/output.h"
#include "ctl/base/put.h"

/* Write out what is in the line.  Returns the stream: the caller may write to it directly now. */
static FILE *stream(struct json *j)
{
	put_bytes(j->out, j->line, j->used);
	j->used = 0;
	return j->out;
}

/* Make room for this number of bytes in the line, at most JSON_LINE.  Returns where to put them. */
static char *room(struct json *j, size_t bytes)
{
	if (bytes > JSON_LINE - j->used)
		stream(j);
	return j->line + j->used;
}

static void put(struct json *j, const char *bytes, size_t len)
{
	if (len > JSON_LINE) {
		put_bytes(stream(j), bytes, len);
		return;
	}
	memcpy(room(j, len), bytes, len);
	j->used += len;
}

static void put_one(struct json *j, char c)
{
	*room(j, 1) = c;
	j->used++;
}

static void new_line(struct json *j)
{
	put_one(j, '\n');
	put_blanks(stream(j), 2 * (int)j->depth);
}

#define SHORT	80	/* bytes of a value that put_short() takes */

/* Most keys and values are short: copy the first and the last bytes of them, which may overlap, without a call.  Returns the end. */
static inline char *copy(char *to, const char *from, size_t len)
{
	uint64_t first, last;
	uint32_t low, high;

	if (len > 2 * sizeof(first))
		return mempcpy(to, from, len);
	if (len >= sizeof(first)) {
		memcpy(&first, from, sizeof(first));
		memcpy(&last, from + len - sizeof(last), sizeof(last));
		memcpy(to, &first, sizeof(first));
		memcpy(to + len - sizeof(last), &last, sizeof(last));
	} else if (len >= sizeof(low)) {
		memcpy(&low, from, sizeof(low));
		memcpy(&high, from + len - sizeof(high), sizeof(high));
		memcpy(to, &low, sizeof(low));
		memcpy(to + len - sizeof(high), &high, sizeof(high));
	} else {
		for (size_t i = 0; i < len; i++)
			to[i] = from[i];
	}
	return to + len;
}

static char *quote(char *to, const char *text, size_t len)
{
	*to++ = '"';
	to = copy(to, text, len);
	*to++ = '"';
	return to;
}

/* Put what comes before a value: a comma if it is not the first one, and the key.  Returns the end. */
static char *head(struct json *j, char *at, const char *key, size_t key_len)
{
	if (j->has_any && !j->has_key)
		*at++ = ',';
	j->has_any = true;
	j->has_key = false;
	if (!key)
		return at;
	at = quote(at, key, key_len);
	*at++ = ':';
	return at;
}

static void begin(struct json *j, const char *key)
{
	const size_t len = key ? strlen(key) : 0;
	char *at;

	if (j->is_pretty && j->depth && !j->has_key) {
		if (j->has_any)
			put_one(j, ',');
		j->has_any = false;
		new_line(j);
	}
	at = head(j, room(j, len + 4), key, len);
	j->used = at - j->line;
}

void json_key(struct json *j, const char *key)
{
	begin(j, NULL);
	escape_json(stream(j), key);
	put_one(j, ':');
	j->has_key = true;
}

/*
 * Write a member into the line: a recording has millions of them.  The value needs no escape; it gets quotes if it is a
 * string.  False: it is too long for that, or the output has a line for each member.
 */
static bool put_short(struct json *j, const char *key, const char *value, size_t len, bool is_string)
{
	const size_t key_len = key ? strlen(key) : 0;
	char *at;

	if (j->is_pretty || len > SHORT)
		return false;
	at = head(j, room(j, key_len + SHORT + 6), key, key_len);
	at = is_string ? quote(at, value, len) : copy(at, value, len);
	j->used = at - j->line;
	return true;
}

/* A member whose value is no string. */
static void put_member(struct json *j, const char *key, const char *value, size_t len)
{
	if (put_short(j, key, value, len, false))
		return;
	begin(j, key);
	put(j, value, len);
}

static void open(struct json *j, const char *key, bool is_array)
{
	begin(j, key);
	put_one(j, is_array ? '[' : '{');
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

static void close_value(struct json *j)
{
	const bool is_array = j->arrays >> j->depth-- & 1;

	if (j->is_pretty && j->has_any)
		new_line(j);
	put_one(j, is_array ? ']' : '}');
	j->has_any = true;
}

void json_close(struct json *j)
{
	close_value(j);
	if (!j->depth)
		stream(j);
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
	escape_text(stream(j), text, len, true, "\"");
}

void json_plain(struct json *j, const char *key, const char *text, size_t len)
{
	if (!put_short(j, key, text, len, true))
		json_bytes(j, key, (const uint8_t *)text, len);
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
		put(j, ".0", 2);
}

void json_time(struct json *j, const char *key, double ns)
{
	char text[400];		/* the largest double has 309 digits before the point */

	put_member(j, key, text, (size_t)snprintf(text, sizeof(text), "%.3f", ns));
}

void json_hex(struct json *j, const char *key, uint64_t value)
{
	char text[PUT_DIGITS + 2] = "0x";

	json_plain(j, key, text, 2 + put_format_hex(text + 2, value, 1));
}

void json_digits(struct json *j, const char *key, uint64_t value)
{
	char text[PUT_DIGITS];

	json_plain(j, key, text, put_format_decimal(text, value));
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
	close_value(j);
	put_one(j, '\n');
	stream(j);
}
