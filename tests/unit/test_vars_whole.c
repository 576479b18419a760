// SPDX-License-Identifier: GPL-2.0-or-later
/* test_vars_whole.c - structs and arrays that are recorded as a whole, and variables that are declared elsewhere. */
#include "planted.h"

#include "symbols/build/dbindex_build.h"

extern char _end[];

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_composites), cmocka_unit_test(test_registers), cmocka_unit_test(test_large),
		cmocka_unit_test(test_declared), cmocka_unit_test(test_linked),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
