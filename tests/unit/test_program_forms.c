// SPDX-License-Identifier: GPL-2.0-or-later
/* test_program_forms.c - the forms of debug information: the parameters of a function in each of them. */
#include "program_scratch.h"

#include <elf.h>

#include "fake_kernel.h"
#include "symbols/base/digest.h"
#include "symbols/index/line.h"
#include "symbols/index/scope.h"
#include "symbols/index/type.h"
#include "symbols/join/join.h"
#include "symbols/query/beside.h"

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

/* ------------------------------------------------------------ several files */

static const char spread[] =
	"struct pair { int first; long second; struct pair *next; };\n"
	"enum color { RED, GREEN };\n"
	"typedef struct pair pair_t;\n"
	"__attribute__((noinline)) signed char small(pair_t *p, char c, enum color k) { return p->first + c + k; }\n"
	"static inline __attribute__((always_inline)) int copied(int x, pair_t *q) { q->first = x; return x * 2; }\n"
	"__attribute__((noinline)) long use(long n, pair_t *p) { return copied(n, p) + 1; }\n"
	"int main(int argc, char **argv) { pair_t p = { argc }; return small(&p, 3, GREEN) + use(argc, &p); }\n";

/* Members of the structure, the name of the inlined copy, the results, and the line: all is as in one plain file. */
static void must_be_whole(const char *file)
{
	struct program *program = open_at(file, "");
	const struct program_function *use = one(program, "use");
	const struct ix_inline *copies;
	uint32_t offset, pair;
	struct dbindex *ix = index_of(program, use->addr, &offset);
	struct scope *scope = scope_read(ix, dbindex_func_at(ix, offset));
	struct type_member member;
	struct ix_line line;
	char spelt[64];

	assert_string_equal(parameters(program, "small"), "pair_t * p, char c, enum color k");
	assert_string_equal(parameters(program, "use"), "long int n, pair_t * p");
	assert_string_equal(type_spell(ix, scope->type, spelt, sizeof(spelt)), "long int");
	pair = type_by_name(ix, "struct pair");
	assert_true(pair != NO_TYPE);
	assert_int_equal(type_size(ix, pair), 24);
	assert_true(type_member(ix, pair, "second", &member));
	assert_int_equal(member.bit_offset, 64);
	assert_true(type_member(ix, pair, "next", &member));
	assert_string_equal(type_spell(ix, member.type, spelt, sizeof(spelt)), "struct pair *");
	assert_int_equal(dbindex_inlines(ix, "copied", &copies), 1);
	assert_int_equal(copies->addr - offset < use->size, 1);
	assert_true(dbindex_line_at(ix, offset, &line));
	assert_int_equal(line.line & LINE_MASK, 6);
	assert_string_equal(dbindex_file_name(ix, line.file), "spread.c");
	assert_int_equal(dbindex_func_at(ix, offset)->line, 6);
	scope_free(scope);
	program_close(program);
}

static void must_lack(const char *file, const char *why)
{
	static const struct debug_options options = { .threads = 1 };
	struct debug_error err = { .text = "" };
	struct program *program = open_at(file, "");

	assert_null(program_debug(program, &options, &err));
	assert_contains(err.text, why);
	program_close(program);
}

static bool compiled(const char *flags, const char *out)
{
	put("spread.c", spread);
	return shell("gcc -g %s -o %s spread.c", flags, out);
}

static void test_type_units(void **state)
{
	static const char *const flags[] = { "-O2 -gdwarf-4", "-O0 -gdwarf-4", "-O2 -gdwarf-5", "-O0 -gdwarf-5" };
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		AUTO_FREE char *more = mem_printf("%s -fdebug-types-section", flags[i]);

		assert_true(compiled(more, "typed"));
		must_be_whole("typed");
	}
	must("g++ -g -O0 -fdebug-types-section -o places places.cc");
	must_have("places", "ints", "int v, struct in * p");
	must_have("places", "both", "short int a, char b");
}

/* Split units, in files of their own and in a package. */
static void check_split(const char *flags, const char *package)
{
	assert_true(compiled(flags, "split"));
	must("ls split*.dwo >/dev/null");
	must_be_whole("split");
	must("mkdir -p moved && rm -f moved/* && cp split moved && mv split*.dwo moved");
	must_have("moved/split", "small", "pair_t * p, char c, enum color k");
	must_lack("split", "the debug information of ");
	must_lack("split", "spread.dwo is missing");
	if (!shell("cd moved && %s", package)) {
		print_message("left out: %s\n", package);
		return;
	}
	must("mv moved/split.dwp . && rm -r moved");
	must_be_whole("split");
	must("rm split.dwp");
}

static void test_split(void **state)
{
	check_split("-O2 -gdwarf-4 -gsplit-dwarf", "dwp -e split -o split.dwp");
	check_split("-O2 -gdwarf-4 -gsplit-dwarf -fdebug-types-section", "dwp -e split -o split.dwp");
	check_split("-O0 -gdwarf-5 -gsplit-dwarf", "llvm-dwp split-spread.dwo -o split.dwp");
	check_split("-O2 -gdwarf-5 -gsplit-dwarf -fdebug-types-section", "llvm-dwp split-spread.dwo -o split.dwp");
}

/* The file of another build is not used. */
static void test_split_other(void **state)
{
	assert_true(compiled("-O2 -gdwarf-5 -gsplit-dwarf", "split"));
	must("mv split-spread.dwo old");
	assert_true(compiled("-O0 -gdwarf-5 -gsplit-dwarf", "split"));
	must("mv old split-spread.dwo");
	must_lack("split", "split-spread.dwo is missing");
	must("rm split-spread.dwo");
}

static char lacks[512];

static void take_note(void *arg, const char *text)
{
	snprintf(lacks, sizeof(lacks), "%s", text);
}

/* What a user reads, with and without the file. */
static void check_words(struct fake_kernel *fake, const char *words, enum exit_status status, const char *said)
{
	AUTO_FREE char *line = mem_printf("trace %s/%s", dir, words);

	assert_int_equal(fake_run(fake, line), status);
	if (status != STATUS_OK)
		assert_contains(fake_error(), said);
}

static void check_messages(bool is_whole)
{
	const enum exit_status status = is_whole ? STATUS_OK : STATUS_USAGE;
	struct fake_kernel *fake = fake_create();

	setenv("XDG_CACHE_HOME", "/dev/null", true);	/* no index is kept */
	fake->session.uses_debug = true;
	check_words(fake, "one:small ARGS", STATUS_OK, NULL);
	check_words(fake, "one:small%return RETVAL", status, "the type of what it returns is not known: ");
	check_words(fake, "one:use VAR p-\\>second", status, "common, which is missing");
	fake_free(fake);
}

static void check_dwz(const char *flags, const char *how)
{
	const struct debug_options options = { .threads = 1, .note = take_note };
	struct program *program;

	assert_true(compiled(flags, "one"));
	assert_true(compiled(flags, "two"));
	must("rm -f common");
	assert_true(shell("dwz %s -m common one two && readelf -SW one | grep -q 'debugaltlink\\|debug_sup'", how));
	must_be_whole("one");
	check_messages(true);
	/* Without the file nothing false is said, and no parameter is left out. */
	must("mv common hidden");
	program = open_at("one", "");
	assert_non_null(program_debug(program, &options, NULL));
	assert_contains(lacks, "one shares types and names with");
	assert_contains(lacks, "common, which is missing");
	assert_contains(parameters(program, "small"), ", ? ");
	program_close(program);
	check_messages(false);
	/* Nor with the one of another build. */
	must("cp one common");
	program = open_at("one", "");
	*lacks = '\0';
	assert_non_null(program_debug(program, &options, NULL));
	assert_contains(lacks, "which is missing");
	program_close(program);
}

static void test_dwz(void **state)
{
	if (!shell("which dwz")) {
		print_message("left out: there is no dwz\n");
		skip();
	}
	check_dwz("-O0 -gdwarf-4", "");
	check_dwz("-O2 -gdwarf-4", "");
	check_dwz("-O2 -gdwarf-5", "");
	check_dwz("-O0 -gdwarf-5", "--dwarf-5");
	check_dwz("-O2 -gdwarf-5", "--dwarf-5");
}

/* ------------------------------------------------------------------ damage */

static uint8_t *read_all(const char *path, size_t *len)
{
	AUTO_CLOSE FILE *file = fopen(path, "re");
	uint8_t *data = mem_zalloc(1 << 20, 1);

	assert_non_null(file);
	*len = fread(data, 1, 1 << 20, file);
	return data;
}

static void write_all(const char *path, const uint8_t *data, size_t len)
{
	AUTO_CLOSE FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, len, file), len);
}

/* Join what is damaged, in this process: the sanitizers see what the builder's own process would hide. */
static void join_damaged(const char *damaged, const char *program, unsigned int rounds)
{
	AUTO_FREE char *path = mem_printf("%s/%s", dir, damaged), *main = mem_printf("%s/%s", dir, program);
	size_t len, joined = 0;
	AUTO_FREE uint8_t *data = read_all(path, &len);
	AUTO_FREE uint8_t *bad = mem_zalloc(len, 1);

	for (unsigned int i = 0; i < rounds; i++) {
		struct debug_error err = { .text = "" };
		struct image *image, *out = NULL;

		memcpy(bad, data, len);
		for (int n = rand() % 8; n >= 0; n--)
			bad[sizeof(Elf64_Ehdr) + rand() % (len - sizeof(Elf64_Ehdr))] ^= 1 << rand() % 8;
		write_all(path, bad, len);
		image = image_open(main, &err);
		if (image && image_has_dwarf(image) && beside_find(image, "", main, NULL, &err) && join_is_needed(image))
			out = join_images(image, &err);
		joined += out != NULL;
		join_free(out);
		image_close(image);
	}
	write_all(path, data, len);
	assert_true(joined);
}

static void test_damaged(void **state)
{
	unit_random();
	assert_true(compiled("-O2 -gdwarf-4 -fdebug-types-section", "typed"));
	join_damaged("typed", "typed", 100);
	assert_true(compiled("-O2 -gdwarf-5 -fdebug-types-section", "typed"));
	join_damaged("typed", "typed", 100);
	for (int version = 4; version <= 5; version++) {
		AUTO_FREE char *flags = mem_printf("-O2 -gdwarf-%d -gsplit-dwarf -fdebug-types-section", version);

		assert_true(compiled(flags, "split"));
		join_damaged("split-spread.dwo", "split", 100);
		join_damaged("split", "split", 100);
		if (!shell("%s", version == 4 ? "dwp -e split -o split.dwp" : "llvm-dwp split-spread.dwo -o split.dwp"))
			continue;
		join_damaged("split.dwp", "split", 100);
		must("rm split.dwp");
	}
	if (shell("cp typed one && gcc -g -o one spread.c && cp one two && rm -f common && dwz -m common one two")) {
		join_damaged("common", "one", 100);
		join_damaged("one", "one", 100);
	}
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

/* The expected sums are those that `b2sum -l 128` prints for n times the letter x. */
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
		cmocka_unit_test(test_type_units),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_split_other),
		cmocka_unit_test(test_dwz),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_cache),
		cmocka_unit_test(test_digest),
	};

	return cmocka_run_group_tests_name("program_forms", tests, setup, teardown);
}
