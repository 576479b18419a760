// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_program_debug.c - debug information of programs of user space, in the program or in a file of its own; addr2line
 * says what is true of it.
 */
#include "program_scratch.h"

#include <inttypes.h>

#include "symbols/index/line.h"
#include "symbols/index/location.h"
#include "symbols/index/scope.h"

/* ---------------------------------------------------------- stripped files */

static uint32_t line_at(struct program *program, const char *function)
{
	struct debug_unit *unit;
	uint32_t offset;
	struct dbindex *ix = index_at(program, one(program, function)->addr, &unit, &offset);
	struct ix_line line;

	assert_true(dbindex_line_at(ix, offset, &line));
	assert_string_equal(dbindex_file_name(ix, line.file), "sample.c");
	return line.line & LINE_MASK;
}

/* A frame rule comes from .eh_frame, which the separate file does not have. */
static void check_debug(struct program *program)
{
	struct debug_unit *unit;
	uint32_t offset;
	struct dbindex *ix = index_at(program, one(program, "hidden")->addr, &unit, &offset);
	const struct ix_func *func = dbindex_func_at(ix, offset);
	struct loc_refusal refusal = { .why = "" };
	struct loc_at at = { .name = NULL };
	struct location location;
	struct scope *scope;

	assert_non_null(func);
	assert_int_equal(func->line, 3);
	assert_int_equal(line_at(program, "main"), 21);
	assert_non_null(dbindex_cfa_at(ix, offset));
	assert_true(dbindex_cfa_at(ix, offset)->reg != CFA_UNKNOWN);
	scope = scope_read(ix, func);
	assert_non_null(scope);
	assert_string_equal(scope->vars[0].name, "a");
	assert_string_equal(scope->vars[1].name, "p");
	at.addr = offset + func->size - 1;
	if (location_of(ix, scope, &scope->vars[0], &at, &location, &refusal) != LOC_OK)
		fail_msg("%s", refusal.why);
	scope_free(scope);
}

#define STRIP	"objcopy --only-keep-debug sample sample.debug && strip sample"
#define BY_ID	"id=$(readelf -n sample | sed -n 's/.*Build ID: //p') && " \
		"d=root/usr/lib/debug/.build-id/$(echo $id | cut -c1-2) && mkdir -p $d && " \
		"mv sample.debug $d/$(echo $id | cut -c3-).debug"

static void test_build_id(void **state)
{
	AUTO_FREE char *root = mem_printf("%s/root", dir);
	struct program *program;

	assert_true(build("-O0 -pie -fPIE"));
	must(STRIP " && " BY_ID " && mv sample root/");
	program = open_at("/sample", root);
	check_debug(program);
	check_addresses(program, one(program, "hidden"));
	program_close(program);

	/* The debug file of another build is not used. */
	assert_true(build("-O1 -pie -fPIE"));
	must("cp sample root/other && objcopy --only-keep-debug sample other.debug && strip root/other && "
	     "f=$(readelf -n sample | sed -n 's/.*Build ID: //p') && d=root/usr/lib/debug/.build-id/$(echo $f | cut -c1-2) && "
	     "mkdir -p $d && cp root/usr/lib/debug/.build-id/*/*.debug $d/$(echo $f | cut -c3-).debug");
	program = open_at("/other", root);
	none(program, "hidden", "names no functions");
	program_close(program);
	must("rm -r root");
}

static void must_lack(const char *name, const char *why)
{
	static const struct debug_options options = { .threads = 1 };
	struct debug_error err = { .text = "" };
	struct program *program = open_at(name, "");

	assert_null(program_debug(program, &options, &err));
	assert_contains(err.text, why);
	program_close(program);
}

static void test_debuglink(void **state)
{
	static const char *const flags[] = { "-O0 -no-pie -Wl,--build-id=none", "-O0 -pie -fPIE" };
	struct program *program;

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		assert_true(build(flags[i]));
		must(STRIP " && objcopy --add-gnu-debuglink=sample.debug sample");
		program = open_at("sample", "");
		check_debug(program);
		program_close(program);
		must("mkdir -p .debug && mv sample.debug .debug/");
		program = open_at("sample", "");
		check_debug(program);
		program_close(program);
		must("printf x >>.debug/sample.debug");
		/* Without a build id the checksum decides. */
		if (!i)
			must_lack("sample", "no debug information of");
		must("rm -r .debug");
		must_lack("sample", "no debug information of");
	}
}

/* Symbols that were compressed into the program itself. */
static void test_mini(void **state)
{
	struct program *program;

	assert_true(build("-O0 -pie -fPIE -rdynamic"));
	must("objcopy --only-keep-debug sample mini && strip -g mini -o mini.sym && strip sample && cp sample plain");
	program = open_at("plain", "");
	none(program, "hidden", "only the functions that it exports are known");
	assert_true(one(program, "shown")->size > 0);
	program_close(program);
	if (!shell("xz -k mini.sym && objcopy --add-section .gnu_debugdata=mini.sym.xz sample")) {
		print_message("left out: there is no xz\n");
		skip();
	}
	program = open_at("sample", "");
	check_addresses(program, one(program, "hidden"));
	program_close(program);
	/* What does not unpack is left out. */
	must("printf 'ABCDEFGH' | dd of=mini.sym.xz bs=1 seek=40 conv=notrunc && "
	     "objcopy --update-section .gnu_debugdata=mini.sym.xz sample");
	program = open_at("sample", "");
	none(program, "hidden", "has no function 'hidden'");
	program_close(program);
}

/* ------------------------------------------------------------------- lines */

/* Compare the line of every instruction of `shown` and `main` with addr2line. */
static void compare_lines(struct program *program, const char *name)
{
	const struct program_function *function = one(program, name);
	AUTO_FREE char *path = mem_printf("%s/out", dir);
	struct debug_unit *unit;
	uint32_t offset;
	struct dbindex *ix = index_at(program, function->addr, &unit, &offset);

	for (uint64_t at = function->addr; at < function->addr + function->size; at++) {
		AUTO_CLOSE FILE *file = NULL;
		char said[256], mine[256];
		struct ix_line line;

		if (!program_is_insn(program, function, at, NULL))
			continue;
		assert_true(shell("addr2line -e sample -s 0x%" PRIx64, at));
		file = fopen(path, "re");
		assert_non_null(fgets(said, sizeof(said), file));
		said[strcspn(said, " \n")] = '\0';
		assert_true(debug_to_offset(unit, at, &offset));
		assert_true(dbindex_line_at(ix, offset, &line));
		snprintf(mine, sizeof(mine), "sample.c:%u", line.line & LINE_MASK);
		assert_string_equal(mine, said);
	}
}

static void test_lines(void **state)
{
	static const char *const flags[] = {
		"-O2 -pie -fPIE -gdwarf-5", "-O2 -no-pie -gdwarf-4", "-O1 -static", "-O2 -gz -fPIC -shared",
	};
	uint32_t file, *addrs, offset;
	struct debug_unit *unit;
	struct program *program;
	struct dbindex *ix;
	size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (!build(flags[i]))
			continue;
		program = open_at("sample", "");
		compare_lines(program, "shown");
		compare_lines(program, "main");
		/* Line 12 is in the inlined copy. */
		ix = index_at(program, one(program, "shown")->addr, &unit, &offset);
		assert_int_equal(dbindex_files(ix, "sample.c", &file, 1), 1);
		n = dbindex_line_addrs(ix, file, 12, &addrs);
		assert_true(n > 0);
		assert_string_equal(dbindex_string(ix, dbindex_func_at(ix, addrs[0])->name), "shown");
		free(addrs);
		program_close(program);
	}
}

/* Without .debug_aranges all units are indexed. */
static void test_no_aranges(void **state)
{
	struct program *program;

	assert_true(build("-O0 -pie -fPIE"));
	must("objcopy --remove-section .debug_aranges sample");
	program = open_at("sample", "");
	check_debug(program);
	program_close(program);
}

/* dwz moves common parts into units of their own. */
static void test_dwz(void **state)
{
	struct program *program;

	assert_true(build("-O0 -pie -fPIE"));
	/* With two units there is something in common. */
	must("sed 's/main/two/; s/shown/shown2/; s/other_name/name2/; s/int value/int value2/; s/, value/, value2/' sample.c >b.c && "
	     "gcc -g -O0 -o sample sample.c b.c && cp sample other");
	if (!shell("dwz sample")) {
		print_message("left out: there is no dwz\n");
		skip();
	}
	program = open_at("sample", "");
	assert_int_equal(line_at(program, "main"), 21);
	program_close(program);
}

/* Where the whole program is optimised, a function is declared in another unit than its code. */
static void test_lto(void **state)
{
	struct program *program;
	struct debug_unit *unit;
	uint32_t offset;
	const struct ix_func *func;
	struct dbindex *ix;

	put("a.c", "int other(int a);\nint main(int argc, char **argv) { return other(argc); }\n");
	put("b.c", "\n\n__attribute__((noinline)) int other(int a)\n{\n\treturn a + 1;\n}\n");
	if (!shell("gcc -g -O1 -flto -o lto a.c b.c")) {
		print_message("left out: gcc -flto\n");
		skip();
	}
	program = open_at("lto", "");
	ix = index_at(program, one(program, "other")->addr, &unit, &offset);
	func = dbindex_func_at(ix, offset);
	assert_non_null(func);
	assert_string_equal(dbindex_string(ix, func->name), "other");
	assert_int_equal(func->line, 3);
	assert_string_equal(dbindex_file_name(ix, func->file - 1), "b.c");
	program_close(program);
}

/* Before there is an index of everything. */
static void must_know_files(struct program *program)
{
	static const struct debug_options options = { .threads = 1 };
	struct debug_error err = { .text = "" };
	struct debug_unit *unit = debug_unit(program_debug(program, &options, &err), "", &err);

	assert_true(debug_may_have_file(unit, "a.c") && debug_may_have_file(unit, "b.c") && debug_may_have_file(unit, "./a.c"));
	assert_false(debug_may_have_file(unit, "c.c"));
	assert_false(debug_may_have_file(unit, "a.cc"));
	assert_null(debug_index_ready(unit));
}

/* The place of a line in the source. */
static void must_be_at(struct program *program, const char *file, uint32_t line, const char *function)
{
	static const struct debug_options options = { .threads = 1 };
	struct debug_error err = { .text = "" };
	struct debug_unit *unit = debug_unit(program_debug(program, &options, &err), "", &err);
	struct dbindex *ix = debug_index_of_file(unit, file, &err);
	uint32_t number, *addrs;
	struct ix_line row;

	assert_non_null(ix);
	assert_int_equal(dbindex_files(ix, file, &number, 1), 1);
	assert_true(dbindex_line_addrs(ix, number, line, &addrs) > 0);
	assert_string_equal(dbindex_string(ix, dbindex_func_at(ix, addrs[0])->name), function);
	assert_true(dbindex_line_at(ix, addrs[0], &row));
	assert_string_equal(dbindex_file_name(ix, row.file), file);
	free(addrs);
}

static void must_be_declared(struct program *program, const char *function, const char *file, uint32_t line)
{
	struct debug_unit *unit;
	uint32_t offset;
	struct dbindex *ix = index_at(program, one(program, function)->addr, &unit, &offset);
	const struct ix_func *func = dbindex_func_at(ix, offset);

	assert_non_null(func);
	assert_string_equal(dbindex_file_name(ix, func->file - 1), file);
	assert_int_equal(func->line, line);
}

/* The files of the lines, not those of the units: one includes the other, or all are one. */
static void test_files(void **state)
{
	static const char *const builds[] = {
		"gcc -g -O1 -o files a.c b.c", "gcc -g -O1 -o files all.c", "gcc -g -gz -O1 -o files a.c b.c", "gcc -gdwarf-4 -O1 -o files all.c",
		"gcc -g -O2 -flto -o files a.c b.c", "gcc -g -O0 -flto -o files a.c b.c",
		"gcc -gdwarf-4 -O2 -flto -o files a.c b.c", "gcc -g -O2 -flto -flto-partition=max -o files a.c b.c",
		"clang -g -O2 -flto -o files a.c b.c", "clang -g -O1 -o files all.c",
	};

	put("a.c", "int other(int a);\nint main(int argc, char **argv)\n{\n\tint n = 0;\n\tfor (int i = 0; i < argc; i++)\n"
		   "\t\tn += other(i);\n\treturn n;\n}\n");
	put("b.c", "#include <stdlib.h>\n__attribute__((noinline)) int other(int a)\n{\n\tif (a > 10)\n\t\ta += rand();\n\treturn a;\n}\n");
	put("all.c", "#include \"b.c\"\n#include \"a.c\"\n");
	for (size_t i = 0; i < ARRAY_SIZE(builds); i++) {
		struct program *program;

		if (!shell("%s", builds[i])) {
			print_message("left out: %s\n", builds[i]);
			continue;
		}
		program = open_at("files", "");
		must_know_files(program);
		must_be_at(program, "b.c", 4, "other");
		must_be_at(program, "b.c", 5, "other");
		must_be_at(program, "a.c", 6, "main");
		must_be_declared(program, "other", "b.c", 2);
		must_be_declared(program, "main", "a.c", 2);
		program_close(program);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_build_id),
		cmocka_unit_test(test_debuglink),
		cmocka_unit_test(test_mini),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_no_aranges),
		cmocka_unit_test(test_dwz),
		cmocka_unit_test(test_lto),
		cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests_name("program_debug", tests, setup, teardown);
}
