// SPDX-License-Identifier: GPL-2.0-or-later
/* test_aggregates.c - the members of types of C++ and Rust: base classes, static members, variants, enums of 64 bits. */
#include "program_scratch.h"

#include <libdwarf/dwarf.h>

#include "symbols/index/type.h"

static const char source[] =
	"#include <stdint.h>\n"
	"struct first { int a; char c; };\n"
	"struct nothing {};\n"
	"struct second : first, nothing { int b; static const int npos = 4; static int common; nothing empty; };\n"
	"struct third : virtual first { int v; };\n"
	"enum large : uint64_t { TOP = 1ULL << 63 };\n"
	"enum small : int64_t { BOTTOM = -1 };\n"
	"enum class narrow : uint8_t { MOST = 255 };\n"
	"int second::common = 7;\n"
	"extern \"C\" __attribute__((noinline)) int takes(second *s, third *t, large l, small m, narrow n)\n"
	"{ return s->a + t->v + (l == TOP) + (m == BOTTOM) + (n == narrow::MOST); }\n"
	"int main() { second s = {}; third t; return takes(&s, &t, TOP, BOTTOM, narrow::MOST); }\n";

static struct dbindex *index_of(struct program *program, const char *function)
{
	struct debug_unit *unit;
	uint32_t offset;

	return index_at(program, one(program, function)->addr, &unit, &offset);
}

/* "a 0, c 32, (base) 64": members with their bit offsets, those of base classes behind a colon. */
static void put_members(const struct dbindex *ix, uint32_t number, FILE *out)
{
	struct type_member member;
	struct type type;

	assert_true(type_resolve(ix, number, &type));
	for (bool first = true; type_next_member(ix, &type, &member); first = false) {
		fprintf(out, "%s%s%s%llu", first ? "" : ", ", member.name, *member.name ? " " : "",
			(unsigned long long)member.bit_offset);
		if (member.type == NO_TYPE)
			fputs(" not shown", out);
		if (!*member.name) {
			fputs(": {", out);
			put_members(ix, member.type, out);
			fputc('}', out);
		}
	}
}

static void must_have(const struct dbindex *ix, const char *name, const char *expected)
{
	AUTO_FREE char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	put_members(ix, type_by_name(ix, name), out);
	fclose(out);
	assert_string_equal(text, expected);
}

static void encoded(const struct dbindex *ix, const char *name, bool is_signed, int64_t value)
{
	const char *constant;
	struct type type;
	int64_t got;

	assert_true(type_resolve(ix, type_by_name(ix, name), &type));
	assert_int_equal(type.kind, TYPE_ENUM);
	assert_int_equal(type.encoding == DW_ATE_signed || type.encoding == DW_ATE_signed_char, is_signed);
	assert_true(type_next_value(ix, &type, &constant, &got));
	assert_int_equal(got, value);
}

/* Before DWARF 5 a static member is written as a member. */
static void test_cplusplus(void **state)
{
	static const char *const versions[] = { "4", "5" };
	struct type_member member;

	put("types.cc", source);
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		AUTO_FREE char *command = mem_printf("g++ -g -gdwarf-%s -O0 -o types types.cc", versions[i]);
		struct program *program;
		struct dbindex *ix;

		must(command);
		program = open_at("types", "");
		ix = index_of(program, "takes");
		must_have(ix, "struct second", "0: {a 0, c 32}, 0: {}, b 64, empty 96");
		must_have(ix, "struct third", "virtual base 0 not shown, _vptr.third 0, v 64");
		assert_true(type_member(ix, type_by_name(ix, "struct second"), "c", &member));
		assert_int_equal(member.bit_offset, 32);
		assert_false(type_member(ix, type_by_name(ix, "struct second"), "npos", &member));
		encoded(ix, "enum large", false, INT64_MIN);
		encoded(ix, "enum small", true, -1);
		encoded(ix, "enum narrow", false, 255);
		program_close(program);
	}
}

static const char variants[] =
	"pub enum Shape { Unit, Tuple(i32, u8), Named { x: i64, y: i16 } }\n"
	"#[no_mangle] #[inline(never)] pub extern \"C\" fn takes(s: &Shape, o: &Option<&Shape>) -> usize\n"
	"{ s as *const _ as usize ^ o as *const _ as usize }\n"
	"fn main() { let s = Shape::Tuple(1, 2); println!(\"{}\", takes(&s, &Some(&s)) + takes(&Shape::Unit, &None)\n"
	" + takes(&Shape::Named { x: 1, y: 2 }, &None)); }\n";

/* "variant 0 discriminant, Unit 0 of 0, ..." */
static void put_roles(const struct dbindex *ix, const char *name, FILE *out)
{
	static const char *const roles[] = { "", " discriminant", " of %llu", " of others" };
	struct type_member member;
	struct type type;

	assert_true(type_resolve(ix, type_by_name(ix, name), &type));
	for (bool first = true; type_next_member(ix, &type, &member); first = false) {
		fprintf(out, "%s%s %llu", first ? "" : ", ", member.name, (unsigned long long)member.bit_offset);
		fprintf(out, roles[member.role], (unsigned long long)member.value);
	}
}

static void must_vary(const struct dbindex *ix, const char *name, const char *expected)
{
	AUTO_FREE char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	put_roles(ix, name, out);
	fclose(out);
	assert_string_equal(text, expected);
}

static void test_rust(void **state)
{
	struct program *program;
	struct dbindex *ix;

	put("variants.rs", variants);
	if (!shell("rustc -g -C opt-level=0 -o variants variants.rs")) {
		print_message("left out: there is no rustc\n");
		skip();
	}
	program = open_at("variants", "");
	ix = index_of(program, "takes");
	must_vary(ix, "struct Shape", "variant 0 discriminant, Unit 0 of 0, Tuple 0 of 1, Named 0 of 2");
	must_vary(ix, "struct Option<&variants::Shape>", "variant 0 discriminant, None 0 of 0, Some 0 of others");
	program_close(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cplusplus),
		cmocka_unit_test(test_rust),
	};

	return cmocka_run_group_tests_name("aggregates", tests, setup, teardown);
}
