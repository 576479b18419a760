// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_program.c - look things up in programs of user space. The programs are compiled here; nm, readelf and addr2line say
 * what is true of them.
 */
#include "unit.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "symbols/index/location.h"
#include "symbols/index/scope.h"
#include "symbols/query/program.h"

/* ----------------------------------------------------------------- scratch */

static char dir[64];

static int setup(void **state)
{
	strcpy(dir, "/tmp/ktrace-program-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	AUTO_FREE char *command = mem_printf("rm -rf %s", dir);

	return system(command);
}

/* Run a command in the scratch directory. */
static bool shell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static bool shell(const char *fmt, ...)
{
	va_list args;
	AUTO_FREE char *words = NULL;
	AUTO_FREE char *command = NULL;

	va_start(args, fmt);
	words = mem_vprintf(fmt, args);
	va_end(args);
	command = mem_printf("cd %s && { %s; } >out 2>&1", dir, words);
	return !system(command);
}

static void must(const char *command)
{
	if (shell("%s", command))
		return;
	shell("echo; cat out >&2");
	fail_msg("failed: %s", command);
}

static void put(const char *name, const char *text)
{
	AUTO_FREE char *path = mem_printf("%s/%s", dir, name);
	AUTO_CLOSE FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs(text, file);
}

static struct program *open_at(const char *name, const char *root)
{
	struct debug_error err = { .text = "" };
	AUTO_FREE char *path = *root ? mem_strdup(name) : mem_printf("%s/%s", dir, name);
	struct program *program = program_open(path, root, &err);

	if (!program)
		fail_msg("%s", err.text);
	return program;
}

static void must_refuse(const char *name, const char *why)
{
	struct debug_error err = { .text = "" };
	AUTO_FREE char *path = mem_printf("%s/%s", dir, name);

	assert_null(program_open(path, "", &err));
	if (!strstr(err.text, why) || strchr(err.text, '\n'))
		fail_msg("'%s' lacks '%s'", err.text, why);
}

static const struct program_function *one(struct program *program, const char *name)
{
	const struct program_function *found[4];
	struct debug_error err = { .text = "" };
	size_t n = program_named(program, name, found, 4, &err);

	if (n != 1)
		fail_msg("%s: %zu functions: %s", name, n, err.text);
	return found[0];
}

static void none(struct program *program, const char *name, const char *why)
{
	const struct program_function *found[4];
	struct debug_error err = { .text = "" };

	assert_int_equal(program_named(program, name, found, 4, &err), 0);
	if (!strstr(err.text, why))
		fail_msg("'%s' lacks '%s'", err.text, why);
}

/* --------------------------------------------------------------- functions */

static const char sample[] =
	"#include <string.h>\n"					/* 1 */
	"struct pair { int first; long second; };\n"
	"static int hidden(int a, struct pair *p)\n"
	"{\n"
	"	int local = a * 3;\n"				/* 5 */
	"	if (p->first > local)\n"
	"		local += p->second;\n"
	"	return local;\n"
	"}\n"
	"static inline __attribute__((always_inline)) int copied(int x)\n"	/* 10 */
	"{\n"
	"	return x * x + 7;\n"
	"}\n"
	"__attribute__((noinline)) int shown(int a, struct pair *p)\n"
	"{\n"							/* 15 */
	"	return hidden(copied(a), p) + 1;\n"
	"}\n"
	"int other_name(int a, struct pair *p) __attribute__((alias(\"shown\")));\n"
	"int value = 5;\n"
	"int main(int argc, char **argv)\n"			/* 20 */
	"{\n"
	"	struct pair p = { argc, value };\n"
	"	return shown(strlen(argv[0]), &p);\n"
	"}\n";

/* Ways to build it; a way that the machine's libraries do not allow is left out. */
static const char *const builds[] = {
	"-O0 -pie -fPIE", "-O2 -pie -fPIE", "-O0 -no-pie", "-O2 -no-pie", "-O1 -static", "-O2 -static-pie",
	"-O2 -shared -fPIC", "-O2 -gdwarf-4", "-O2 -gz", "-O1 -ffunction-sections -Wl,--gc-sections",
};

static bool build(const char *flags)
{
	put("sample.c", sample);
	return shell("gcc -g -fno-omit-frame-pointer %s -o sample sample.c", flags);
}

/* Every function that nm shows, with its size and the bytes at its offset. */
static void compare_with_nm(struct program *program)
{
	AUTO_FREE char *path = mem_printf("%s/out", dir);
	AUTO_CLOSE FILE *file = NULL;
	uint64_t addr, size;
	char type, name[256], line[512];
	unsigned int n = 0;

	must("nm -S --defined-only sample");
	file = fopen(path, "re");
	while (fgets(line, sizeof(line), file)) {
		const struct program_function *found[16];
		size_t nr, i = 0;

		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %c %255s", &addr, &size, &type, name) != 4 ||
		    !strchr("tTW", type) || strchr(name, '@'))
			continue;
		nr = program_named(program, name, found, 16, NULL);
		while (i < nr && found[i]->addr != addr)
			i++;
		if (i == nr)
			fail_msg("%s at 0x%" PRIx64 " is missing", name, addr);
		assert_int_equal(found[i]->size, size);
		n++;
	}
	assert_true(n >= 3);
}

static void check_addresses(struct program *program, const struct program_function *function)
{
	uint64_t addr = 0, offset = 0;
	uint8_t code[8], bytes[8];

	assert_true(program_offset(program, function->addr, &offset));
	assert_int_equal(offset, function->offset);
	assert_true(program_addr(program, offset, &addr));
	assert_int_equal(addr, function->addr);
	assert_int_equal(program_code(program, addr, code, sizeof(code)), sizeof(code));
	assert_int_equal(pread(program_fd(program), bytes, sizeof(bytes), offset), sizeof(bytes));
	assert_memory_equal(code, bytes, sizeof(code));
	assert_ptr_equal(program_covering(program, function->addr + function->size - 1),
			 program_covering(program, function->addr));
	assert_true(program_is_insn(program, function, function->addr, NULL));
}

static void test_functions(void **state)
{
	unsigned int done = 0;

	for (size_t i = 0; i < ARRAY_SIZE(builds); i++) {
		struct program *program;

		if (!build(builds[i])) {
			print_message("left out: gcc %s\n", builds[i]);
			continue;
		}
		program = open_at("sample", "");
		compare_with_nm(program);
		check_addresses(program, one(program, "shown"));
		check_addresses(program, one(program, "main"));
		assert_int_equal(one(program, "other_name")->addr, one(program, "shown")->addr);
		none(program, "shwon", "shown");
		none(program, "value", "has no function 'value'");
		assert_int_equal(program_is_fixed(program), strstr(builds[i], "-no-pie") || !strcmp(builds[i], "-O1 -static"));
		assert_int_equal(program_id(program)->len, 20);
		program_close(program);
		done++;
	}
	assert_true(done >= 7);
}

static bool count_one(const struct program_function *function, void *arg)
{
	++*(unsigned int *)arg;
	return true;
}

static void test_patterns(void **state)
{
	struct program *program;
	unsigned int n = 0;
	const struct sym *const *syms;

	assert_true(build("-O1 -pie -fPIE"));
	program = open_at("sample", "");
	/* The alias has the address of `shown`: it is counted once. */
	assert_int_equal(program_matching(program, "*ow*", count_one, &n), 1);
	assert_int_equal(program_matching(program, "[m]ain", count_one, &n), 1);
	assert_int_equal(program_matching(program, "nothing*", count_one, &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(symtab_by_name(program_symtab(program), "value", NULL, &syms), 1);
	assert_false(sym_is_text(syms[0]));
	assert_null(program_function_of(program, syms[0]));
	assert_int_equal(symtab_by_name(program_symtab(program), "main", NULL, &syms), 1);
	assert_ptr_equal(program_function_of(program, syms[0]), one(program, "main"));
	assert_ptr_equal(symtab_by_addr(program_symtab(program), syms[0]->addr + 1), syms[0]);
	program_close(program);
}

static void test_instructions(void **state)
{
	const struct program_function *function;
	struct debug_error err = { .text = "" };
	struct program *program;
	uint64_t at;
	unsigned int n = 0, inside = 0;

	assert_true(build("-O2 -pie -fPIE"));
	program = open_at("sample", "");
	function = one(program, "shown");
	for (at = function->addr; at < function->addr + function->size; at++)
		program_is_insn(program, function, at, &err) ? n++ : inside++;
	assert_true(n > 4);
	if (arch_native.insn_max > 4) {
		assert_true(inside > 4);
		assert_non_null(strstr(err.text, "is inside the instruction at +0x"));
	}
	assert_int_equal(program_code(program, 0, &at, sizeof(at)), 0);
	assert_int_equal(program_code(program, UINT64_MAX, &at, sizeof(at)), 0);
	program_close(program);
}

/* --------------------------------------------------------- stripped files */

static struct dbindex *index_at(struct program *program, uint64_t addr, struct debug_unit **unit, uint32_t *offset)
{
	static const struct debug_options options = { .threads = 1 };
	struct debug_error err = { .text = "" };
	struct debug *debug = program_debug(program, &options, &err);
	struct dbindex *ix = NULL;

	*unit = debug ? debug_unit(debug, "", &err) : NULL;
	ix = *unit ? debug_index_at(*unit, addr, &err) : NULL;
	if (!ix)
		fail_msg("%s", err.text);
	assert_true(debug_to_offset(*unit, addr, offset));
	return ix;
}

static const struct ix_line *line_at(struct program *program, const char *function)
{
	struct debug_unit *unit;
	uint32_t offset;
	struct dbindex *ix = index_at(program, one(program, function)->addr, &unit, &offset);
	const struct ix_line *line = dbindex_line_at(ix, offset);

	assert_non_null(line);
	assert_string_equal(dbindex_file_name(ix, line->file), "sample.c");
	return line;
}

/* A frame rule comes from .eh_frame, which the separate file does not have. */
static void check_debug(struct program *program)
{
	struct debug_unit *unit;
	uint32_t offset;
	struct dbindex *ix = index_at(program, one(program, "hidden")->addr, &unit, &offset);
	const struct ix_func *func = dbindex_func_at(ix, offset);
	struct loc_refusal refusal = { .why = "" };
	struct location location;
	struct scope *scope;

	assert_non_null(func);
	assert_int_equal(func->line, 3);
	assert_int_equal(line_at(program, "main")->line & LINE_MASK, 21);
	assert_non_null(dbindex_cfa_at(ix, offset));
	assert_true(dbindex_cfa_at(ix, offset)->reg != CFA_UNKNOWN);
	scope = scope_read(ix, func);
	assert_non_null(scope);
	assert_string_equal(scope->vars[0].name, "a");
	assert_string_equal(scope->vars[1].name, "p");
	if (location_of(ix, scope, &scope->vars[0], offset + func->size - 1, NULL, &location, &refusal) != LOC_OK)
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
	if (!strstr(err.text, why))
		fail_msg("'%s' lacks '%s'", err.text, why);
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

		if (!program_is_insn(program, function, at, NULL))
			continue;
		assert_true(shell("addr2line -e sample -s 0x%" PRIx64, at));
		file = fopen(path, "re");
		assert_non_null(fgets(said, sizeof(said), file));
		said[strcspn(said, " \n")] = '\0';
		assert_true(debug_to_offset(unit, at, &offset));
		snprintf(mine, sizeof(mine), "sample.c:%u", dbindex_line_at(ix, offset)->line & LINE_MASK);
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

static unsigned int notes;

static void count_note(void *arg, const char *text)
{
	notes += strstr(text, "shares types and names with") != NULL;
}

/* dwz moves common parts into units of their own, or into a file of its own, whose types are unknown, not wrong. */
static void test_dwz(void **state)
{
	static const struct debug_options options = { .threads = 1, .note = count_note };
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
	assert_int_equal(line_at(program, "main")->line & LINE_MASK, 21);
	program_close(program);
	must("gcc -g -O0 -o sample sample.c b.c && dwz -m common.debug sample other && readelf -SW sample | grep -q gnu_debugaltlink");
	program = open_at("sample", "");
	notes = 0;
	assert_non_null(program_debug(program, &options, NULL));
	assert_int_equal(notes, 1);
	assert_int_equal(line_at(program, "main")->line & LINE_MASK, 21);
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

/* --------------------------------------------------------- versions, ifuncs */

static void test_versions(void **state)
{
	const struct program_function *found[4];
	struct program *program;

	put("lib.c", "int old(void) { return 1; }\nint young(void) { return 2; }\nint only(void) { return 3; }\n"
		     "__asm__(\".symver old,f@V1\");\n__asm__(\".symver young,f@@V2\");\n");
	put("lib.map", "V1 { global: f; only; local: *; };\nV2 { global: f; } V1;\n");
	must("gcc -shared -fPIC -O1 -o lib.so lib.c -Wl,--version-script=lib.map");
	for (int stripped = 0; stripped < 2; stripped++) {
		program = open_at("lib.so", "");
		assert_string_equal(one(program, "f")->version, "V2");
		assert_string_equal(one(program, "f@V1")->version, "V1");
		assert_string_equal(one(program, "f@@V2")->version, "V2");
		assert_true(one(program, "f@V1")->addr != one(program, "f")->addr);
		assert_string_equal(one(program, "only")->version, "V1");
		none(program, "f@V3", "has no function");
		assert_int_equal(program_named(program, "f", found, 0, NULL), 0);
		program_close(program);
		must("strip lib.so");
	}
}

static void test_ifunc(void **state)
{
	const struct sym *const *syms;
	struct program *program;

	put("if.c", "static int __f_fast(void) { return 1; }\nstatic int __f_slow(void) { return 2; }\n"
		    "static void *pick(void) { return __builtin_cpu_supports(\"avx2\") ? __f_fast : __f_slow; }\n"
		    "int f(void) __attribute__((ifunc(\"pick\")));\nint main(void) { return f(); }\n");
	if (!shell("gcc -O0 -o if if.c")) {
		print_message("left out: no ifuncs here\n");
		skip();
	}
	program = open_at("if", "");
	none(program, "f", "chosen when the program is loaded (an ifunc)");
	none(program, "f", "__f_fast, __f_slow");
	assert_true(one(program, "__f_slow")->size > 0);
	assert_int_equal(symtab_by_name(program_symtab(program), "f", NULL, &syms), 0);
	program_close(program);
}

/* --------------------------------------------------------------------- C++ */

static void test_cxx(void **state)
{
	const struct program_function *found[4];
	struct program *program;
	struct debug_unit *unit;
	uint32_t offset;
	struct dbindex *ix;
	unsigned int n = 0;

	put("x.cc", "namespace ns {\n"
		    "struct thing { int v; int get(int by) const; template <class T> T as(T x) { return x + v; } };\n"
		    "int thing::get(int by) const { return v + by; }\n"
		    "__attribute__((noinline)) int f(int a) { return a + 1; }\n"
		    "__attribute__((noinline)) int f(long a) { return a + 2; }\n"
		    "}\n"
		    "int main(int argc, char **) { ns::thing t{argc}; return t.get(2) + ns::f(1) + ns::f(2L) + t.as<long>(3); }\n");
	if (!shell("g++ -g -O0 -o x x.cc")) {
		print_message("left out: there is no g++\n");
		skip();
	}
	program = open_at("x", "");
	assert_int_equal(program_named(program, "ns::f", found, 4, NULL), 2);
	assert_string_equal(one(program, "ns::f(long)")->name, "_ZN2ns1fEl");
	assert_string_equal(program_shown(program, one(program, "_ZN2ns1fEi")), "ns::f(int)");
	assert_int_equal(one(program, "ns::thing::get")->addr, one(program, "ns::thing::get(int) const")->addr);
	assert_int_equal(one(program, "thing::get")->addr, one(program, "ns::thing::get")->addr);
	none(program, "hing::get", "has no function");
	assert_int_equal(program_matching(program, "ns::*", count_one, &n), 4);
	ix = index_at(program, one(program, "ns::f(long)")->addr, &unit, &offset);
	assert_non_null(dbindex_func_at(ix, offset));
	assert_int_equal(dbindex_func_at(ix, offset)->line, 5);
	ix = index_at(program, one(program, "ns::thing::get")->addr, &unit, &offset);
	assert_int_equal(dbindex_func_at(ix, offset)->line, 3);
	program_close(program);
}

/* -------------------------------------------------------------- refusals */

static void patch(const char *name, size_t at, uint16_t value, size_t bytes)
{
	AUTO_FREE char *path = mem_printf("%s/%s", dir, name);
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &value, bytes, at), bytes);
	close(fd);
}

static void test_refused(void **state)
{
	assert_true(build("-O0 -pie -fPIE"));
	must("cp sample narrow && cp sample alien && cp sample object && cp sample cut && truncate -s 200 cut && "
	     "objcopy --only-keep-debug sample shell.debug && mkdir -p folder && mkfifo -m 600 fifo && : >empty");
	put("script", "#!/bin/sh\nexit\n");
	put("text", "hello");
	patch("narrow", EI_CLASS, ELFCLASS32, 1);
	patch("alien", offsetof(Elf64_Ehdr, e_machine), EM_RISCV, 2);
	patch("object", offsetof(Elf64_Ehdr, e_type), ET_REL, 2);
	must_refuse("narrow", "32-bit program");
	must_refuse("alien", "is a program for another machine");
	must_refuse("object", "neither an executable nor a shared library");
	must_refuse("cut", "is the file whole?");
	must_refuse("shell.debug", "debug information only");
	must_refuse("folder", "is a directory");
	must_refuse("fifo", "is not a regular file");
	must_refuse("empty", "is not an ELF file");
	must_refuse("script", "is a script");
	must_refuse("text", "is not an ELF file");
	must_refuse("nowhere", "No such file");
}

/* A root is left by no link and by no "..". */
static void test_root(void **state)
{
	AUTO_FREE char *root = mem_printf("%s/jail", dir);
	struct debug_error err;
	struct program *program;

	assert_true(build("-O0 -pie -fPIE"));
	must("mkdir -p jail/bin && cp sample jail/bin/real && ln -s /bin/real jail/link && "
	     "ln -s ../../../../bin/sh jail/out && ln -s /usr/bin/env jail/away");
	program = open_at("/link", root);
	assert_string_equal(program_root(program), root);
	program_close(program);
	assert_null(program_open("/out", root, &err));
	assert_null(program_open("/away", root, &err));
	assert_null(program_open("/../sample", root, &err));
}

/* ---------------------------------------------------------------- damage */

static bool ask_one(const struct program_function *function, void *arg)
{
	struct program *program = arg;

	program_shown(program, function);
	return true;
}

static void ask_everything(struct program *program)
{
	size_t n = 0, bad;
	const struct program_function *functions = program_functions(program, &n), *found[4];
	struct debug_error err;
	uint64_t v;

	for (size_t i = 0; i < n; i++) {
		program_covering(program, functions[i].addr + functions[i].size / 2);
		program_is_insn(program, &functions[i], functions[i].addr + (functions[i].size & 0xff), &err);
		program_data_offset(program, functions[i].addr + functions[i].size, &v);
	}
	program_named(program, "shown", found, 4, &err);
	program_named(program, "nothing", found, 4, &err);
	program_matching(program, "*::*", ask_one, program);
	program_markers(program, &n, &bad);
	program_symtab(program);
}

static void test_damage(void **state)
{
	static uint8_t whole[65536], damaged[65536];
	AUTO_FREE char *path = mem_printf("%s/sample", dir);
	unsigned int opened = 0;
	FILE *file;
	size_t len;

	assert_true(build("-O1 -pie -fPIE -g0"));
	file = fopen(path, "re");
	len = fread(whole, 1, sizeof(whole), file);
	fclose(file);
	assert_true(len > 4096 && len < sizeof(whole));
	srand(1);
	for (int round = 0; round < 1500; round++) {
		struct debug_error err = { .text = "" };
		struct program *program;
		int fd = memfd_create("damaged", MFD_CLOEXEC);
		size_t size = round % 10 ? len : (size_t)rand() % len;

		memcpy(damaged, whole, len);
		for (int n = 1 + rand() % 8; n; n--)
			damaged[rand() % (rand() % 2 ? 1024 : len)] = rand();
		assert_int_equal(write(fd, damaged, size), size);
		program = program_open_fd(fd, "damaged", "", &err);
		if (!program)
			assert_true(*err.text && !strchr(err.text, '\n'));
		else
			ask_everything(program);
		opened += program != NULL;
		program_close(program);
	}
	assert_true(opened > 100);
}

/* --------------------------------------------------------------- find */

static void must_find(const char *word, int pid, const char *end)
{
	struct debug_error err = { .text = "" };
	struct program_file file;
	size_t n = strlen(end), m;

	if (!program_find(word, pid, &file, &err))
		fail_msg("%s", err.text);
	m = strlen(file.path);
	if (m < n || strcmp(file.path + m - n, end))
		fail_msg("%s is %s", word, file.path);
	close(file.fd);
}

static void must_miss(const char *word, int pid, const char *why)
{
	struct debug_error err = { .text = "" };
	struct program_file file;

	assert_false(program_find(word, pid, &file, &err));
	if (!strstr(err.text, why))
		fail_msg("'%s' lacks '%s'", err.text, why);
}

static void test_find(void **state)
{
	AUTO_FREE char *path = NULL;

	must_find("libc.so.6", 0, "/libc.so.6");
	must_find("libc", 0, "/libc.so.6");
	must_find("/proc/self/exe", 0, "test_program");
	must_miss("no-such-thing", 0, "no program in PATH and no library");
	must_miss("/no/such", 0, "No such file");
	must_miss("", 0, "no program is named");
	must_miss("libc", INT32_MAX, "there is no process");
	assert_true(build("-O0 -pie -fPIE"));
	must("mkdir -p bin && cp sample bin/wanted && cp sample bin/locked && chmod a-x bin/locked");
	path = mem_printf("%s/bin:%s", dir, getenv("PATH"));
	setenv("PATH", path, 1);
	must_find("wanted", 0, "/bin/wanted");
	must_miss("locked", 0, "no program in PATH");
}

#define WAIT_TRIES	6000	/* of 10 ms */

/* Until the process has mapped it: first its program, then what the program's loader maps. */
static void wait_for_file(const char *word, pid_t pid)
{
	struct debug_error err = { .text = "" };
	struct program_file file;

	for (int i = 0; !program_find(word, pid, &file, &err); i++) {
		if (i == WAIT_TRIES)
			fail_msg("%s", err.text);
		usleep(10000);
	}
	close(file.fd);
}

/* A process keeps its file when the name is gone, or leads to another file. */
static void test_find_in_process(void **state)
{
	AUTO_FREE char *path = mem_printf("%s/sleeper", dir), *relative = mem_printf("./%s", path + 1);
	AUTO_FREE char *here = getcwd(NULL, 0);
	struct debug_error err = { .text = "" };
	struct program_file file;
	struct program *program;
	pid_t pid;

	put("sleeper.c", "#include <unistd.h>\nint my_own(void) { return pause(); }\nint main(void) { return my_own(); }\n");
	must("gcc -O0 -o sleeper sleeper.c");
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl(path, path, NULL);
		_exit(127);
	}
	wait_for_file("sleeper", pid);
	wait_for_file("libc.so.6", pid);
	must_find("sleeper", pid, "/sleeper");
	must_find(path, pid, "/sleeper");
	assert_return_code(chdir("/"), errno);
	must_find(relative, pid, "/sleeper");
	assert_return_code(chdir(here), errno);
	must_find("libc", pid, "/libc.so.6");
	must_find("libc.so.6", pid, "/libc.so.6");
	must_miss("no-such-thing", pid, "has no 'no-such-thing' mapped");
	must("rm sleeper && cp sample sleeper");
	if (!program_find("sleeper", pid, &file, &err))
		fail_msg("%s", err.text);
	assert_true(file.is_deleted);
	program = program_open_fd(file.fd, file.path, file.root, &err);
	assert_non_null(program);
	assert_true(one(program, "my_own")->size > 0);
	program_close(program);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* As in a container: the paths of the process are not ours. */
static void test_find_below_root(void **state)
{
	AUTO_FREE char *root = mem_printf("%s/cell", dir);
	struct debug_error err = { .text = "" };
	struct program *program = NULL;
	pid_t pid;

	if (geteuid()) {
		print_message("left out: only root may change its root\n");
		skip();
	}
	put("wait.c", "#include <unistd.h>\nint in_cell(void) { return pause(); }\nint main(void) { return in_cell(); }\n");
	must("mkdir -p cell/opt && gcc -O0 -static -o cell/opt/waiter wait.c && ln -s /opt/waiter cell/link");
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!chroot(root) && !chdir("/"))
			execl("/opt/waiter", "waiter", NULL);
		_exit(127);
	}
	/* Only what the process has mapped is found by that name. */
	for (int i = 0; i < WAIT_TRIES; i++) {
		program = program_open_word("waiter", pid, &err);
		if (program)
			break;
		usleep(10000);
	}
	if (!program)
		fail_msg("%s", err.text);
	assert_true(strlen(program_root(program)) > 0);
	assert_true(one(program, "in_cell")->size > 0);
	program_close(program);
	must_find("/opt/waiter", pid, "/opt/waiter");
	must_find("/link", pid, "/link");
	must_miss("/opt/nothing", pid, "/root/opt/nothing: No such file");
	must_miss("sh", pid, "below its root no program");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_build_id),
		cmocka_unit_test(test_debuglink),
		cmocka_unit_test(test_mini),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_no_aranges),
		cmocka_unit_test(test_dwz),
		cmocka_unit_test(test_lto),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_ifunc),
		cmocka_unit_test(test_cxx),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_root),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_find_in_process),
		cmocka_unit_test(test_find_below_root),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
