// SPDX-License-Identifier: GPL-2.0-or-later
/* test_program_forms.c - the forms of debug information: the parameters of a function in each of them. */
#include "program_scratch.h"

#include "symbols/index/scope.h"
#include "symbols/index/type.h"

/* Parameters of a function as a text: "int a, char *b". */
static const char *parameters(struct program *program, const char *function)
{
	static char text[512];
	struct debug_unit *unit;
	uint32_t offset;
	struct dbindex *ix = index_at(program, one(program, function)->addr, &unit, &offset);
	const struct ix_func *func = dbindex_func_at(ix, offset);
	struct scope *scope = func ? scope_read(ix, func) : NULL;
	size_t n = 0;

	assert_non_null(scope);
	*text = '\0';
	for (size_t i = 0; i < scope->nr_vars; i++) {
		char spelt[128];
		struct type type;

		if (!(scope->vars[i].flags & VAR_PARAMETER))
			continue;
		type_resolve(ix, scope->vars[i].type, &type);
		n += snprintf(text + n, sizeof(text) - n, "%s%s %s", n ? ", " : "",
			      type_spell(ix, type.number, spelt, sizeof(spelt)), scope->vars[i].name);
	}
	scope_free(scope);
	return text;
}

static void must_have(const char *file, const char *function, const char *text)
{
	struct program *program = open_at(file, "");

	assert_string_equal(parameters(program, function), text);
	program_close(program);
}

/* ------------------------------------------------------------------- names */

static const char places[] =
	"template <class T> struct box { typedef T value; struct in { T x; value *p; }; };\n"
	"extern \"C\" __attribute__((noinline)) int ints(box<int>::value v, box<int>::in *p) { return v + p->x; }\n"
	"extern \"C\" __attribute__((noinline)) double doubles(box<float>::value v, box<double>::value w) { return v + w; }\n"
	"#define IN(space, type) namespace space { struct pair { type v; }; typedef type number; }\n"
	"IN(left, short) IN(right, char)\n"
	"extern \"C\" __attribute__((noinline)) int both(left::number a, right::number b) { return a + b; }\n"
	"int main(int argc, char **) { box<int>::in in = {}; return ints(argc, &in) + doubles(1, 2) + both(1, 2); }\n";

/* Of one name, but in several classes, namespaces or functions. */
static void test_places(void **state)
{
	put("places.cc", places);
	must("g++ -g -O0 -o places places.cc");
	must_have("places", "ints", "int v, struct in * p");
	must_have("places", "doubles", "float v, double w");
	must_have("places", "both", "short int a, char b");
}

static const char generic[] =
	"package main\n"
	"type number interface{ ~int32 | ~float64 | ~int8 }\n"
	"//go:noinline\n"
	"func generic[T number](x T, y T) T { return x + y }\n"
	"func main() { println(generic[int32](-5, 1), generic[float64](2.5, 1), generic[int8](3, 4)) }\n";

/* Types of Go have no line: those of a generic function differ only by the function. */
static void test_generic(void **state)
{
	put("generic.go", generic);
	if (!shell("HOME=$PWD GOFLAGS= GOTOOLCHAIN=local CGO_ENABLED=0 go build -o generic generic.go")) {
		print_message("left out: there is no Go with generic functions\n");
		skip();
	}
	must_have("generic", "main.generic[go.shape.int32]", "go.shape.int32 x, go.shape.int32 y");
	must_have("generic", "main.generic[go.shape.float64]", "go.shape.float64 x, go.shape.float64 y");
	must_have("generic", "main.generic[go.shape.int8]", "go.shape.int8 x, go.shape.int8 y");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_generic),
	};

	return cmocka_run_group_tests_name("program_forms", tests, setup, teardown);
}
