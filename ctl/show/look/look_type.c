// SPDX-License-Identifier: GPL-2.0-or-later
/* look_type.c - a type with its members, their offsets and sizes, and the holes between them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ctl/base/escape.h"
#include "ctl/base/json_out.h"
#include "ctl/base/style.h"
#include "ctl/base/table.h"
#include "ctl/show/look/look.h"
#include "symbols/index/type.h"

#define DEEPEST	16	/* anonymous members in anonymous members */
#define INDENT	2

/* What is told of a type: for each member, hole and enumerator a call. */
struct teller {
	const struct dbindex *ix;
	void (*member)(void *arg, const struct type_member *member, uint64_t bit, uint64_t size, unsigned int depth);
	/* bits that no member has: from bit, before the next member or the end */
	void (*hole)(void *arg, uint64_t bit, uint64_t bits, bool is_end, unsigned int depth);
	void *arg;
};

static bool is_composite(const struct type *type)
{
	return type->kind == TYPE_STRUCT || type->kind == TYPE_UNION;
}

static void tell_members(const struct teller *t, struct type type, uint64_t base, unsigned int depth)
{
	const uint64_t all = 8 * type.size;
	const bool is_struct = type.kind == TYPE_STRUCT;
	struct type_member member;
	struct type inner;
	uint64_t end = 0;

	while (type_next_member(t->ix, &type, &member)) {
		const uint64_t size = type_size(t->ix, member.type);

		if (is_struct && member.bit_offset > end)
			t->hole(t->arg, base + end, member.bit_offset - end, false, depth);
		t->member(t->arg, &member, base + member.bit_offset, size, depth);
		if (!*member.name && depth < DEEPEST && type_resolve(t->ix, member.type, &inner) && is_composite(&inner))
			tell_members(t, inner, base + member.bit_offset, depth + 1);
		if (member.bit_offset + (member.bits ? member.bits : 8 * size) > end)
			end = member.bit_offset + (member.bits ? member.bits : 8 * size);
	}
	if (is_struct && end < all)
		t->hole(t->arg, base + end, all - end, true, depth);
}

/* --------------------------------------------------------------------- text */

struct told {
	struct session *s;
	const struct dbindex *ix;
	struct table table;
	unsigned int members, holes;
	uint64_t hole_bits, padding_bits;
};

static void add_offset(struct told *told, uint64_t bit, uint32_t bits, uint64_t size)
{
	if (bits || bit % 8)
		table_add(&told->table, "%" PRIu64 ":%" PRIu64, bit / 8, bit % 8);
	else
		table_add(&told->table, "%" PRIu64, bit / 8);
	if (bits)
		table_add(&told->table, "%u bit%s", bits, bits == 1 ? "" : "s");
	else
		table_add(&told->table, "%" PRIu64, size);
}

static void text_member(void *arg, const struct type_member *member, uint64_t bit, uint64_t size, unsigned int depth)
{
	struct told *told = arg;
	char spelling[256];

	told->members++;
	add_offset(told, bit, member->bits, size);
	table_add(&told->table, "%*s%s", INDENT * depth, "", *member->name ? member->name : "(unnamed)");
	table_add(&told->table, "%s", type_spell(told->ix, member->type, spelling, sizeof(spelling)));
}

static void text_hole(void *arg, uint64_t bit, uint64_t bits, bool is_end, unsigned int depth)
{
	struct told *told = arg;

	if (is_end)
		told->padding_bits += bits;
	else
		told->hole_bits += bits;
	told->holes += !is_end;
	add_offset(told, bit, bits % 8 ? bits : 0, bits / 8);
	table_add(&told->table, "%*s%s", INDENT * depth, "", is_end ? "(padding)" : "(hole)");
	table_add(&told->table, "%s", "");
}

static void print_bits(FILE *out, uint64_t bits)
{
	if (bits % 8)
		fprintf(out, "%" PRIu64 " bits", bits);
	else
		fprintf(out, "%" PRIu64 " byte%s", bits / 8, bits == 8 ? "" : "s");
}

static void print_sum(const struct told *told, FILE *out)
{
	if (told->holes) {
		fprintf(out, ", %u hole%s of together ", told->holes, told->holes == 1 ? "" : "s");
		print_bits(out, told->hole_bits);
	}
	if (told->padding_bits) {
		fputs(", padding of ", out);
		print_bits(out, told->padding_bits);
	}
}

static void show_composite(struct session *s, const struct dbindex *ix, const struct type *type)
{
	struct told told = { .s = s, .ix = ix, .table = { .align = "rrll" } };
	const struct teller teller = { .ix = ix, .member = text_member, .hole = text_hole, .arg = &told };

	table_add(&told.table, "offset");
	table_add(&told.table, "size");
	table_add(&told.table, "member");
	table_add(&told.table, "type");
	tell_members(&teller, *type, 0, 0);
	fprintf(s->out, ", %u member%s", told.members, told.members == 1 ? "" : "s");
	print_sum(&told, s->out);
	fputc('\n', s->out);
	table_print(&told.table, true, s->out, s->colour);
	table_free(&told.table);
}

static void show_enum(struct session *s, const struct dbindex *ix, struct type type)
{
	struct table table = { .align = "rl" };
	const char *name;
	int64_t value;

	fputc('\n', s->out);
	table_add(&table, "value");
	table_add(&table, "name");
	while (type_next_value(ix, &type, &name, &value)) {
		table_add(&table, "%" PRId64, value);
		table_add(&table, "%s", name);
	}
	table_print(&table, true, s->out, s->colour);
	table_free(&table);
}

static void show_text(struct session *s, const struct dbindex *ix, const struct type *type, const char *spelling)
{
	char real[256];

	style_put(s->out, s->colour, STYLE_NAME, spelling, 0);
	type_spell(ix, type->number, real, sizeof(real));
	if (strcmp(real, spelling))
		fprintf(s->out, " = %s", escape_shown(real));
	fprintf(s->out, "  %" PRIu64 " byte%s", type_size(ix, type->number), type_size(ix, type->number) == 1 ? "" : "s");
	if (is_composite(type))
		show_composite(s, ix, type);
	else if (type->kind == TYPE_ENUM)
		show_enum(s, ix, *type);
	else
		fputc('\n', s->out);
}

/* --------------------------------------------------------------------- JSON */

struct listed {
	const struct dbindex *ix;
	struct json *j;
};

static void json_offset(struct json *j, uint64_t bit, unsigned int depth)
{
	json_number(j, "offset", bit / 8);
	json_number(j, "bit", bit % 8);
	json_number(j, "depth", depth);
}

static void json_member(void *arg, const struct type_member *member, uint64_t bit, uint64_t size, unsigned int depth)
{
	const struct listed *listed = arg;
	char spelling[256];

	json_open(listed->j, NULL);
	json_text(listed->j, "name", member->name);
	json_text(listed->j, "ctype", type_spell(listed->ix, member->type, spelling, sizeof(spelling)));
	json_offset(listed->j, bit, depth);
	json_number(listed->j, "size", size);
	json_number(listed->j, "bits", member->bits);
	json_close(listed->j);
}

static void json_hole(void *arg, uint64_t bit, uint64_t bits, bool is_end, unsigned int depth)
{
	const struct listed *listed = arg;

	json_open(listed->j, NULL);
	json_text(listed->j, "name", is_end ? "(padding)" : "(hole)");
	json_null(listed->j, "ctype");
	json_offset(listed->j, bit, depth);
	json_number(listed->j, "size", bits / 8);
	json_number(listed->j, "bits", bits);
	json_close(listed->j);
}

static void json_values(struct json *j, const struct dbindex *ix, struct type type)
{
	const char *name;
	int64_t value;

	json_open_array(j, "values");
	while (type_next_value(ix, &type, &name, &value)) {
		json_open(j, NULL);
		json_text(j, "name", name);
		json_signed(j, "value", value);
		json_close(j);
	}
	json_close(j);
}

static void show_json(struct session *s, const struct dbindex *ix, const struct type *type, const char *spelling)
{
	struct json j = json_typed(s->out, "type");
	struct listed listed = { ix, &j };
	const struct teller teller = { .ix = ix, .member = json_member, .hole = json_hole, .arg = &listed };
	char real[256];

	json_text(&j, "name", spelling);
	json_text(&j, "ctype", type_spell(ix, type->number, real, sizeof(real)));
	json_number(&j, "size", type_size(ix, type->number));
	json_open_array(&j, "members");
	if (is_composite(type))
		tell_members(&teller, *type, 0, 0);
	json_close(&j);
	if (type->kind == TYPE_ENUM)
		json_values(&j, ix, *type);
	json_end(&j);
}

void look_show_type(struct session *s, const struct dbindex *ix, uint32_t number, const char *spelling)
{
	struct type type;

	if (!type_resolve(ix, number, &type))
		type = (struct type){ .kind = TYPE_VOID, .number = NO_TYPE, .name = "void" };
	if (s->format == PRINT_JSON)
		show_json(s, ix, &type, spelling);
	else
		show_text(s, ix, &type, spelling);
}
