// SPDX-License-Identifier: GPL-2.0-or-later
/* test_program_forms.c - the forms of debug information: the parameters of a function in each of them. */
#include "program_scratch.h"

#include "symbols/base/digest.h"
#include "symbols/index/scope.h"
#include "symbols/index/type.h"

static char cache[80];

/* An index with everything, made anew or kept from before. */
static struct dbindex *index_of(struct program *program, uint64_t addr, uint32_t *offset)
{
	const struct debug_options options = { .threads = 1, .cache = *cache ? cache : NULL };
	struct debug_error err = { .text = "" };
	struct debug *debug = program_debug(program, &options, &err);
	struct debug_unit *unit = debug ? debug_unit(debug, "", &err) : NULL;
	struct dbindex *ix = unit ? debug_index(unit, &err) : NULL;

	if (!ix)
		fail_msg("%s", err.text);
	assert_true(debug_to_offset(unit, addr, offset));
	return ix;
}

/* Parameters of a function as a text: "int a, char *b". */
static const char *parameters(struct program *program, const char *function)
{
	static char text[512];
	uint32_t offset;
	struct dbindex *ix = index_of(program, one(program, function)->addr, &offset);
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

/* ------------------------------------------------------------- compression */

static void test_compressed(void **state)
{
	put("s.c", "struct pair { int first; long second; };\nint f(struct pair *p, char c) { return p->first + c; }\n"
		   "int main(void) { struct pair p = { 0 }; return f(&p, 0); }\n");
	must("gcc -g -O0 -gz=zlib -o s s.c && readelf -SW s | grep -q ' .debug_info .* C '");
	must_have("s", "f", "struct pair * p, char c");
	must("gcc -g -O0 -gz=zlib-gnu -o s s.c && readelf -SW s | grep -q zdebug_info");
	must_have("s", "f", "struct pair * p, char c");
	must("gcc -g -O0 -o s s.c && objcopy --compress-debug-sections=zstd s && readelf -tW s | grep -q ZSTD");
	must_have("s", "f", "struct pair * p, char c");
}

/* ------------------------------------------------------------------- cache */

static unsigned int kept(const char *pattern)
{
	AUTO_FREE char *path = mem_printf("%s/out", dir);
	AUTO_CLOSE FILE *file = NULL;
	unsigned int n = 0;

	assert_true(shell("ls cache | grep -c '%s' || true", pattern));
	file = fopen(path, "re");
	assert_int_equal(fscanf(file, "%u", &n), 1);
	return n;
}

/* A program's build id is what its author writes: it does not decide which index is taken. */
static void test_cache(void **state)
{
	AUTO_FREE char *root = mem_printf("%s/root", dir);
	struct program *program;

	put("a.c", "int f(int a) { return a; }\nint main(void) { return f(0); }\n");
	put("b.c", "int f(char *b) { return *b; }\nint main(void) { return f(\"\"); }\n");
	must("for x in a b; do gcc -g -O0 -Wl,--build-id=0x0123456789abcdef -o $x $x.c; done; mkdir -p root cache; cp a root");
	snprintf(cache, sizeof(cache), "%s/cache", dir);
	must_have("a", "f", "int a");
	assert_int_equal(kept("^0123456789abcdef-[0-9a-f]\\{32\\}.index$"), 1);
	must_have("b", "f", "char * b");
	must_have("a", "f", "int a");
	assert_int_equal(kept(""), 2);
	/* Even the same file has an index of its own, if it is a container's. */
	program = open_at("/a", root);
	assert_string_equal(parameters(program, "f"), "int a");
	program_close(program);
	assert_int_equal(kept(""), 3);
	assert_int_equal(kept("^foreign-0123456789abcdef-"), 1);
	*cache = '\0';
}

/* The sums of b2sum -l 128. */
static void test_digest(void **state)
{
	static const struct {
		size_t n;
		const char *sum;
	} rows[] = {
		{ 0, "cae66941d9efbd404e4d88758ea67670" },
		{ 3, "625832da4b348c5398db1e212dabaec2" },
		{ 127, "faeac286ccce46d5273182d599dd943b" },
		{ 128, "874acca82a22239ec64a3e70c3ae494e" },
		{ 129, "b9ee96f69e8210c624fee55d71d5a54f" },
		{ 256, "0b2c2b0de02938ad7a728b51e8da3357" },
		{ 1000, "c9b2bd4ff487864c29fb41fab3e8187e" },
	};
	char text[1000], sum[2 * DIGEST_SIZE + 1];

	memset(text, 'x', sizeof(text));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct digest whole, parts;

		digest_begin(&whole);
		digest_add(&whole, text, rows[i].n);
		digest_end(&whole, sum);
		assert_string_equal(sum, rows[i].sum);
		digest_begin(&parts);
		for (size_t at = 0; at < rows[i].n; at += 7)
			digest_add(&parts, text + at, rows[i].n - at < 7 ? rows[i].n - at : 7);
		digest_end(&parts, sum);
		assert_string_equal(sum, rows[i].sum);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_generic),
		cmocka_unit_test(test_compressed),
		cmocka_unit_test(test_cache),
		cmocka_unit_test(test_digest),
	};

	return cmocka_run_group_tests_name("program_forms", tests, setup, teardown);
}
