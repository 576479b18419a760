// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_entry.c - where parameters are at a function's entry and in its first instructions: by the calling conventions of
 * both architectures, without optimisation, and where the compiler changed them.
 */
#include "program_scratch.h"

#include "arch/arch.h"
#include "symbols/index/calling.h"
#include "symbols/index/line.h"
#include "symbols/index/location.h"

/* ------------------------------------------------------------- conventions */

/* Registers are numbers here: n1.. of whole numbers, v1.. of floating-point numbers. */
static const uint16_t six[] = { 1, 2, 3, 4, 5, 6 }, eight[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static const struct calling system_v = { .args = six, .nr_args = 6, .first_vector = 101, .nr_vectors = 8 };
static const struct calling aapcs = { .args = eight, .nr_args = 8, .first_vector = 101, .nr_vectors = 8, .is_aapcs = true };

struct opened {
	struct program *program;
	struct dbindex *ix;
	struct scope *scope;
	uint64_t addr;
	uint32_t offset;
};

static struct opened open_function(const char *file, const char *name)
{
	struct opened o = { .program = open_at(file, "") };
	struct debug_unit *unit;
	const struct ix_func *func;

	o.addr = one(o.program, name)->addr;
	o.ix = index_at(o.program, o.addr, &unit, &o.offset);
	func = dbindex_func_at(o.ix, o.offset);
	assert_non_null(func);
	o.scope = scope_read(o.ix, func);
	assert_non_null(o.scope);
	return o;
}

static void close_function(struct opened *o)
{
	scope_free(o->scope);
	program_close(o->program);
}

static size_t say_registers(const struct argument *argument, char *out, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < argument->nr; i++)
		n += snprintf(out + n, size - n, "%s%c%u", i ? "," : "", argument->regs[i] > 100 ? 'v' : 'n', argument->regs[i] % 100);
	return n;
}

/* "n1 v1 n2,n3 [n4] s0 ?": registers, the address in a register, offset on the stack, unknown. */
static void say_arguments(const struct opened *o, const struct calling *calling, char *out, size_t size)
{
	struct argument *arguments = calling_arguments(o->ix, o->scope, calling);
	size_t n = 0;

	assert_non_null(arguments);
	*out = '\0';
	for (size_t i = 0; i < o->scope->nr_vars; i++) {
		if (!(o->scope->vars[i].flags & VAR_PARAMETER))
			continue;
		n += snprintf(out + n, size - n, "%s", i ? " " : "");
		if (arguments[i].kind == ARGUMENT_UNKNOWN)
			n += snprintf(out + n, size - n, "?");
		else if (arguments[i].kind == ARGUMENT_NONE)
			n += snprintf(out + n, size - n, "-");
		else if (arguments[i].kind == ARGUMENT_ON_STACK && arguments[i].offset == ARGUMENT_NO_OFFSET)
			n += snprintf(out + n, size - n, "s?");
		else if (arguments[i].kind == ARGUMENT_ON_STACK)
			n += snprintf(out + n, size - n, "s%d", (int)arguments[i].offset);
		if (arguments[i].kind == ARGUMENT_BY_REFERENCE)
			n += snprintf(out + n, size - n, "[");
		n += say_registers(&arguments[i], out + n, size - n);
		if (arguments[i].kind == ARGUMENT_BY_REFERENCE)
			n += snprintf(out + n, size - n, "]");
	}
	free(arguments);
}

struct convention {
	const char *parameters, *system_v, *aapcs;
	const char *result;	/* NULL: void */
};

static const char types[] =
	"struct c1 { char a; }; struct c12 { int a, b, c; }; struct c16 { long a, b; }; struct c17 { char v[17]; };\n"
	"struct f2 { float a, b; }; struct f3 { float a, b, c; }; struct d2 { double a, b; }; struct mixed { double a; int b; };\n"
	"struct both { float a; int b; }; struct big { long v[20]; }; struct bits { int a : 3; long b : 40; };\n"
	"struct __attribute__((packed)) packed { char a; int b; }; struct arrays { short v[4]; char w[3]; };\n"
	"struct wide { long double x; }; struct odd { int __attribute__((vector_size(16))) v; }; struct d4 { double v[4]; };\n"
	"union un { long a; double b; }; struct hole { char a; _Alignas(16) char b; }; enum en { A, B };\n"
	"typedef int vec __attribute__((vector_size(16)));\n";

static const struct convention conventions[] = {
	{ "char a, short b, int c, long d, void *e, _Bool f", "n1 n2 n3 n4 n5 n6", "n1 n2 n3 n4 n5 n6", NULL },
	{ "int a, int b, int c, int d, int e, int f, int g, char h, int i", "n1 n2 n3 n4 n5 n6 s0 s8 s16", "n1 n2 n3 n4 n5 n6 n7 n8 s0", NULL },
	{ "int a, double b, float c, enum en d", "n1 v1 v2 n2", "n1 v1 v2 n2", NULL },
	{ "int a, __int128 b, int c", "n1 n2,n3 n4", "n1 n3,n4 n5", NULL },
	{ "long a, long b, long c, long d, long e, __int128 f, int g", "n1 n2 n3 n4 n5 s0 n6", "n1 n2 n3 n4 n5 n7,n8 s0", NULL },
	{ "long double a, int b", "s0 n1", "v1 n1", NULL },
	{ "struct c1 a, struct c12 b, struct c16 c, int d", "n1 n2,n3 n4,n5 n6", "n1 n2,n3 n4,n5 n6", NULL },
	{ "struct c17 a, int b", "s? n1", "[n1] n2", NULL },
	{ "int a, struct big b, int c", "n1 s? n2", "n1 [n2] n3", NULL },
	{ "struct f2 a, struct f3 b, struct d2 c, int d", "v1 v2,v3 v4,v5 n1", "v1,v2 v3,v4,v5 v6,v7 n1", NULL },
	{ "struct d4 a, struct d4 b, struct d4 c, double d", "s? s? s? v1", "v1,v2,v3,v4 v5,v6,v7,v8 s0 s32", NULL },
	{ "struct mixed a, struct both b, int c", "v1,n1 n2 n3", "n1,n2 n3 n4", NULL },
	{ "struct bits a, struct arrays b, int c", "n1 n2,n3 n4", "n1 n2,n3 n4", NULL },
	{ "struct packed a, int b", "s0 n1", "n1 n2", NULL },
	{ "struct wide a, int b", "s0 n1", "v1 n1", NULL },
	{ "union un a, int b", "n1 n2", "n1 n2", NULL },
	{ "int a, vec b, int c", "n1 ? ?", "n1 ? ?", NULL },
	{ "int a, struct odd b, int c", "n1 ? ?", "n1 ? ?", NULL },
	{ "int a, struct hole b, int c", "n1 s? n2", "n1 ? ?", NULL },
	{ "_Complex double a, int b", "? ?", "? ?", NULL },
	{ "long a, long b, long c, long d, long e, struct c16 f, long g", "n1 n2 n3 n4 n5 s0 n6", "n1 n2 n3 n4 n5 n6,n7 n8", NULL },
	{ "int a", "n2", "n1", "struct big" }, { "int a", "n1", "n1", "struct c16" }, { "int a", "n1", "n1", "struct mixed" },
	{ "int a", "n2", "n1", "struct packed" }, { "int a", "n1", "n1", "double" }, { "int a", "?", "n1", "vec" },
};

static void test_conventions(void **state)
{
	char text[16384], got[256];
	size_t n = snprintf(text, sizeof(text), "%s", types);

	for (size_t i = 0; i < ARRAY_SIZE(conventions); i++)
		n += snprintf(text + n, sizeof(text) - n, "%s f%zu(%s) { __builtin_trap(); }\n", conventions[i].result ? conventions[i].result : "void",
			      i, conventions[i].parameters);
	snprintf(text + n, sizeof(text) - n, "int main(void) { return 0; }\n");
	put("calls.c", text);
	must("gcc -g -O0 -o calls calls.c");
	for (size_t i = 0; i < ARRAY_SIZE(conventions); i++) {
		char name[8];
		struct opened o;

		snprintf(name, sizeof(name), "f%zu", i);
		o = open_function("calls", name);
		say_arguments(&o, &system_v, got, sizeof(got));
		if (strcmp(got, conventions[i].system_v))
			fail_msg("(%s): %s, not %s", conventions[i].parameters, got, conventions[i].system_v);
		say_arguments(&o, &aapcs, got, sizeof(got));
		if (strcmp(got, conventions[i].aapcs))
			fail_msg("(%s) by AAPCS64: %s, not %s", conventions[i].parameters, got, conventions[i].aapcs);
		close_function(&o);
	}
}

/*
 * Objects with a destructor are passed by reference, which their location says; of a result the compiler does not say
 * it.
 */
static const char objects[] =
	"struct plain { int a, b; }; struct owner { int a; ~owner(); }; owner::~owner() {} struct base { int a; };\n"
	"struct derived : base { float b; }; struct v { virtual int f(int x); int a; };\n"
	"extern \"C\" { void g0(plain a, owner b, int c) {} owner g1(int a) { return owner(); } plain g2(int a) { return plain(); }\n"
	"void g3(int &a, plain *b, int (plain::*c), int d) {} void g4(int a, bool b, char16_t c, decltype(nullptr) d) {} }\n"
	"int v::f(int x) { return x; } int main() { v o; return o.f(1); }\n";

static void test_objects(void **state)
{
	static const char *const names[] = { "g0", "g1", "g2", "g3", "g4" };
	static const char *const expected[][2] = {
		{ "n1 [n2] n3", "n1 [n2] n3" }, { "?", "n1" }, { "n1", "n1" }, { "n1 n2 ? ?", "n1 n2 ? ?" }, { "n1 n2 n3 ?", "n1 n2 n3 ?" },
	};
	char got[128];

	put("objects.cc", objects);
	must("g++ -g -O0 -o objects objects.cc");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct opened o = open_function("objects", names[i]);

		say_arguments(&o, &system_v, got, sizeof(got));
		assert_string_equal(got, expected[i][0]);
		say_arguments(&o, &aapcs, got, sizeof(got));
		assert_string_equal(got, expected[i][1]);
		close_function(&o);
	}
}

/* ------------------------------------------------------------ unoptimised code */

static const char *reg_name(uint16_t dwarf)
{
	return arch_reg_name(&arch_native, dwarf);
}

/* The words of a location, or why there is none. */
static const char *words_at(const struct opened *o, const char *name, uint32_t behind, bool is_clone, char *out, size_t size)
{
	const struct calling calling = {
		.args = arch_native.dwarf_args, .nr_args = arch_native.nr_dwarf_args, .first_vector = arch_native.dwarf_vector_arg,
		.nr_vectors = arch_native.nr_dwarf_vector_args, .is_aapcs = arch_native.args_by_reference,
	};
	const struct loc_at at = {
		.addr = o->offset + behind, .is_entry = !behind, .is_clone = is_clone, .calling = &calling, .name = reg_name,
	};
	const struct scope *inner = scope_at(o->scope, at.addr);

	for (const struct scope *scope = inner; scope; scope = scope->outer) {
		for (size_t i = 0; i < scope->nr_vars; i++) {
			struct loc_refusal refusal;
			struct location location;

			if (strcmp(scope->vars[i].name, name))
				continue;
			if (location_of(o->ix, scope, &scope->vars[i], &at, &location, &refusal) == LOC_OK)
				return location_words(&location, reg_name, out, size);
			snprintf(out, size, "? %s", refusal.why);
			return out;
		}
	}
	fail_msg("no variable %s", name);
	return out;
}

static void check_words(const struct opened *o, const char *name, uint32_t behind, const char *expected)
{
	char got[256];

	words_at(o, name, behind, false, got, sizeof(got));
	if (*expected == '*' ? !strstr(got, expected + 1) : strcmp(got, expected) != 0)
		fail_msg("%s at +0x%x: '%s', not '%s'", name, behind, got, expected);
}

static const char *argument_name(size_t i)
{
	static char names[8][16];

	snprintf(names[i], sizeof(names[i]), "%%%s", reg_name(arch_native.dwarf_args[i]));
	return names[i];
}

static uint32_t line_offset(const struct opened *o, const char *file, uint32_t line)
{
	uint32_t number, *addrs, addr;

	assert_int_equal(dbindex_files(o->ix, file, &number, 1), 1);
	assert_true(dbindex_line_addrs(o->ix, number, line, &addrs) > 0);
	addr = addrs[0];
	free(addrs);
	return addr - o->offset;
}

static const char plain[] =
	"struct two { long a, b; };\n"				/* 1 */
	"int taken(int *p);\n"
	"__attribute__((noinline)) int many(signed char a, unsigned short b, int c, long d, struct two e, int f)\n"
	"{\n"
	"	int sum = a + b;\n"				/* 5 */
	"	char text[32];\n"
	"	text[0] = c;\n"
	"	sum += text[0] + d + e.b + f;\n"
	"	return taken(&sum);\n"
	"}\n"							/* 10 */
	"int taken(int *p) { return *p; }\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	struct two e = { argc, 5 };\n"
	"	return many(1, argc, 3, 4, e, 7);\n"		/* 15 */
	"}\n";

/* At the entry the registers, in the first instructions nothing, from the second statement on the slots of the frame. */
static void check_plain(const char *compiler, bool copies_stack)
{
	AUTO_FREE char *command = mem_printf("%s -O0 -g -o plain plain.c", compiler);
	char two[64], got[256];
	struct opened o;

	must(command);
	o = open_function("plain", "many");
	for (size_t i = 0; i < 4; i++)
		check_words(&o, (const char *const[]){ "a", "b", "c", "d" }[i], 0, argument_name(i));
	snprintf(two, sizeof(two), "8 bytes: %s, 8 bytes: %s", argument_name(4), argument_name(5));
	check_words(&o, "e", 0, two);
	check_words(&o, "f", 0, "*memory at %");
	/* A protected stack has a second statement in line 4, behind the stores. */
	for (uint32_t i = 1; i < line_offset(&o, "plain.c", 5) && !strstr(words_at(&o, "a", i, false, got, sizeof(got)), "memory"); i++) {
		check_words(&o, "a", i, "? the function has not set up its frame yet");
		check_words(&o, "sum", i, "? the function has not set up its frame yet");
		check_words(&o, "f", i, copies_stack ? "? the function has not set up its frame yet" : "*memory at %");
	}
	check_words(&o, "a", 1, "? the function has not set up its frame yet");
	check_words(&o, "sum", 0, "? the function has not set up its frame yet");
	check_words(&o, "sum", line_offset(&o, "plain.c", 5), "? line 5, which declares it, has not run yet");
	check_words(&o, "sum", line_offset(&o, "plain.c", 7), "*memory at %");
	check_words(&o, "text", line_offset(&o, "plain.c", 5), "? line 6, which declares it, has not run yet");
	check_words(&o, "text", line_offset(&o, "plain.c", 7), "*memory at %");
	for (uint32_t line = 5; line < 10; line++)
		if (line != 6)
			check_words(&o, "a", line_offset(&o, "plain.c", line), "*memory at %");
	close_function(&o);
}

static void test_plain(void **state)
{
	put("plain.c", plain);
	check_plain("gcc", false);
	check_plain("gcc -gdwarf-4 -fno-omit-frame-pointer -fstack-protector-all", true);
	check_plain("gcc -fomit-frame-pointer", false);
	check_plain("gcc -x c++", false);
	if (shell("clang -x c -O0 -g -c -o /dev/null plain.c"))
		check_plain("clang", false);
}

/* -------------------------------------------------------- changed parameters */

static const char changed[] =
	"#include <stdio.h>\n"
	"__attribute__((noinline)) int count(char **v, int n) { int r = 0; while (n-- > 0) if (v[n]) r += puts(v[n]); return r; }\n"
	"__attribute__((noinline)) int zero(int n) { n = 0; return printf(\"%d\", n); }\n"
	"__attribute__((noinline)) int other(int a, int b) { a = b; return printf(\"%d %d\", a, b); }\n"
	"int taken(int *p);\n"
	"__attribute__((noinline)) int address(int a, int b) { taken(&b); return a + b; }\n"
	"__attribute__((noinline)) static int fixed(int mode, int x) { return mode == 3 ? printf(\"%d\", x) : puts(\"a\") + mode; }\n"
	"int main(int argc, char **argv) { return count(argv, argc) + zero(argc) + other(argc, 2) + fixed(3, argc) + fixed(3, 9) +\n"
	"	address(argc, 1); }\n";

static void check_changed(const char *compiler)
{
	static const struct {
		const char *function, *var;
		size_t argument;
	} rows[] = { { "count", "v", 0 }, { "count", "n", 1 }, { "zero", "n", 0 }, { "other", "a", 0 }, { "other", "b", 1 }, { "address", "b", 1 } };
	AUTO_FREE char *command = mem_printf("%s -O2 -g -o changed changed.c taken.c", compiler);

	must(command);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct opened o = open_function("changed", rows[i].function);
		char got[256];

		/* A compiler may give no location to a value that is never used. */
		if (*words_at(&o, rows[i].var, 0, false, got, sizeof(got)) != '?' || strcmp(rows[i].function, "other"))
			check_words(&o, rows[i].var, 0, argument_name(rows[i].argument));
		close_function(&o);
	}
}

static void test_changed(void **state)
{
	put("changed.c", changed);
	put("taken.c", "int taken(int *p) { *p += 1; return *p; }\n");
	check_changed("gcc");
	check_changed("gcc -gdwarf-4");
	if (shell("clang -O2 -g -c -o /dev/null taken.c"))
		check_changed("clang");
}

/* In a clone only the debug information counts: a constant, and the other parameter in the first register. */
static void test_clone(void **state)
{
	struct opened o;
	char got[256];

	put("changed.c", changed);
	put("taken.c", "int taken(int *p) { *p += 1; return *p; }\n");
	must("gcc -O2 -g -o changed changed.c taken.c");
	o = open_function("changed", "fixed.constprop.0");
	assert_string_equal(words_at(&o, "mode", 0, true, got, sizeof(got)), "always 3");
	assert_string_equal(words_at(&o, "x", 0, true, got, sizeof(got)), argument_name(0));
	close_function(&o);
	assert_true(calling_is_clone("f.isra.0") && calling_is_clone("f.part.3.cold") && !calling_is_clone("_ZN4core3ptr.llvm.77E"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_conventions, setup, teardown),
		cmocka_unit_test_setup_teardown(test_objects, setup, teardown),
		cmocka_unit_test_setup_teardown(test_plain, setup, teardown),
		cmocka_unit_test_setup_teardown(test_changed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_clone, setup, teardown),
	};

	return cmocka_run_group_tests_name("entry", tests, NULL, NULL);
}
