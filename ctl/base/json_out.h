/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_out.h - JSON as it is written, value by value. */
#ifndef KTRACE_JSON_OUT_H
#define KTRACE_JSON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *out;
	bool is_pretty;		/* a line for each value */
	unsigned int depth;
	bool has_any;		/* a comma goes in front of what comes next */
	uint32_t arrays;	/* bit n: what is open at depth n is one; else an object */
};

/* key: of the member of an object, NULL: it is an element of an array, or all there is. */
void json_open(struct json *j, const char *key);
void json_open_array(struct json *j, const char *key);
void json_close(struct json *j);

void json_text(struct json *j, const char *key, const char *value);	/* NULL: null */
void json_bytes(struct json *j, const char *key, const uint8_t *text, size_t len);
void json_number(struct json *j, const char *key, uint64_t value);
void json_signed(struct json *j, const char *key, int64_t value);
void json_boolean(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);
void json_real(struct json *j, const char *key, double value);
void json_time(struct json *j, const char *key, double ns);	/* three digits behind the point */
/* "0xffffffff81234567", "18446744073709551615": larger than what JSON readers take as a number. */
void json_hex(struct json *j, const char *key, uint64_t value);
void json_digits(struct json *j, const char *key, uint64_t value);
/* What is JSON already. */
void json_raw(struct json *j, const char *key, const char *text);

/* An object of one line, which begins with its type and the version of the output. */
struct json json_typed(FILE *out, const char *type);
void json_end(struct json *j);

#endif
