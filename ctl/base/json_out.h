/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_out.h - write JSON, value by value. */
#ifndef KTRACE_JSON_OUT_H
#define KTRACE_JSON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* All readers of JSON take integers up to here exactly: they are doubles. */
#define JSON_EXACT	(UINT64_C(1) << 53)

#define JSON_LINE	512	/* bytes */

struct json {
	FILE *out;
	bool is_pretty;		/* one value a line */
	bool is_exact;		/* numbers beyond JSON_EXACT are strings */
	unsigned int depth;
	bool has_any;		/* the next value needs a comma before it */
	bool has_key;		/* the next value is that of json_key() */
	uint32_t arrays;	/* bit n: an array is open at depth n; else an object */
	/* Output that is not in the stream yet.  It is written out when there is no room, and when the outermost value ends. */
	uint32_t used;
	char line[JSON_LINE];
};

/*
 * key: the name of an object's member, a constant of ktrace that needs no escape.  For other names call json_key() first.  NULL:
 * an element of an array, the outermost value, or the value that belongs to json_key().
 */
void json_open(struct json *j, const char *key);
void json_open_array(struct json *j, const char *key);
void json_close(struct json *j);

/* Begin a member; its name may have any characters.  The next call gives its value. */
void json_key(struct json *j, const char *key);
void json_text(struct json *j, const char *key, const char *value);	/* NULL: writes null */
void json_bytes(struct json *j, const char *key, const uint8_t *text, size_t len);
/* A text that needs no escape. */
void json_plain(struct json *j, const char *key, const char *text, size_t len);
void json_number(struct json *j, const char *key, uint64_t value);
void json_signed(struct json *j, const char *key, int64_t value);
void json_boolean(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);
void json_real(struct json *j, const char *key, double value);
void json_time(struct json *j, const char *key, double ns);	/* three decimals */
/* As strings ("0xffffffff81234567", "18446744073709551615"): JSON readers do not take such large numbers. */
void json_hex(struct json *j, const char *key, uint64_t value);
void json_digits(struct json *j, const char *key, uint64_t value);
/* text is JSON already. */
void json_raw(struct json *j, const char *key, const char *text);

/* Begin an object on one line, with its type and the version of the output; it is_exact. */
struct json json_typed(FILE *out, const char *type);
void json_end(struct json *j);

#endif
