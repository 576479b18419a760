// SPDX-License-Identifier: GPL-2.0-or-later
/* compile_bytes.c - record bytes in memory, `VAR dev->dev_addr:mac`, and the kernel's objects.  See compile.h. */
#include "ctl/ask/lang/compile_int.h"

#include <string.h>

#include "ctl/ask/expr/expr_int.h"

/* The address of the bytes; *size of them, 0: unknown.  NULL: e is not in memory. */
static const struct expr *bytes_at(const struct expr *e, uint64_t *size)
{
	const bool is_composite = !e->type.stars && e->type.shape != SHAPE_NUMBER && e->type.shape != SHAPE_FUNCTION;

	if (e->kind == EXPR_LOAD && (e->type.slice || is_composite)) {
		*size = expr_size(e->type);
		return e->a;
	}
	if (!e->type.stars || e->type.slice)
		return NULL;
	/* A pointer to a byte, or to void, does not say how many there are. */
	*size = expr_size(expr_target(e->type));
	if (*size == 1)
		*size = 0;
	return e;
}

/* The bytes that a form shows; 0: all. */
static unsigned int bytes_of(enum show show)
{
	return show == SHOW_MAC ? 6 : show == SHOW_UUID || show == SHOW_IP6 ? 16 : 0;
}

bool compile_is_ip6(const struct expr *e)
{
	struct expr_type type = e->type;
	uint64_t size;

	if (!bytes_at(e, &size) || size != bytes_of(SHOW_IP6))
		return false;
	if (type.stars && !type.slice)
		type = expr_target(type);
	if (type.slice || type.shape == SHAPE_ARRAY)
		return expr_size(expr_element(type)) == 1;
	return type.shape == SHAPE_COMPOSITE;
}

static bool find_size(enum show show, uint64_t have, uint16_t *out, const char *what, struct error *err)
{
	const unsigned int shown = bytes_of(show);

	if (!have && !shown)
		return error_set(err, STATUS_USAGE, "%s: how many bytes is unknown: say it, as in ((u8 *)p)[0..15]:bytes", what);
	if (have && have < shown)
		return error_set(err, STATUS_USAGE, "%s: it has %u bytes, and this form shows %u", what, (unsigned int)have, shown);
	if (!shown && have > SHOW_MOST_BYTES)
		return error_set(err, STATUS_USAGE, "%s: %llu bytes: at most %d are shown so: take a part, as in a[0..%d]:bytes", what,
				 (unsigned long long)have, SHOW_MOST_BYTES, SHOW_MOST_BYTES - 1);
	*out = shown ? shown : have;
	return true;
}

/* An item of a plain record has whole units of four bytes. */
static bool put_padding(struct compiler *c, struct field *field, struct error *err)
{
	if (c->desc->is_packed || field->length % 4 == 0)
		return true;
	field->length += 2;
	code_put_const(&c->body, VALUE, 0);
	code_put(&c->body, (struct kt_insn){ .op = KT_OP_EMIT2, .src = VALUE });
	return compile_emitted(c, 2, err);
}

/* Record so many bytes at an address. */
static struct field *put_bytes(struct compiler *c, const char *name, const struct expr *at, uint16_t bytes,
			       struct error *err)
{
	struct field *field;

	/* Of an odd number of bytes, one more is read. */
	if (!code_value(&c->body, c->arch, at, err) ||
	    !compile_text_at(c, name, KT_OP_EMITBYTES, bytes + bytes % 2, err))
		return NULL;
	field = &c->desc->fields[c->desc->nr_fields - 1];
	field->most = bytes;
	return put_padding(c, field, err) ? field : NULL;
}

bool compile_byte_array(struct compiler *c, const char *name, const struct expr *e, struct error *err)
{
	const uint64_t elements = expr_count(e->type);
	struct field *field = put_bytes(c, name, e->a, elements < SHOW_MOST_BYTES ? elements : SHOW_MOST_BYTES, err);

	if (!field)
		return false;
	field->show = SHOW_BYTES;
	field->elements = elements < UINT16_MAX ? elements : UINT16_MAX;
	return true;
}

bool compile_bytes(struct compiler *c, const char *name, const struct expr *e, enum show show, const char *what,
		   struct error *err)
{
	uint64_t have = 0;
	const struct expr *at = bytes_at(e, &have);
	struct field *field;
	uint16_t bytes = 0;

	if (!at)
		return error_set(err, STATUS_USAGE, "%s: only bytes in memory are shown so: an array, a struct, a pointer or a[0..7]",
				 what);
	field = find_size(show, have, &bytes, what, err) ? put_bytes(c, name, at, bytes, err) : NULL;
	if (field)
		field->show = show;
	return field;
}

bool compile_object(struct compiler *c, const char *name, const struct expr *e, enum show show, const char *what,
		    struct error *err)
{
	static const struct {
		enum kt_object object;
		enum field_kind kind;
		uint16_t bytes;
		const char *type;
	} rows[NR_SHOWS] = {
		[SHOW_PACKET] = { KT_OBJECT_PACKET, FIELD_PACKET, KT_PACKET_BYTES, "struct sk_buff *" },
		[SHOW_PIDS] = { KT_OBJECT_PIDS, FIELD_NUMBERS, KT_PIDS_BYTES, "struct task_struct *" },
	};
	struct field *field;
	char type[128];

	if (!c->desc->is_packed)
		return error_set(err, STATUS_USAGE, "%s: only a recording has room for it: write it behind 'record --trace'", what);
	if (!strstr(expr_spell(e->type, type, sizeof(type)), rows[show].type) || e->type.stars != 1 || e->type.slice)
		return error_set(err, STATUS_USAGE, "%s: it needs a %s, and this is a %s", what, rows[show].type, type);
	if (!code_value(&c->body, c->arch, e, err) || !compile_text_at(c, name, KT_OP_EMITOBJECT, rows[show].bytes, err))
		return false;
	c->body.v[c->body.n - 1].aux = rows[show].object;
	field = &c->desc->fields[c->desc->nr_fields - 1];
	field->kind = rows[show].kind;
	field->varies = true;
	return true;
}
