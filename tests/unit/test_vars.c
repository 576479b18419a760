// SPDX-License-Identifier: GPL-2.0-or-later
/* test_vars.c - members, arrays and types of the source in expressions.  Each expression is written once. */
#include "planted.h"

#include <math.h>

static void check_text(const char *text, const char *expected)
{
	struct desc *desc = captured(text);
	/* The address of a pointer comes first. */
	const bool has_address = desc->fields[0].is_address;
	const char *got = (const char *)(m.out + desc->has_faults + 2 * has_address);
	const struct field *field = &desc->fields[has_address];
	size_t most = field->most ? field->most : field->length;

	if (field->kind != FIELD_STRING || (desc->has_faults && m.out[0]) || strncmp(got, expected, most) ||
	    strnlen(got, most) != strlen(expected))
		fail_msg("%s: '%.*s', not '%s'", text, (int)most, got, expected);
	desc_free(desc);
}

/* A floating-point number of these bits. */
static void check_float(const char *text, const void *bits, u8 bytes)
{
	struct desc *desc = captured(text);
	const struct field *field = &desc->fields[0];
	const u64 got = number_at(field, m.out + desc->has_faults);

	if (desc->nr_fields != 1 || field->kind != FIELD_FLOAT || field->bytes != bytes || (desc->has_faults && m.out[0]) ||
	    memcmp(&got, bits, bytes))
		fail_msg("%s: kind %d of %d bytes, 0x%llx", text, field->kind, field->bytes, got);
	desc_free(desc);
}

/* Bytes of which `elements` are in the array. */
static void check_bytes(const char *text, const void *expected, size_t n, size_t elements)
{
	struct desc *desc = captured(text);
	const struct field *field = &desc->fields[0];

	if (desc->nr_fields != 1 || field->kind != FIELD_STRING || field->show != SHOW_BYTES || field->group ||
	    field->most != n || field->elements != elements || strcmp(field->name, text))
		fail_msg("%s: kind %d, form %d, %d of %d bytes", text, field->kind, field->show, field->most, field->elements);
	if ((desc->has_faults && m.out[0]) || memcmp(m.out + desc->has_faults, expected, n))
		fail_msg("%s: other bytes", text);
	desc_free(desc);
}

#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wbool-compare"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"

static char spelt[2][512];

/* The text with its @ replaced. */
static const char *spell(const char *text, const char *with, char *out, size_t size)
{
	size_t n = 0;

	for (; *text && n + 1 < size; text++) {
		if (*text == '@')
			n += snprintf(out + n, size - n, "%s", with);
		else
			out[n++] = *text;
	}
	out[n < size ? n : size - 1] = '\0';
	return out;
}

/* In C the @ is o; in a capture it is the object behind a register, or the parameter of that type. */
static void check_both(const char *text, u64 expected)
{
	check_number(spell(text, "(*(struct planted *)$rdi)", spelt[0], sizeof(spelt[0])), expected);
	check_number(spell(text, "(*planted)", spelt[1], sizeof(spelt[1])), expected);
}

#define SAME(member, rest)	check_both("@." #member " " #rest, (u64)(object.member rest))
#define M(member)		SAME(member, /* as it is */)

static void check_members(void)
{
	M(a); M(b); M(c); M(d); M(e); M(f); M(g); M(h); M(i); M(j); M(k); M(l); M(m); M(n); M(p); M(yes); M(no);
	M(kind); M(mood); M(moods[0]); M(moods[1]); M(whole); M(low); M(high); M(bytes[0]); M(bytes[7]);
	M(inside); M(half[0]); M(half[1]); M(point.x); M(point.y); M(named.line.from.x); M(named.line.to.y);
	M(grid[0][0]); M(grid[2][3]); M(grid[1][2]); M(cube[1][2][1]); M(cube[0][1][0]); M(words[1][2]);
	M(points[2].x); M(points[1].y); M(lines[1][0].to.x); M(lines[0][1].from.y); M(byte); M(small); M(word); M(little);
	M(dword); M(integer); M(qword); M(large); M(letter); M(text[3]); M(name[1]); M(next->byte); M(next->d);
	M(next->next->i); M(next->next->next->lines[1][1].to.y); M(where[1]->small); M(where[0]->next->large);
	M(row[1][2]); M(row[2][0]); M(string[4]); M(nothing == 0); M(next->moods[1]);
}

static void check_computed(void)
{
	SAME(a, + 1); SAME(d, < 0); SAME(e, >> 3); SAME(f, % 1000); SAME(i, / 7); SAME(k, << 5); SAME(mood, == KEEN);
	SAME(kind, != SAD); SAME(j, % 5); SAME(c, & 0xff); SAME(b, - 100); SAME(l, - 100); SAME(g, > 5); SAME(m, + 1);
	SAME(little, * 1000); SAME(dword, * 2); SAME(large, >> 7); SAME(qword, >> 63);
	SAME(points[2].x, + 70000); SAME(letter, == 'x'); SAME(moods[0], < CALM); SAME(grid[1][1], | NAMELESS);
}

static void test_members(void **state)
{
	for (unsigned int seed = 1; seed < 40; seed++) {
		set_machine(seed);
		check_members();
		check_computed();
	}
}

/* Pointers: C's memory has another address in the machine. */
static void test_pointers(void **state)
{
	set_machine(3);
	check_both("&@.byte", OBJECT + offsetof(struct planted, byte));
	check_both("&@.points[1]", OBJECT + offsetof(struct planted, points[1]));
	check_both("&@.points[2] - @.points", 2);
	check_both("&@.points[2] == @.points + 2", 1);
	check_both("&@.lines[1] - &@.lines[0]", 1);
	check_both("(u64)&@.grid[1] - (u64)@.grid", 16);
	check_both("(u64)(@.grid + 2) - (u64)@.grid", 32);
	check_both("@.next", OTHER);
	check_both("@.next + 1", OTHER + sizeof(object));
	check_both("&@.next->grid[2][1]", OTHER + offsetof(struct planted, grid[2][1]));
	check_both("@.where[1] - @.where[0]", -1);
	check_both("*@.where == @.next", 1);
	check_both("(*(@.where + 1))->byte", object.byte);
	check_both("**@.grid", object.grid[0][0]);
	check_both("*@.grid[2]", object.grid[2][0]);
	check_both("(*@.row)[3]", object.grid[0][3]);
	check_both("*&@.integer", object.integer);
	check_both("((struct point *)&@.lines)[3].y", object.lines[0][1].to.y);
	check_both("((line_t *)@.lines)[1].from.x", object.lines[0][1].from.x);
	check_both("*(u16 *)&@.word", object.word);
	check_both("@.next->next == &@", 1);
	check_number("planted->grid[1][index]", object.grid[1][2]);
	check_number("all[1]->qword", object.qword);
	check_number("all[index - 1]->small", object.small);
	check_number("index", 2);
	check_number("((struct planted **)$rsi)[0]->i", other.i);
	check_number("NAMELESS + 1", NAMELESS + 1);
	check_number("planted->mood == KEEN && KEEN == planted->mood", 1);
}

static void test_sizes(void **state)
{
	set_machine(5);
	check_number("sizeof(struct planted)", sizeof(struct planted));
	check_number("sizeof(*planted)", sizeof(struct planted));
	check_number("sizeof(struct planted *) + sizeof(planted)", 16);
	check_number("sizeof(line_t)", sizeof(line_t));
	check_number("sizeof(enum mood)", sizeof(enum mood));
	check_number("sizeof(planted->points) / sizeof(planted->points[0])", 3);
	check_number("sizeof(planted->grid[1])", sizeof(object.grid[1]));
	check_number("sizeof(index) * 2", 8);
	check_number("offsetof(struct planted, qword)", offsetof(struct planted, qword));
	check_number("offsetof(struct planted, points[2].y)", offsetof(struct planted, points[2].y));
	check_number("offsetof(struct planted, named.line.to.x) + 1", offsetof(struct planted, named.line.to.x) + 1);
	check_number("offsetof(line_t, to)", sizeof(struct point));
	check_number("offsetof(struct planted, grid[index])", offsetof(struct planted, grid[2]));
	check_number("container_of(&planted->integer, struct planted, integer)->byte", object.byte);
	check_number("container_of(&planted->next->points[1], struct planted, points[1])->qword", other.qword);
	check_number("container_of(&planted->lines[0][0].to.y, line_t, to.y)->from.x", object.lines[0][0].from.x);
}

static void test_texts(void **state)
{
	set_machine(4);
	check_text("planted->text", "some text");
	check_text("planted->full", "full");
	check_text("planted->words[1]", "next");
	check_text("planted->string", "a string");
	check_text("planted->next->text", "some text");
	check_text("planted->string + 2", "string");
	check_text("planted->text[0..3]", "some");
	check_text("planted->text[5..8]", "text");
	check_text("planted->string[2..4]", "str");
	check_number("sizeof(planted->grid[2][1..2])", 2 * sizeof(object.grid[0][0]));
	check_number("planted->text == \"some text\"", 1);
	check_number("planted->text != \"some\"", 1);
	check_number("planted->text =~ \"some*\" && planted->text !~ \"*x\"", 1);
	check_number("planted->full == \"full\"", 1);
	check_number("planted->full == \"ful\"", 0);
	check_number("planted->full =~ \"*l\"", 1);
	check_number("planted->words[1] == \"next\"", 1);
	check_number("planted->name == \"a name\" && planted->next->text == \"some text\"", 1);
	check_number("planted->string + 2 =~ \"str?ng\"", 1);
}

/* Each row is a text of its own. */
static void test_rows_of_text(void **state)
{
	struct desc *desc;

	set_machine(5);
	desc = captured("planted->words[0..1]");
	assert_int_equal(desc->nr_fields, 2);
	assert_string_equal(desc->fields[1].name, "planted->words[0..1][1]");
	assert_int_equal(desc->fields[1].most, 8);
	assert_string_equal((const char *)(m.out + desc->has_faults + 2), "next");
	desc_free(desc);
}

/* Unsigned bytes are shown as such; a pointer to an unsigned char is a string. */
static void test_byte_arrays(void **state)
{
	const struct planted *p = &object;

	set_machine(5);
	check_bytes("planted->bytes", p->bytes, 8, 8);
	check_bytes("planted->name", p->name, 8, 8);
	check_bytes("planted->pairs[1]", p->pairs[1], 6, 6);
	check_bytes("planted->odd", p->odd, 5, 5);
	check_bytes("planted->long_one", p->long_one, SHOW_MOST_BYTES, 100);
	check_bytes("planted->long_one[70..99]", p->long_one + 70, 30, 30);
	check_bytes("planted->long_one[1..80]", p->long_one + 1, SHOW_MOST_BYTES, 80);
	check_bytes("planted->name[2..4]", p->name + 2, 3, 3);
	check_bytes("((u8 *)&planted->dword)[0..3]", &p->dword, 4, 4);
	check_bytes("((unsigned char *)&planted->dword)[1..2]", (u8 *)&p->dword + 1, 2, 2);
	check_text("(unsigned char *)planted->name", "a name");
	check_text("&planted->name[2]", "name");
	check_number("planted->name == \"a name\"", 1);
	check_number("planted->odd[4]", p->odd[4]);
}

static void check_show(const char *text, enum show show)
{
	struct desc *desc = captured(text);

	if (desc->fields[0].show != show)
		fail_msg("%s: form %d, not %d", text, desc->fields[0].show, show);
	desc_free(desc);
}

/* A dev_t of processes is another one than the kernel's. */
static void test_forms(void **state)
{
	set_machine(4);
	check_show("planted->mode", SHOW_MODE);
	check_show("planted->next->mode", SHOW_MODE);
	check_show("(umode_t)planted->word", SHOW_MODE);
	check_show("*&planted->mode", SHOW_MODE);
	check_show("&planted->mode", SHOW_BY_TYPE);
	check_show("planted->mode & 07777", SHOW_BY_TYPE);
	check_show("planted->word", SHOW_BY_TYPE);
	check_show("planted->some_flags", SHOW_HEX);
	check_show("planted->some_flags & 1", SHOW_BY_TYPE);
	check_show("planted->device", SHOW_BY_TYPE);
	check_show("planted->file_mode", SHOW_FLAGS);
	check_show("planted->file_mode | 1", SHOW_BY_TYPE);
	/* Without a kernel that tells their names. */
	check_show("planted->gfp", SHOW_HEX);
}

static void test_floats(void **state)
{
	static const double numbers[] = { -2.5, 0.1, NAN, -INFINITY, 1e300, -0.0, 5e-324 };
	const struct planted *p = &object;
	struct desc *desc;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		set_machine(i);
		object.wide = object.mixed.x = numbers[i];
		object.single = object.mixed.y = object.singles[2] = (float)numbers[i];
		move_object(&object, OBJECT);
		check_float("planted->single", &p->single, 4);
		check_float("planted->singles[2]", &p->singles[2], 4);
		check_float("planted->wide", &p->wide, 8);
		check_float("planted->mixed.x", &p->mixed.x, 8);
		check_float("*&planted->mixed.y", &p->mixed.y, 4);
		check_float("(double)planted->wide", &p->wide, 8);
		check_float("*(double *)((u64)planted + offsetof(struct planted, wide))", &p->wide, 8);
		check_number("*(u64 *)&planted->wide >> 1", *(const u64 *)&p->wide >> 1);
		check_number("sizeof(planted->single) + sizeof(double)", 12);
	}
	desc = captured("planted->mixed");
	assert_int_equal(desc->nr_fields, 2);
	assert_int_equal(desc->fields[0].kind, FIELD_FLOAT);
	assert_int_equal(desc->fields[1].bytes, 4);
	desc_free(desc);
	desc = captured("planted->singles[1..2]");
	assert_int_equal(desc->nr_fields, 2);
	assert_int_equal(desc->fields[1].kind, FIELD_FLOAT);
	desc_free(desc);
	desc = captured("planted->complex");
	assert_int_equal(desc->fields[0].kind, FIELD_TEXT);
	desc_free(desc);
}

static void test_unreadable(void **state)
{
	struct desc *desc;

	set_machine(5);
	desc = captured("((struct planted *)planted->nothing)->byte");
	assert_true(desc->has_faults && m.out[0] == 1);
	desc_free(desc);
}

/* ------------------------------------------------------------------ refusals */

static void refused(const char *text, const char *said)
{
	struct error err = { .text = "" };
	struct expr *e = resolved(text, &err);

	if (e)
		fail_msg("%s is not refused", text);
	assert_contains(err.text, said);
	assert_one_line(err.text);
}

static void test_refused(void **state)
{
	refused("planted->bites", "at column 8: struct planted has no member 'bites': did you mean bytes");
	refused("planted.byte", "this is a pointer (struct planted *): write ->byte");
	refused("planted->point->x", "this is no pointer but a struct point: write .x");
	refused("index->x", "a unsigned int has no members");
	refused("plante->byte", "there is no variable 'plante' at takes: did you mean planted");
	refused("&planted->b", "a value in a register or a bit-field has no address");
	refused("&index", "a value in a register or a bit-field has no address");
	refused("*planted->nothing", "a void pointer has no target type");
	refused("planted->hidden->x", "the members of a struct hidden are unknown");
	refused("planted->point + 1", "this is a struct point: name a member of it");
	refused("(struct planted)index", "a cast must be to a number or a pointer");
	refused("(struct plnted *)index", ": did you mean planted");
	refused("planted * 2", "pointers can be compared");
	refused("planted - all", "pointers to different types have no difference");
	refused("planted->a < 0", "is unsigned and never below 0");
	refused("planted->mood == KEEM", "'KEEM' is neither a variable at takes nor a symbol");
	refused("sizeof(planted->b)", "a bit-field has no size in bytes");
	refused("sizeof(void)", "the size of this is unknown (void)");
	refused("sizeof(*planted->hidden)", "the size of this is unknown (struct hidden)");
	refused("sizeof(struct plnted)", ": did you mean planted");
	refused("sizeof(plante)", "no type 'plante' is known");
	refused("offsetof(struct planted, bites)", "struct planted has no member 'bites': did you mean bytes");
	refused("offsetof(struct planted, b)", "a bit-field has no address");
	refused("planted->points[0..3]", "at column 20: the array has only 3 elements");
	refused("planted->points[1..0]", "the ends of a slice are constant numbers");
	refused("planted->points[index..2]", "the ends of a slice are constant numbers");
	refused("planted->points[0..1].x", "a slice can only be recorded as a whole");
	refused("planted->points[0..1][1]", "a slice can only be recorded as a whole");
	refused("planted->grid[2][0..1] + 1", "a slice can only be recorded as a whole");
	refused("&planted->points[0..1]", "only a variable or the target of a pointer has an address");
	refused("planted->text[0..3] == \"some\"", "this is no text in memory");
	refused("planted->point[0..1]", "this is a struct point");
	refused("planted->wide > 1", "at column 1: this is a floating-point number, which can be recorded by VAR, but not computed with or compared");
	refused("1 + planted->single", "at column 5: this is a floating-point number");
	refused("-planted->single", "this is a floating-point number");
	refused("!planted->wide", "this is a floating-point number");
	refused("planted->byte && planted->wide", "this is a floating-point number");
	refused("planted->wide ? 1 : 2", "this is a floating-point number");
	refused("planted->byte ? planted->wide : 2", "this is a floating-point number");
	refused("planted->grid[planted->single]", "this is a floating-point number");
	refused("planted->wide == 0.5", "at column 18: a number with a fraction or exponent needs a unit of time, as in 1.5ms");
	refused("planted->wide == 1e5", "a number with a fraction or exponent needs a unit of time");
	refused("(u64)planted->wide", "a cast cannot convert from or to this floating-point number");
	refused("(double)index", "a cast cannot convert");
	refused("(float)planted->wide", "a cast cannot convert");
	refused("planted->complex + 1", "this is not a number (complex float)");
	refused("container_of(planted, line_t, form)", "has no member 'form'");
	refused("RETVAL", "the value is there where the function returns: trace takes%return");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members), cmocka_unit_test(test_pointers), cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_texts), cmocka_unit_test(test_rows_of_text), cmocka_unit_test(test_byte_arrays),
		cmocka_unit_test(test_forms), cmocka_unit_test(test_floats),
		cmocka_unit_test(test_unreadable), cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
