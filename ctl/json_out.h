/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_out.h - one JSON object a line. */
#ifndef KTRACE_JSON_OUT_H
#define KTRACE_JSON_OUT_H

#include <json-c/json.h>
#include <stdint.h>
#include <stdio.h>

/* An object with its "type" field. */
struct json_object *json_typed(const char *type);
void json_put_text(struct json_object *o, const char *key, const char *value);
void json_put_number(struct json_object *o, const char *key, uint64_t value);
void json_put_bool(struct json_object *o, const char *key, int value);
/* "0xffffffff81234567": larger than what JSON readers take as a number. */
void json_put_address(struct json_object *o, const char *key, uint64_t value);
/* Print and release. */
void json_line(struct json_object *o, FILE *out);

#endif
