// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * desc.c - encode and decode descriptors.  Any controller of any version may have written what is read back, so
 * every part is checked.  docs/descriptor.md describes the meta data.
 */
#include "ctl/base/device/desc_int.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/device/aggregate.h"
#include "ctl/base/device/field_names.h"
#include "ctl/base/device/payload.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/base/scratch.h"

#define META_FLOAT	5	/* also of descriptors of processes */
#define META_PACKED	4
#define META_PLAIN	3
#define META_DEPTH	8

bool desc_has_caller(const struct desc *desc)
{
	size_t n = 0;

	for (size_t i = 0; i < desc->nr_fields; i++)
		n += field_layout(&desc->fields[i]).form == FORM_ADDRESS && !strcmp(desc->fields[i].name, CALLER_FIELD);
	return n == 1;
}

bool desc_is_same(const struct desc *a, const struct desc *b)
{
	return a->blob_len == b->blob_len && !memcmp(a->blob, b->blob, a->blob_len);
}

void desc_free(struct desc *desc)
{
	if (!desc)
		return;
	for (size_t i = 0; i < desc->nr_fields; i++)
		field_drop_names(&desc->fields[i]);
	free(desc->name);
	free(desc->typed);
	free(desc->options);
	free(desc->line);
	free(desc->fields);
	free(desc->aggregate);
	free(desc->prog);
	free(desc->blob);
	free(desc);
}

/* ---------------------------------------------------------------- encoding */

static void put_names(struct json *j, const struct field *field)
{
	json_open(j, "names");
	for (size_t i = 0; i < field->nr_names; i++) {
		json_key(j, field->names[i].name);
		json_signed(j, NULL, field->names[i].value);
	}
	json_close(j);
}

static void put_if(struct json *j, const char *key, uint64_t value)
{
	if (value)
		json_number(j, key, value);
}

static void put_true(struct json *j, const char *key, bool value)
{
	if (value)
		json_boolean(j, key, true);
}

static void put_field(struct json *j, const struct field *field)
{
	json_open(j, NULL);
	json_text(j, "kind", field_kinds[field->kind].name);
	json_text(j, "name", field->name);
	if (field->kind == FIELD_CONST)
		json_hex(j, "value", field->value);
	else if (field->kind == FIELD_TEXT)
		json_text(j, "text", field->text);
	else
		json_number(j, "bytes", field->bytes);
	if (has_sign(field->kind))
		json_boolean(j, "signed", field->is_signed);
	if (field_kinds[field->kind].count == BY_LENGTH)
		json_number(j, "length", field->length);
	put_true(j, "half", field->is_half);
	put_true(j, "varies", field->varies);
	put_if(j, "most", field->most);
	put_if(j, "limit", field->limit);
	put_if(j, "elements", field->elements);
	put_if(j, "group", field->group);
	put_if(j, "depends", field->depends);
	if (field->depends)
		json_signed(j, field->when_above ? "above" : "is", field->when);
	put_true(j, "address", field->is_address);
	put_true(j, "late", field->is_late);
	put_true(j, "code", field->is_code);
	put_true(j, "linked", field->is_linked);
	put_true(j, "base", field->is_base);
	if (field->show)
		json_text(j, "show", show_name(field->show));
	if (field->nr_names)
		put_names(j, field);
	if (field->fault_bit >= 0)
		json_signed(j, "fault", field->fault_bit);
	json_close(j);
}

static void put_known(struct json *j, const char *key, const char *value)
{
	if (value)
		json_text(j, key, value);
}

static bool has_kind(const struct desc *desc, enum field_kind kind)
{
	for (size_t i = 0; i < desc->nr_fields; i++)
		if (desc->fields[i].kind == kind)
			return true;
	return false;
}

/* The oldest version whose controllers know all that the descriptor has. */
static int meta_version(const struct desc *desc)
{
	if (has_kind(desc, FIELD_PACKET) || has_kind(desc, FIELD_NUMBERS))
		return META_VERSION;
	if (desc->is_user || has_kind(desc, FIELD_FLOAT))
		return META_FLOAT;
	return desc->is_packed ? META_PACKED : META_PLAIN;
}

static void write_meta(const struct desc *desc, FILE *out)
{
	struct json j = { .out = out };

	json_open(&j, NULL);
	json_number(&j, "v", meta_version(desc));
	put_known(&j, "name", desc->name);
	put_known(&j, "typed", desc->typed);
	put_known(&j, "options", desc->options);
	put_known(&j, "line", desc->line);
	json_open_array(&j, "fields");
	for (size_t i = 0; i < desc->nr_fields; i++)
		put_field(&j, &desc->fields[i]);
	json_close(&j);
	json_boolean(&j, "faults", desc->has_faults);
	json_boolean(&j, "base", desc->timing & DESC_BASE);
	json_boolean(&j, "adjacent", desc->timing & DESC_ADJACENT);
	if (desc->is_hidden)
		json_boolean(&j, "hidden", true);
	if (desc->is_packed)
		json_boolean(&j, "packed", true);
	if (desc->is_user)
		json_boolean(&j, "user", true);
	if (desc->aggregate)
		aggregate_encode(&j, desc->aggregate);
	json_close(&j);
}

static bool blob_fill(const struct desc *desc, const char *meta, size_t meta_len, void **out,
		      size_t *len, struct error *err)
{
	size_t prog_bytes = desc->prog_len * sizeof(*desc->prog);
	struct kt_desc_req *req;

	if (meta_len > KT_MAX_META)
		return error_set(err, STATUS_USAGE,
				 "%s: the options are too long: give it fewer of them",
				 desc->typed ? desc->typed : "this tracepoint");
	*len = sizeof(*req) + prog_bytes + meta_len;
	req = mem_zalloc(1, *len);
	req->size = sizeof(*req);
	req->flags = desc->control;
	req->late = desc->late;
	req->every = desc->every;
	req->limit = desc->limit;
	req->prog_len = desc->prog_len;
	req->meta_len = meta_len;
	if (prog_bytes)
		memcpy(req + 1, desc->prog, prog_bytes);
	memcpy((char *)(req + 1) + prog_bytes, meta, meta_len);
	*out = req;
	return true;
}

bool desc_encode(const struct desc *desc, void **out, size_t *len, struct error *err)
{
	AUTO_FREE char *meta = NULL;
	size_t meta_len;

	write_meta(desc, scratch_open());
	meta = scratch_close(&meta_len);
	return blob_fill(desc, meta, meta_len, out, len, err);
}

/* ---------------------------------------------------------------- decoding */

static bool malformed(struct error *err, const char *what)
{
	return error_set(err, STATUS_FAILURE,
			 "a tracepoint was set by another version of ktrace (%s): use that one, or delete it",
			 what);
}

/* The member with this name and type; NULL: there is none. */
static struct json_object *member(struct json_object *from, const char *key, enum json_type type)
{
	struct json_object *value;

	if (!json_object_object_get_ex(from, key, &value) || !json_object_is_type(value, type))
		return NULL;
	return value;
}

/* This text is printed on a terminal: it must not contain control characters. */
const char *meta_text(struct json_object *from, const char *key)
{
	struct json_object *value = member(from, key, json_type_string);
	const char *text = value ? json_object_get_string(value) : NULL;
	int len = value ? json_object_get_string_len(value) : 0;

	for (int i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return NULL;
	return text;
}

bool meta_int(struct json_object *from, const char *key, int64_t low, int64_t high,
		    int64_t *out)
{
	struct json_object *value = member(from, key, json_type_int);

	if (!value)
		return false;
	*out = json_object_get_int64(value);
	return *out >= low && *out <= high;
}

bool meta_bool(struct json_object *from, const char *key)
{
	struct json_object *value = member(from, key, json_type_boolean);

	return value && json_object_get_boolean(value);
}

static bool get_hex(struct json_object *from, const char *key, uint64_t *out)
{
	const char *text = meta_text(from, key);
	size_t digits = text ? strlen(text) : 0;

	if (digits < 3 || digits > 18 || strncmp(text, "0x", 2) ||
	    strspn(text + 2, "0123456789abcdef") != digits - 2)
		return false;
	*out = strtoull(text, NULL, 16);
	return true;
}

/* Before version 3 each property of the task was its own kind. */
static bool get_former_kind(const char *name, struct field *out)
{
	out->kind = FIELD_NUMBER;
	out->is_signed = strcmp(name, "uid");
	return !strcmp(name, "pid") || !strcmp(name, "tgid") || !strcmp(name, "cpu") || !strcmp(name, "uid");
}

static bool get_kind(struct json_object *from, struct field *out)
{
	const char *name = meta_text(from, "kind");

	out->is_signed = meta_bool(from, "signed");
	for (int i = 0; name && i < NR_FIELD_KINDS; i++) {
		if (field_kinds[i].name && !strcmp(field_kinds[i].name, name)) {
			out->kind = i;
			return true;
		}
	}
	return name && get_former_kind(name, out);
}

static bool is_printable(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return true;
}

static bool decode_names(struct json_object *from, struct field *field)
{
	struct json_object *names = member(from, "names", json_type_object);

	if (!names)
		return !json_object_object_get_ex(from, "names", NULL);
	if (json_object_object_length(names) > FIELD_NAMES)
		return false;
	json_object_object_foreach(names, name, value) {
		if (!json_object_is_type(value, json_type_int) || !is_printable(name))
			return false;
		field_add_name(field, json_object_get_int64(value), name);
	}
	return true;
}

static bool copy_text(struct json_object *from, const char *key, char *to, size_t size)
{
	const char *text = meta_text(from, key);

	if (!text || strlen(text) >= size)
		return false;
	strcpy(to, text);
	return true;
}

/* A member that is missing is 0. */
static bool get_optional(struct json_object *from, const char *key, int64_t high, uint16_t *out)
{
	int64_t value = 0;

	if (json_object_object_get_ex(from, key, NULL) && !meta_int(from, key, 0, high, &value))
		return false;
	*out = value;
	return true;
}

/* A form that this program does not know, or that does not fit, is left out: the value is shown by its type. */
static void decode_show(struct json_object *from, struct field *field)
{
	const char *name = meta_text(from, "show");
	const bool is_number = field->kind == FIELD_INT || field->kind == FIELD_POINTER;
	const bool is_bytes = !field->varies && field->most <= field->length && field->most <= SHOW_MOST_BYTES;

	if (name && show_named(name, strlen(name), &field->show) && !(is_number && show_is_of_number(field->show)) &&
	    !(field->kind == FIELD_STRING && is_bytes && show_is_of_bytes(field->show)))
		field->show = SHOW_BY_TYPE;
}

/* nth: the field's place. */
static bool decode_condition(struct json_object *from, struct field *field, size_t nth)
{
	uint16_t depends;

	if (!get_optional(from, "depends", nth, &depends))
		return false;
	field->depends = depends;
	field->when_above = meta_int(from, "above", INT64_MIN, INT64_MAX, &field->when);
	return !depends || field->when_above || meta_int(from, "is", INT64_MIN, INT64_MAX, &field->when);
}

/* Texts may vary, objects always do. */
static bool varies_rightly(const struct field *field)
{
	const bool is_object = field_layout(field).form == FORM_OBJECT;

	return field->varies ? (is_object || field->kind == FIELD_STRING) && field->length % 2 == 0 : !is_object;
}

static bool decode_field(struct json_object *from, struct field *field)
{
	int64_t bytes = 8, bit = -1, length = 0;

	if (!json_object_is_type(from, json_type_object) || !get_kind(from, field) ||
	    !copy_text(from, "name", field->name, sizeof(field->name)) || !decode_names(from, field) ||
	    !get_optional(from, "most", KT_MAX_STR, &field->most) ||
	    !get_optional(from, "limit", KT_MAX_STR, &field->limit) ||
	    !get_optional(from, "elements", UINT16_MAX, &field->elements) ||
	    !get_optional(from, "group", strlen(field->name), &field->group))
		return false;
	if (field->kind == FIELD_CONST) {
		if (!get_hex(from, "value", &field->value))
			return false;
	} else if (field->kind == FIELD_TEXT) {
		if (!copy_text(from, "text", field->text, sizeof(field->text)))
			return false;
	} else if (!meta_int(from, "bytes", 1, 8, &bytes)) {
		return false;
	}
	if (json_object_object_get_ex(from, "fault", NULL) && !meta_int(from, "fault", 0, 31, &bit))
		return false;
	if (field_kinds[field->kind].count == BY_LENGTH &&
	    !meta_int(from, "length", 1, FIELD_MAX_BYTES / field_kinds[field->kind].bytes, &length))
		return false;
	field->is_address = meta_bool(from, "address");
	field->is_late = meta_bool(from, "late");
	field->is_code = meta_bool(from, "code");
	field->is_linked = meta_bool(from, "linked");
	field->is_base = meta_bool(from, "base");
	field->is_half = meta_bool(from, "half");
	field->varies = meta_bool(from, "varies");
	field->length = length;
	field->bytes = bytes;
	field->fault_bit = bit;
	decode_show(from, field);
	return !(bytes & (bytes - 1)) && !(field->kind == FIELD_FLOAT && bytes < 4) && !(field->is_half && (field->kind != FIELD_INT || bytes > 2)) &&
	       varies_rightly(field);
}

/*
 * A pointer marked is_address must be followed by its string, and one marked is_base by nothing.  A number marked is_late must be
 * followed by an address.
 */
static bool addresses_valid(const struct desc *desc)
{
	for (size_t i = 0; i < desc->nr_fields; i++) {
		const struct field *field = &desc->fields[i];
		const bool is_last = i + 1 == desc->nr_fields;

		if ((field->is_address || field->is_code || field->is_base) && field->kind != FIELD_POINTER)
			return false;
		if (field->is_late && (is_last || field->kind != FIELD_INT || !field[1].is_address))
			return false;
		if ((field->is_base && !is_last) || (field->is_address && (is_last || field[1].kind != FIELD_STRING)))
			return false;
	}
	return true;
}

static bool decode_fields(struct json_object *meta, struct desc *desc)
{
	struct json_object *fields = member(meta, "fields", json_type_array);
	size_t nr = fields ? json_object_array_length(fields) : DESC_FIELDS + 1;

	if (nr > DESC_FIELDS)
		return false;
	desc->fields = mem_zalloc(nr ? nr : 1, sizeof(*desc->fields));
	for (; desc->nr_fields < nr; desc->nr_fields++) {
		struct field *field = &desc->fields[desc->nr_fields];

		if (!decode_field(json_object_array_get_idx(fields, desc->nr_fields), field) ||
		    !decode_condition(json_object_array_get_idx(fields, desc->nr_fields), field, desc->nr_fields) ||
		    (field->fault_bit >= 0 && !desc->has_faults)) {
			field_drop_names(field);
			return false;
		}
	}
	return addresses_valid(desc);
}

static bool copy_string(struct json_object *meta, const char *key, char **out)
{
	const char *text = meta_text(meta, key);

	*out = text ? mem_strdup(text) : NULL;
	return text;
}

static const char *decode_meta(struct json_object *meta, struct desc *desc)
{
	int64_t version;

	if (!json_object_is_type(meta, json_type_object) ||
	    !meta_int(meta, "v", 1, INT32_MAX, &version))
		return "it is not described";
	if (version > META_VERSION)
		return "its description is newer than this ktrace";
	desc->has_faults = meta_bool(meta, "faults");
	desc->is_hidden = meta_bool(meta, "hidden");
	desc->is_packed = meta_bool(meta, "packed");
	desc->is_user = desc->is_state && meta_bool(meta, "user");
	desc->is_state &= !desc->is_user;
	desc->timing = (meta_bool(meta, "base") ? DESC_BASE : 0) |
		       (meta_bool(meta, "adjacent") ? DESC_ADJACENT : 0);
	if (!copy_string(meta, "name", &desc->name) || !copy_string(meta, "typed", &desc->typed) ||
	    !copy_string(meta, "options", &desc->options))
		return "its names are malformed";
	copy_string(meta, "line", &desc->line);
	if (!aggregate_decode(meta, desc))
		return "what it counts is malformed";
	if (!decode_fields(meta, desc) || !aggregate_fits(desc))
		return "its fields are malformed";
	desc_find_fixed(desc);
	return NULL;
}

/* Parse one JSON object that fills the whole text.  NULL: it is anything else. */
static struct json_object *parse_meta(const char *text, size_t len)
{
	struct json_tokener *tokener = json_tokener_new_ex(META_DEPTH);
	struct json_object *meta;

	if (!tokener)
		return NULL;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	meta = json_tokener_parse_ex(tokener, text, len);
	if (json_tokener_get_error(tokener) != json_tokener_success ||
	    json_tokener_get_parse_end(tokener) != len) {
		json_object_put(meta);
		meta = NULL;
	}
	json_tokener_free(tokener);
	return meta;
}

const struct kt_desc_req *desc_check_blob(const void *blob, size_t len)
{
	const struct kt_desc_req *req = blob;

	if (len < sizeof(*req) || req->size != sizeof(*req) || req->prog_len > KT_MAX_PROG || req->meta_len > KT_MAX_META ||
	    len != sizeof(*req) + req->prog_len * sizeof(struct kt_insn) + req->meta_len)
		return NULL;
	return req;
}

static struct desc *decode_request(const struct kt_desc_req *req)
{
	struct desc *desc = mem_zalloc(1, sizeof(*desc));

	desc->control = req->flags;
	desc->late = req->late;
	desc->every = req->every;
	desc->limit = req->limit;
	desc->is_state = !req->prog_len;
	desc->prog_len = req->prog_len;
	desc->prog = mem_zalloc(req->prog_len + 1, sizeof(*desc->prog));
	memcpy(desc->prog, req + 1, req->prog_len * sizeof(*desc->prog));
	return desc;
}

struct desc *desc_decode(const void *blob, size_t len, struct error *err)
{
	const struct kt_desc_req *req = desc_check_blob(blob, len);
	struct json_object *meta;
	struct desc *desc;
	const char *wrong;

	if (!req) {
		malformed(err, "its sizes do not fit");
		return NULL;
	}
	desc = decode_request(req);
	meta = parse_meta((const char *)blob + len - req->meta_len, req->meta_len);
	wrong = decode_meta(meta, desc);
	json_object_put(meta);
	if (!wrong && desc->prog_len && program_payload(desc->prog, desc->prog_len) != (int)desc_payload(desc))
		wrong = "its fields are not what it records";
	if (!wrong)
		return desc;
	malformed(err, wrong);
	desc_free(desc);
	return NULL;
}

struct desc *desc_decode_raw(const void *blob, size_t len, uint64_t addr, struct error *err)
{
	const struct kt_desc_req *req = desc_check_blob(blob, len);
	struct desc *desc = req ? decode_request(req) : NULL;
	int payload = desc && desc->prog_len ? program_payload(desc->prog, desc->prog_len) : -1;

	if (payload < 0) {
		malformed(err, "the size of its records is not known");
		desc_free(desc);
		return NULL;
	}
	desc->addr = addr;
	desc->name = mem_printf("0x%llx", (unsigned long long)addr);
	desc->typed = mem_strdup(desc->name);
	desc->options = mem_strdup("");
	desc->nr_fields = payload / 4;
	desc->fields = mem_zalloc(desc->nr_fields ? desc->nr_fields : 1, sizeof(*desc->fields));
	for (size_t i = 0; i < desc->nr_fields; i++) {
		desc->fields[i] = (struct field){ .kind = FIELD_RAW, .bytes = 4, .fault_bit = -1 };
		snprintf(desc->fields[i].name, sizeof(desc->fields[i].name), "word%zu", i);
	}
	desc_find_fixed(desc);
	return desc;
}
