// SPDX-License-Identifier: GPL-2.0-or-later
/* user_desc.c - tracepoints of programs as descriptors.  See user_desc.h. */
#include "ctl/trace/user/user_desc.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/device/field_names.h"
#include "ctl/base/memory.h"

#define AS	"ktrace_as("
#define BYTES	"ktrace_bytes("

/* ------------------------------------------------------------------------ expressions */

/* A part of the text of the arguments. */
struct part {
	const char *at;
	size_t len;
};

static struct part trimmed(const char *at, size_t len)
{
	while (len && isspace((unsigned char)*at)) {
		at++;
		len--;
	}
	while (len && isspace((unsigned char)at[len - 1]))
		len--;
	return (struct part){ at, len };
}

/* The characters to skip at this place: all of a text in quotes, else one. */
static size_t quoted(const char *at)
{
	const char quote = *at;
	size_t len = 1;

	if (quote != '"' && quote != '\'')
		return 1;
	while (at[len] && at[len] != quote)
		len += at[len] == '\\' && at[len + 1] ? 2 : 1;
	return at[len] ? len + 1 : len;
}

/* Take an argument, up to a comma that is in no parentheses; *text is then behind the comma. */
static struct part next_arg(const char **text)
{
	const char *start = *text, *at = start;
	int depth = 0;

	while (*at && (depth > 0 || *at != ',')) {
		depth += strchr("([{", *at) ? 1 : strchr(")]}", *at) ? -1 : 0;
		at += quoted(at);
	}
	*text = *at ? at + 1 : at;
	return trimmed(start, at - start);
}

/* Is the argument a call with that name, such as "ktrace_as("?  Then *inner is what is in its parentheses. */
static bool is_call(struct part arg, const char *name, char **inner)
{
	const size_t len = strlen(name);

	if (arg.len <= len || strncmp(arg.at, name, len) || arg.at[arg.len - 1] != ')')
		return false;
	*inner = mem_strndup(arg.at + len, arg.len - len - 1);
	return true;
}

static void set_name(struct field *field, struct part from)
{
	if (!from.len)
		snprintf(field->name, sizeof(field->name), "?");
	else if (from.len < sizeof(field->name))
		snprintf(field->name, sizeof(field->name), "%.*s", (int)from.len, from.at);
	else
		snprintf(field->name, sizeof(field->name), "%.*s...", (int)sizeof(field->name) - 4, from.at);
}

/* ------------------------------------------------------------------------ fields */

static bool has_name(const struct field *field, const char *name)
{
	for (size_t i = 0; i < field->nr_names; i++)
		if (!strcmp(field->names[i].name, name))
			return true;
	return false;
}

/* "ktrace_as(colour, c)": the names of colour, for c. */
static void take_enum(const struct user_file *file, struct field *field, const char *inner)
{
	const char *rest = inner;
	const struct part name = next_arg(&rest);
	const struct user_enum *e = user_file_enum(file, name.at, name.len);

	set_name(field, next_arg(&rest));
	for (uint32_t i = 0; e && field->kind == FIELD_INT && i < e->nr; i++)
		if (*e->names[i] && !has_name(field, e->names[i]))
			field_add_name(field, e->values[i], e->names[i]);
}

/* Is it the name of a type, such as "unsigned int", "struct packet *", "uint8_t"? */
static bool is_type(const char *text, size_t len)
{
	static const char *const words[] = { "int", "char", "short", "long", "signed", "unsigned", "float", "double", "bool", "_Bool" };
	const size_t first = strcspn(text, " *)");

	if (strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_ *") < len)
		return false;
	if (memchr(text, '*', len) || memchr(text, ' ', len) || (len > 2 && !strncmp(text + len - 2, "_t", 2)))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (first == len && len == strlen(words[i]) && !strncmp(text, words[i], len))
			return true;
	return false;
}

/* Without the casts before it: "(int)i" is i.  (a)*b is a product, unless a is the name of a type. */
static struct part without_casts(struct part arg)
{
	for (;;) {
		const char *end = arg.len && *arg.at == '(' ? memchr(arg.at, ')', arg.len) : NULL;
		const size_t len = end ? end + 1 - arg.at : 0;

		if (!end || len == arg.len || end[1] == '{' || !is_type(arg.at + 1, len - 2))
			return arg;
		arg = trimmed(arg.at + len, arg.len - len);
	}
}

static void name_field(const struct user_file *file, struct field *field, struct part arg)
{
	AUTO_FREE char *inner = NULL;
	const char *rest;

	if (is_call(arg, AS, &inner)) {
		take_enum(file, field, inner);
	} else if (is_call(arg, BYTES, &inner)) {
		rest = inner;
		set_name(field, next_arg(&rest));
	} else {
		set_name(field, without_casts(arg));
	}
}

static struct field make_field(uint8_t type)
{
	static const struct row {
		enum field_kind kind;
		uint8_t bytes;
		bool is_signed;
		uint16_t length;
	} rows[KTRACE_NR_TYPES] = {
		[KTRACE_I8] = { FIELD_INT, 1, true, 0 }, [KTRACE_U8] = { FIELD_INT, 1, false, 0 },
		[KTRACE_I16] = { FIELD_INT, 2, true, 0 }, [KTRACE_U16] = { FIELD_INT, 2, false, 0 },
		[KTRACE_I32] = { FIELD_INT, 4, true, 0 }, [KTRACE_U32] = { FIELD_INT, 4, false, 0 },
		[KTRACE_I64] = { FIELD_INT, 8, true, 0 }, [KTRACE_U64] = { FIELD_INT, 8, false, 0 },
		[KTRACE_BOOL] = { FIELD_INT, 1, false, 0 }, [KTRACE_F32] = { FIELD_FLOAT, 4, true, 0 },
		[KTRACE_F64] = { FIELD_FLOAT, 8, true, 0 }, [KTRACE_POINTER] = { FIELD_POINTER, 8, false, 0 },
		[KTRACE_STRING] = { FIELD_STRING, 1, false, USER_TEXT + 3 }, [KTRACE_BYTES] = { FIELD_STRING, 1, false, USER_HEX },
	};
	const struct row *row = &rows[type];
	struct field field = {
		.kind = row->kind, .bytes = row->bytes, .is_signed = row->is_signed, .length = row->length,
		.varies = row->length, .fault_bit = -1,
	};

	if (type == KTRACE_STRING)
		field.limit = USER_TEXT;
	if (type == KTRACE_BOOL) {
		field_add_name(&field, 0, "false");
		field_add_name(&field, 1, "true");
	}
	return field;
}

static struct field id_field(const char *name)
{
	struct field field = { .kind = FIELD_NUMBER, .bytes = 4, .is_signed = true, .fault_bit = -1 };

	snprintf(field.name, sizeof(field.name), "%s", name);
	return field;
}

struct desc *user_desc(const struct user_file *file, const struct user_site *site)
{
	struct desc *desc = mem_zalloc(1, sizeof(*desc));
	const char *rest = site->args;

	desc->name = mem_printf("%s:%s", site->provider, site->name);
	desc->typed = mem_printf("%s:%u", site->source, site->line);
	desc->options = mem_strdup(site->args);
	desc->is_packed = desc->is_user = true;
	desc->fields = mem_zalloc(2 + site->nr, sizeof(*desc->fields));
	desc->fields[desc->nr_fields++] = id_field("vpid");
	desc->fields[desc->nr_fields++] = id_field("vtid");
	for (uint32_t i = 0; i < site->nr; i++) {
		struct field *field = &desc->fields[desc->nr_fields++];

		*field = make_field(site->types[i]);
		name_field(file, field, next_arg(&rest));
	}
	return desc;
}

/* ------------------------------------------------------------------------ records */

static uint32_t word_at(const uint8_t *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* A text ends at its first 0: the program's memory may have changed while it was copied. */
static size_t put_text(uint8_t *to, const uint8_t *from)
{
	const uint32_t bytes = word_at(from);
	const size_t len = strnlen((const char *)from + 4, bytes < USER_TEXT + 1 ? bytes : USER_TEXT + 1);

	memcpy(to, from + 4, len);
	to[len] = '\0';
	return len + 1;
}

static size_t put_hex(uint8_t *to, const uint8_t *from)
{
	static const char digits[] = "0123456789abcdef";
	const uint32_t bytes = word_at(from), kept = bytes < KTRACE_MAX_TEXT ? bytes : KTRACE_MAX_TEXT;
	size_t at = 0;

	for (uint32_t i = 0; i < kept; i++) {
		to[at++] = digits[from[4 + i] >> 4];
		to[at++] = digits[from[4 + i] & 15];
	}
	if (kept < bytes)
		to[at++] = '+';
	to[at++] = '\0';
	return at;
}

size_t user_record(const struct user_ring *ring, uint8_t *to)
{
	const int32_t ids[2] = { (int32_t)ring->file->head.pid, (int32_t)ring->thread };
	const uint8_t *from = ring->payload, *end = from + ring->payload_len;
	size_t at = sizeof(ids);

	memcpy(to, ids, sizeof(ids));
	for (uint32_t i = 0; i < ring->site->nr; i++) {
		const uint8_t type = ring->site->types[i];
		const size_t len = user_arg_length(type, from, end - from);

		if (type == KTRACE_STRING) {
			at += put_text(to + at, from);
		} else if (type == KTRACE_BYTES) {
			at += put_hex(to + at, from);
		} else {
			memcpy(to + at, from, len);
			at += len;
		}
		from += len;
	}
	if (at % 2)
		to[at++] = '\0';
	return at;
}
