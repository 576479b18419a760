// SPDX-License-Identifier: GPL-2.0-or-later
/* json_out.c - one JSON object a line.  See json_out.h. */
#include "ctl/json_out.h"

#include <inttypes.h>

#include "ctl/output.h"

struct json_object *json_typed(const char *type)
{
	struct json_object *o = json_object_new_object();

	json_put_text(o, "type", type);
	json_put_number(o, "v", OUTPUT_VERSION);
	return o;
}

void json_put_text(struct json_object *o, const char *key, const char *value)
{
	json_object_object_add(o, key, json_object_new_string(value));
}

void json_put_number(struct json_object *o, const char *key, uint64_t value)
{
	json_object_object_add(o, key, json_object_new_uint64(value));
}

void json_put_bool(struct json_object *o, const char *key, int value)
{
	json_object_object_add(o, key, json_object_new_boolean(value));
}

void json_put_address(struct json_object *o, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	json_put_text(o, key, text);
}

void json_line(struct json_object *o, FILE *out)
{
	fprintf(out, "%s\n", json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
							       JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
}
