// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_vars.c - members, arrays and types of the source in expressions. The image is this program. Each
 * expression is written once: the compiler computes it on the object, and a capture computes it on a copy.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define MACHINE_BYTES	1536
#include "capture_machine.h"
#include "ctl/base/memory.h"
#include "ctl/lang/compile.h"
#include "ctl/expr/expr.h"
#include "ctl/resolve/vars.h"
#include "symbols/build/dbindex_build.h"

#define HERE	"tests/unit/test_vars.c"

typedef __s8 s8;
typedef __s16 s16;
typedef unsigned short umode_t;
typedef unsigned int gfp_t, fmode_t;

/* ----------------------------------------------------------------- planted */

enum mood { SAD = -1, CALM, KEEN = 3, WILD = 100 };
enum { NAMELESS = 77 };

struct point {
	short x, y;
};

typedef struct {
	struct point from, to;
} line_t;

struct planted {
	unsigned int a : 1, b : 5, c : 26;
	int d : 7, e : 25;
	unsigned long f : 33, g : 31;
	long h : 3, i : 50, j : 11;
	unsigned char k : 3, l : 5;
	_Bool m : 1, n : 1;
	enum mood kind : 9;
	long long p : 64;
	_Bool yes, no;
	enum mood mood, moods[3];
	union {
		u64 whole;
		struct {
			u32 low, high;
		};
		u8 bytes[8];
	};
	struct {
		int inside;
		union {
			short half[2];
			struct point point;
		};
	};
	union {
		double unused;
		line_t line;
	} named;
	int grid[3][4];
	short cube[2][3][2];
	char words[2][8];
	struct point points[3];
	line_t lines[2][2];
	u8 byte;
	s8 small;
	u16 word;
	s16 little;
	u32 dword;
	s32 integer;
	u64 qword;
	s64 large;
	char letter, text[12], full[4];
	unsigned char name[8];
	u8 pairs[2][6];
	u8 odd[5], long_one[100];
	s8 signed_ones[2];
	umode_t mode;
	gfp_t gfp;
	unsigned int some_flags;
	fmode_t file_mode;
	dev_t device;
	const char *string;
	struct planted *next, **where;
	int (*row)[4];
	void *nothing;
	struct hidden *hidden;
	float single, singles[3];
	double wide;
	struct {
		double x;
		float y;
	} mixed;
	float _Complex complex;
	int flexible[];
};

static struct planted object, other;
static struct planted *where[2] = { &other, &object };

/* The addresses in the machine. */
#define OBJECT	MACHINE_MEMORY
#define OTHER	(OBJECT + sizeof(object))
#define WHERE	(OTHER + sizeof(other))
#define STRING	(WHERE + sizeof(where))

struct spread {
	long first;
	struct point points[2];
};

/* With a sanitizer, variables would be in other places. */
#define PLAIN __attribute__((noipa, no_sanitize("address", "undefined")))

PLAIN long takes(struct planted *planted, struct planted **all, unsigned int index, line_t line, struct spread spread)
{
	return planted->grid[1][index] + all[1]->byte + line.to.x + spread.first;
}

/* The bytes are random, except those of bools, which must be true or false in C. */
static void set_object(struct planted *planted, unsigned int seed)
{
	srand(seed);
	for (size_t i = 0; i < sizeof(*planted); i++)
		((u8 *)planted)[i] = rand();
	planted->m = seed & 1;
	planted->n = seed & 2;
	memcpy(&planted->yes, "\1\0", 2);
	planted->mood = planted->moods[1] = KEEN;
	planted->moods[0] = SAD;
	planted->kind = seed % 2 ? SAD : WILD;
	strcpy(planted->text, "some text");
	strcpy((char *)planted->name, "a name");
	memcpy(planted->full, "full", 4);
	memcpy(planted->words, "first\0\0\0next\0\0\0", 16);
	planted->string = "a string";
	planted->next = planted == &object ? &other : &object;
	planted->where = where;
	planted->row = object.grid;
	planted->nothing = NULL;
}

static struct machine m;

static void move_object(const struct planted *planted, u64 to)
{
	struct planted copy = *planted;

	copy.string = (const char *)STRING;
	copy.next = (struct planted *)(planted == &object ? OTHER : OBJECT);
	copy.where = (struct planted **)WHERE;
	copy.row = (int(*)[4])(OBJECT + offsetof(struct planted, grid));
	memcpy(m.memory + (to - MACHINE_MEMORY), &copy, sizeof(copy));
}

static void set_machine(unsigned int seed)
{
	const u64 addresses[2] = { OTHER, OBJECT };

	set_object(&object, seed);
	set_object(&other, seed + 1);
	machine_reset(&m);
	move_object(&object, OBJECT);
	move_object(&other, OTHER);
	memcpy(m.memory + (WHERE - MACHINE_MEMORY), addresses, sizeof(addresses));
	strcpy((char *)m.memory + (STRING - MACHINE_MEMORY), "a string");
	m.regs.general[5] = OBJECT;
	m.regs.general[4] = WHERE;
	m.regs.general[1] = 2;
	/* Two composites in registers. */
	m.regs.general[2] = 0x4321000380007fff;
	m.regs.general[8] = -5ULL;
	m.regs.general[9] = 0xfffe000200010004;
}

/* --------------------------------------------------------------- expressions */

extern char _end[];

static char index_path[64];
static struct target target;
static struct probe_point point;
static struct vars vars;

static int setup(void **state)
{
	static const char *const files[] = { HERE };
	static struct debug_options options = { .file = index_path };
	struct dbindex_choice choice = { .files = files, .nr_files = 1 };
	struct debug_error err = { .text = "" };
	struct image *image;
	const uint32_t *func;
	struct dbindex *ix;

	strcpy(index_path, "/tmp/ktrace-vars-XXXXXX");
	close(mkstemp(index_path));
	image = image_open("/proc/self/exe", &err);
	if (!image || !dbindex_build_file(image, &choice, 1, index_path, NULL, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return -1;
	}
	image_close(image);
	ix = dbindex_open(index_path, &err);
	if (!ix || dbindex_funcs(ix, "takes", &func) != 1)
		return -1;
	point = (struct probe_point){ .addr = dbindex_header(ix)->base + dbindex_func(ix, *func)->low, .name = "takes" };
	dbindex_close(ix);
	set_machine(1);
	if (takes(&object, where, 2, (line_t){ .to.x = 4 }, (struct spread){ .first = -4 }) != object.grid[1][2] + object.byte)
		return -1;
	target = (struct target){ .arch = &arch_native, .debug = debug_open(&options) };
	vars_init(&vars, &target, &point);
	return target.debug ? 0 : -1;
}

static int teardown(void **state)
{
	vars_free(&vars);
	debug_close(target.debug);
	return unlink(index_path);
}

static struct expr *resolved(const char *text, struct error *err)
{
	const struct expr_names names = { .arch = &arch_native, .vars = &vars, .takes_slice = true };
	size_t used;
	struct expr *e = expr_parse("VAR", text, &used, err);

	if (e && text[used])
		fail_msg("%s: ends at column %zu", text, used);
	if (e && expr_resolve(e, "VAR", text, &names, err))
		return e;
	expr_free(e);
	return NULL;
}

/* Run it in the machine; the caller frees the result. */
static struct desc *captured(const char *text)
{
	struct desc *desc = mem_zalloc(1, sizeof(*desc));
	struct compiler c = { .arch = &arch_native, .vars = &vars, .desc = desc };
	struct error err = { .text = "" };
	AUTO_EXPR struct expr *e = resolved(text, &err);
	static struct machine again;

	if (!e || !compile_value(&c, text, e, &err) || !compile_finish(&c, &err))
		fail_msg("%s: %s", text, err.text);
	if (machine_run(&m, desc->prog, desc->prog_len) != MACHINE_RECORDED)
		fail_msg("%s: not recorded", text);
	again = m;
	if (machine_evaluate(&again, desc->prog, desc->prog_len) != MACHINE_RECORDED ||
	    memcmp(again.out, m.out, m.payload))
		fail_msg("%s: not as the second interpreter has it", text);
	return desc;
}

/* As the printer shows it: a number with the bytes and sign of the field. */
static u64 number_at(const struct field *field, const u32 *at)
{
	const unsigned int unused = 64 - 8 * field->bytes;
	u64 value = at[0];

	if (field->bytes == 8)
		return value | (u64)at[1] << 32;
	return field->is_signed ? (u64)((s64)(value << unused) >> unused) : value << unused >> unused;
}

static void check_number(const char *text, u64 expected)
{
	struct desc *desc = captured(text);
	u64 got = number_at(&desc->fields[0], m.out + desc->has_faults);

	if (desc->nr_fields != 1 || (desc->has_faults && m.out[0]) || got != expected)
		fail_msg("%s: 0x%llx%s, not 0x%llx", text, got, desc->has_faults && m.out[0] ? " (unreadable)" : "",
			 expected);
	desc_free(desc);
}

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

/* ---------------------------------------------------------------- composites */

struct part {
	const char *name;
	u64 value;
};

/* Parts that are numbers, all readable. */
static void check_parts(const char *text, const struct part *parts, size_t n)
{
	struct desc *desc = captured(text);
	const u32 *at = m.out + desc->has_faults;

	assert_int_equal(desc->nr_fields, n);
	assert_true(!desc->has_faults || !m.out[0]);
	for (size_t i = 0; i < n; i++) {
		const struct field *field = &desc->fields[i];
		u64 got = number_at(field, at);

		assert_string_equal(field->name + strlen(text), parts[i].name);
		assert_int_equal(field->group, strlen(text));
		if (got != parts[i].value)
			fail_msg("%s: 0x%llx, not 0x%llx", field->name, got, parts[i].value);
		at += field->bytes == 8 ? 2 : 1;
	}
	desc_free(desc);
}

#define PARTS(text, ...) \
	check_parts(text, (const struct part[]){ __VA_ARGS__ }, ARRAY_SIZE(((const struct part[]){ __VA_ARGS__ })))

static void test_composites(void **state)
{
	const struct planted *p = &object;

	for (unsigned int seed = 1; seed < 10; seed++) {
		set_machine(seed);
		PARTS("planted->point", { ".x", p->point.x }, { ".y", p->point.y });
		PARTS("planted->lines[1][0]", { ".from.x", p->lines[1][0].from.x }, { ".from.y", p->lines[1][0].from.y },
		      { ".to.x", p->lines[1][0].to.x }, { ".to.y", p->lines[1][0].to.y });
		PARTS("planted->grid[2]", { "[0]", p->grid[2][0] }, { "[1]", p->grid[2][1] }, { "[2]", p->grid[2][2] },
		      { "[3]", p->grid[2][3] });
		PARTS("planted->cube[1]", { "[0][0]", p->cube[1][0][0] }, { "[0][1]", p->cube[1][0][1] },
		      { "[1][0]", p->cube[1][1][0] }, { "[1][1]", p->cube[1][1][1] }, { "[2][0]", p->cube[1][2][0] },
		      { "[2][1]", p->cube[1][2][1] });
		PARTS("planted->grid[2][1..2]", { "[1]", p->grid[2][1] }, { "[2]", p->grid[2][2] });
		PARTS("(&planted->grid[1][1])[0..1]", { "[0]", p->grid[1][1] }, { "[1]", p->grid[1][2] });
		PARTS("planted->points[1..1]", { "[1].x", p->points[1].x }, { "[1].y", p->points[1].y });
		PARTS("planted->cube[1][1..2]", { "[1][0]", p->cube[1][1][0] }, { "[1][1]", p->cube[1][1][1] },
		      { "[2][0]", p->cube[1][2][0] }, { "[2][1]", p->cube[1][2][1] });
		PARTS("planted->signed_ones", { "[0]", p->signed_ones[0] }, { "[1]", p->signed_ones[1] });
		PARTS("planted->moods", { "[0]", p->moods[0] }, { "[1]", p->moods[1] }, { "[2]", p->moods[2] });
	}
}

/* As the ABI passes small ones. */
static void test_registers(void **state)
{
	set_machine(7);
	check_number("line.to.x", 3);
	check_number("line.from.y", (u64)-32768);
	check_number("line.from.x + 1", 32768);
	check_number("spread.first", (u64)-5);
	PARTS("line", { ".from.x", 32767 }, { ".from.y", -32768 }, { ".to.x", 3 }, { ".to.y", 0x4321 });
	PARTS("line.from", { ".x", 32767 }, { ".y", -32768 });
	PARTS("spread", { ".first", -5 }, { ".points[0].x", 4 }, { ".points[0].y", 1 }, { ".points[1].x", 2 },
	      { ".points[1].y", -2 });
	PARTS("spread.points", { "[0].x", 4 }, { "[0].y", 1 }, { "[1].x", 2 }, { "[1].y", -2 });
}

/* More than fits: one item says that the rest is missing. */
static void test_large(void **state)
{
	struct desc *desc;

	set_machine(6);
	desc = captured("*planted");
	assert_int_equal(desc->nr_fields, KT_MAX_ITEMS);
	assert_string_equal(desc->fields[0].name, "*planted.a");
	assert_int_equal(number_at(&desc->fields[0], m.out + desc->has_faults), object.a);
	assert_int_equal(desc->fields[KT_MAX_ITEMS - 1].kind, FIELD_TEXT);
	assert_string_equal(desc->fields[KT_MAX_ITEMS - 1].text, "...");
	desc_free(desc);
}

/* A variable that is defined in another file has the type of its declaration. */
static void test_declared(void **state)
{
	struct dbindex *ix = dbindex_open(index_path, NULL);
	const struct ix_global *global;
	char type[64];

	assert_non_null(environ);
	assert_non_null(ix);
	assert_int_equal(dbindex_globals(ix, "environ", &global), 1);
	assert_int_equal(global->addr, GLOBAL_DECLARED);
	assert_string_equal(type_spell(ix, global->type - 1, type, sizeof(type)), "char **");
	assert_int_equal(dbindex_globals(ix, "object", &global), 1);
	assert_int_not_equal(global->addr, GLOBAL_DECLARED);
	dbindex_close(ix);
}

/* In a complete index, a variable that the linker defines is at the address of its symbol. */
static void test_linked(void **state)
{
	struct debug_error err = { .text = "" };
	char whole[] = "/tmp/ktrace-linked-XXXXXX";
	struct image *image = image_open("/proc/self/exe", &err);
	const struct ix_global *end, *here;
	struct dbindex *ix;

	assert_non_null(image);
	close(mkstemp(whole));
	assert_true(dbindex_build_file(image, NULL, 1, whole, NULL, &err));
	image_close(image);
	ix = dbindex_open(whole, &err);
	assert_non_null(ix);
	assert_int_equal(dbindex_globals(ix, "_end", &end), 1);
	assert_int_equal(dbindex_globals(ix, "object", &here), 1);
	assert_int_not_equal(end->addr, GLOBAL_DECLARED);
	assert_int_equal(end->addr - here->addr, (uintptr_t)_end - (uintptr_t)&object);
	dbindex_close(ix);
	unlink(whole);
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
		cmocka_unit_test(test_texts), cmocka_unit_test(test_rows_of_text),
		cmocka_unit_test(test_byte_arrays), cmocka_unit_test(test_forms), cmocka_unit_test(test_floats),
		cmocka_unit_test(test_unreadable), cmocka_unit_test(test_composites), cmocka_unit_test(test_registers), cmocka_unit_test(test_large),
		cmocka_unit_test(test_declared), cmocka_unit_test(test_linked), cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
