// SPDX-License-Identifier: GPL-2.0-or-later
/* look_type.c - a type with its members, their offsets and sizes, and the holes between them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ctl/base/escape.h"
#include "ctl/base/memory.h"
#include "ctl/base/sheet/sheet.h"
#include "ctl/base/style.h"
#include "ctl/show/look/look.h"
#include "symbols/index/type.h"

#define DEEPEST	16	/* anonymous members in anonymous members */
#define INDENT	2

/* The members of a type, with their holes, as they are told. */
struct told {
	const struct dbindex *ix;
	struct sheet sheet;
	unsigned int members, holes;
	uint64_t hole_bits, padding_bits;
};

static bool is_composite(const struct type *type)
{
	return type->kind == TYPE_STRUCT || type->kind == TYPE_UNION;
}

/* A row; of a hole type is NULL. */
static void add_row(struct told *told, const char *name, const char *type, uint64_t bit, uint64_t size, uint64_t bits, unsigned int depth)
{
	const bool has_bits = type ? bits : bits % 8;
	AUTO_FREE char *in_bits = mem_printf("%" PRIu64 " bit%s", bits, bits == 1 ? "" : "s");
	AUTO_FREE char *in_bytes = mem_printf("%" PRIu64, size);
	AUTO_FREE char *offset = has_bits || bit % 8 ? mem_printf("%" PRIu64 ":%" PRIu64, bit / 8, bit % 8) : mem_printf("%" PRIu64, bit / 8);

	sheet_row(&told->sheet);
	cell_text_as(&told->sheet, CELL_RIGHT, NULL, "offset", offset);
	cell_text_as(&told->sheet, CELL_RIGHT, NULL, "size", has_bits ? in_bits : in_bytes);
	cell_format(&told->sheet, NULL, "member", "%*s%s", INDENT * depth, "", *name ? name : "(unnamed)");
	cell_text(&told->sheet, "name", NULL, name);
	cell_text(&told->sheet, NULL, "type", type ? type : "");
	cell_text(&told->sheet, "ctype", NULL, type);
	cell_number(&told->sheet, "offset", NULL, bit / 8);
	cell_number(&told->sheet, "bit", NULL, bit % 8);
	cell_number(&told->sheet, "depth", NULL, depth);
	cell_number(&told->sheet, "size", NULL, size);
	cell_number(&told->sheet, "bits", NULL, bits);
}

static void add_member(struct told *told, const struct type_member *member, uint64_t bit, uint64_t size, unsigned int depth)
{
	char spelling[256];

	told->members++;
	add_row(told, member->name, type_spell(told->ix, member->type, spelling, sizeof(spelling)), bit, size, member->bits, depth);
}

/* Bits that no member has: from bit, before the next member or the end. */
static void add_hole(struct told *told, uint64_t bit, uint64_t bits, bool is_end, unsigned int depth)
{
	if (is_end)
		told->padding_bits += bits;
	else
		told->hole_bits += bits;
	told->holes += !is_end;
	add_row(told, is_end ? "(padding)" : "(hole)", NULL, bit, bits / 8, bits, depth);
}

static void tell_members(struct told *t, struct type type, uint64_t base, unsigned int depth)
{
	const uint64_t all = 8 * type.size;
	const bool is_struct = type.kind == TYPE_STRUCT;
	struct type_member member;
	struct type inner;
	uint64_t end = 0;

	while (type_next_member(t->ix, &type, &member)) {
		const uint64_t size = type_size(t->ix, member.type);

		if (is_struct && member.bit_offset > end)
			add_hole(t, base + end, member.bit_offset - end, false, depth);
		add_member(t, &member, base + member.bit_offset, size, depth);
		if (!*member.name && depth < DEEPEST && type_resolve(t->ix, member.type, &inner) && is_composite(&inner))
			tell_members(t, inner, base + member.bit_offset, depth + 1);
		if (member.bit_offset + (member.bits ? member.bits : 8 * size) > end)
			end = member.bit_offset + (member.bits ? member.bits : 8 * size);
	}
	if (is_struct && end < all)
		add_hole(t, base + end, all - end, true, depth);
}

static struct sheet values_of(const struct dbindex *ix, struct type type)
{
	struct sheet sheet = { .key = "values" };
	const char *name;
	int64_t value;

	while (type_next_value(ix, &type, &name, &value)) {
		sheet_row(&sheet);
		cell_signed(&sheet, NULL, "value", value);
		cell_text(&sheet, "name", "name", name);
		cell_signed(&sheet, "value", NULL, value);
	}
	return sheet;
}

/* --------------------------------------------------------------------- text */

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

static void say_members(const struct told *told, FILE *out)
{
	fprintf(out, ", %u member%s", told->members, told->members == 1 ? "" : "s");
	print_sum(told, out);
}

static void show_text(struct session *s, const struct dbindex *ix, const struct type *type, const char *spelling, const char *real,
		      const struct told *told, const struct sheet *values)
{
	const uint64_t size = type_size(ix, type->number);

	style_put(s->out, s->colour, STYLE_NAME, spelling, 0);
	if (strcmp(real, spelling))
		fprintf(s->out, " = %s", escape_shown(real));
	fprintf(s->out, "  %" PRIu64 " byte%s", size, size == 1 ? "" : "s");
	if (is_composite(type))
		say_members(told, s->out);
	fputc('\n', s->out);
	sheet_print(&told->sheet, SIZE_MAX, s->out, s->colour);
	sheet_print(values, SIZE_MAX, s->out, s->colour);
}

static void show_type(struct session *s, const struct dbindex *ix, const struct type *type, const char *spelling)
{
	struct told told = { .ix = ix, .sheet.key = "members" };
	struct sheet values = { .key = "values" };
	AUTO_SHEET struct sheet sheet = { .key = "type" };
	char real[256];

	type_spell(ix, type->number, real, sizeof(real));
	if (is_composite(type))
		tell_members(&told, *type, 0, 0);
	if (type->kind == TYPE_ENUM)
		values = values_of(ix, *type);
	if (s->format == PRINT_TEXT)
		show_text(s, ix, type, spelling, real, &told, &values);
	if (s->format == PRINT_CSV)
		sheet_csv(type->kind == TYPE_ENUM ? &values : &told.sheet, s->out);
	sheet_row(&sheet);
	cell_text(&sheet, "name", NULL, spelling);
	cell_text(&sheet, "ctype", NULL, real);
	cell_number(&sheet, "size", NULL, type_size(ix, type->number));
	cell_sheet(&sheet, &told.sheet);
	cell_sheet(&sheet, &values)->absent = type->kind != TYPE_ENUM;
	if (s->format == PRINT_JSON)
		sheet_write(&sheet, s->format, s->out, false);
}

void look_show_type(struct session *s, const struct dbindex *ix, uint32_t number, const char *spelling)
{
	struct type type;

	if (!type_resolve(ix, number, &type))
		type = (struct type){ .kind = TYPE_VOID, .number = NO_TYPE, .name = "void" };
	show_type(s, ix, &type, spelling);
}
