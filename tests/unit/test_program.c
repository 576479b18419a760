// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_program.c - look functions up in programs of user space. The programs are compiled here; nm says what is true of
 * them.
 */
#include "program_scratch.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

/* --------------------------------------------------------------- functions */

/* Ways to build it; a way that the machine's libraries do not allow is left out. */
static const char *const builds[] = {
	"-O0 -pie -fPIE", "-O2 -pie -fPIE", "-O0 -no-pie", "-O2 -no-pie", "-O1 -static", "-O2 -static-pie",
	"-O2 -shared -fPIC", "-O2 -gdwarf-4", "-O2 -gz", "-O1 -ffunction-sections -Wl,--gc-sections",
};

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

static const char ifunc_sample[] =
	"#include <stdio.h>\n#include <unistd.h>\n"
	"static int __f_fast(void) { return 1; }\nstatic int __f_slow(void) { return 2; }\n"
	"#ifdef SLOW\nstatic void *pick(void) { return __f_slow; }\n#else\nstatic void *pick(void) { return __f_fast; }\n#endif\n"
	"int f(void) __attribute__((ifunc(\"pick\")));\nint f_too(void) __attribute__((ifunc(\"pick\")));\n"
	"int main(void) { printf(\"%d\\n\", f()); fflush(stdout); pause(); return 0; }\n";

/* Run the program in the scratch directory, which says which function it uses; the caller kills it. */
static pid_t run_ifunc(char said[8])
{
	AUTO_FREE char *path = mem_printf("%s/choice", dir);
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(ends[1], STDOUT_FILENO);
		execl(path, "choice", NULL);
		_exit(1);
	}
	close(ends[1]);
	memset(said, 0, 8);
	assert_true(read(ends[0], said, 7) > 0);
	close(ends[0]);
	return pid;
}

/* The function f that a process, or any one, has chosen bears that name; "": it has no symbol. */
static uint64_t chosen_in(int pid, const char *name)
{
	struct program *program = open_at("choice", "");
	const struct program_function *function, *named;
	uint64_t addr;
	char also[64];

	program_choose(program, pid);
	function = one(program, "f");
	assert_true(function->is_choice);
	assert_false(program_chooses(program, "f"));
	named = program_chosen(program, function, also, sizeof(also));
	assert_string_equal(named ? named->name : "", name);
	assert_string_equal(also, "f_too");
	addr = function->addr;
	program_close(program);
	return addr;
}

/* In a program that was stripped, too, and in one without a loader. */
static void test_choice(void **state)
{
	static const struct {
		const char *how, *said, *name;
	} rows[] = {
		{ "-pie -fPIE", "1\n", "__f_fast" }, { "-DSLOW -no-pie", "2\n", "__f_slow" },
		{ "-static-pie", "1\n", "__f_fast" }, { "-DSLOW -static", "2\n", "__f_slow" },
		{ "-rdynamic -s", "1\n", "" }, { "-rdynamic -s -Wl,-z,now", "1\n", "" },
	};

	put("choice.c", ifunc_sample);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char said[8];
		pid_t pid;

		if (!shell("gcc -O0 %s -o choice choice.c", rows[i].how)) {
			print_message("left out, no ifuncs or no static library here: %s\n", rows[i].how);
			continue;
		}
		pid = run_ifunc(said);
		assert_string_equal(said, rows[i].said);
		assert_int_equal(chosen_in(pid, rows[i].name), chosen_in(0, rows[i].name));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

/* A library that this process has, too: what dlsym() gives. */
static void test_own_choice(void **state)
{
	struct debug_error err = { .text = "" };
	struct program *program = program_open_word("libc.so.6", 0, &err);
	const struct program_function *function;
	void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	struct link_map *map;

	assert_non_null(program);
	assert_non_null(library);
	assert_int_equal(dlinfo(library, RTLD_DI_LINKMAP, &map), 0);
	function = one(program, "strlen");
	assert_true(function->is_choice);
	assert_int_equal(function->addr + map->l_addr, (uintptr_t)dlsym(library, "strlen"));
	dlclose(library);
	program_close(program);
}

static void test_ifunc(void **state)
{
	const struct sym *const *syms;
	struct program *program;

	put("if.c", ifunc_sample);
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

/* As people write them: without the namespaces of versions, marks of the ABI and what a template returns; by patterns. */
static void test_written_names(void **state)
{
	static const struct {
		const char *written, *shown;
	} rows[] = {
		{ "twice<int>", "twice<int>(int)" }, { "twice<double>(double)", "twice<double>(double)" },
		{ "int twice<int>(int)", "twice<int>(int)" },
		{ "zoo::inner", "zoo::v1::inner(int)" }, { "zoo::inner(int)", "zoo::v1::inner(int)" },
		{ "zoo::tagged", "zoo::tagged[abi:x](int)" }, { "zoo::tagged(int)", "zoo::tagged[abi:x](int)" },
		{ "counter::take", "zoo::counter::take(int)" },
	};
	static const struct {
		const char *pattern;
		unsigned int n;
	} patterns[] = {
		{ "twice*", 2 }, { "counter*", 1 }, { "take", 1 }, { "t*e*", 4 }, { "*lambda*", 1 }, { "v1::*", 1 }, { "ounter*", 0 },
		{ "zoo::*", 3 },
	};
	struct program *program;
	unsigned int n;

	put("names.cc", "#define NOINLINE __attribute__((noinline, noclone))\n"
			"template <class T> NOINLINE T twice(T x) { return x + x; }\n"
			"namespace zoo {\n"
			"struct counter { int n; NOINLINE int take(int k) { return n += k; } };\n"
			"inline namespace v1 { NOINLINE int inner(int k) { return k + 1; } }\n"
			"NOINLINE __attribute__((abi_tag(\"x\"))) int tagged(int k) { return k + 2; }\n"
			"}\n"
			"int main(int argc, char **) { auto f = [](int k) NOINLINE { return k * 3; }; zoo::counter c{0};\n"
			"return twice<int>(argc) + twice<double>(1.5) + c.take(2) + zoo::inner(3) + zoo::tagged(4) + f(argc); }\n");
	if (!shell("g++ -O1 -o names names.cc")) {
		print_message("left out: there is no g++\n");
		skip();
	}
	program = open_at("names", "");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(program_shown(program, one(program, rows[i].written)), rows[i].shown);
	none(program, "twice<char>", "has no function");
	none(program, "zoo::take", "has no function");
	none(program, "int zoo::inner(int)", "has no function");
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		n = 0;
		program_matching(program, patterns[i].pattern, count_one, &n);
		assert_int_equal(n, patterns[i].n);
	}
	program_close(program);
}

/* -------------------------------------------------------------- refusals */

static void must_refuse(const char *name, const char *why)
{
	struct debug_error err = { .text = "" };
	AUTO_FREE char *path = mem_printf("%s/%s", dir, name);

	assert_null(program_open(path, "", &err));
	assert_contains(err.text, why);
	assert_one_line(err.text);
}

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_ifunc), cmocka_unit_test(test_choice), cmocka_unit_test(test_own_choice),
		cmocka_unit_test(test_cxx), cmocka_unit_test(test_written_names),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_root),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests_name("program", tests, setup, teardown);
}
