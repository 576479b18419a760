// SPDX-License-Identifier: GPL-2.0-or-later
/* test_markers.c - SDT markers: of a program that is compiled here, and of programs of the distribution, compared with readelf. */
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ctl/ask/events/markers.h"
#include "ctl/base/memory.h"
#include "ctl/ui/complete.h"
#include "fake_kernel.h"

static char dir[64];

static int setup(void **state)
{
	strcpy(dir, "/tmp/ktrace-markers-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	AUTO_FREE char *command = mem_printf("rm -rf %s", dir);

	return system(command);
}

static struct program *open_program(const char *word)
{
	struct debug_error err = { .text = "" };
	struct program *program = program_open_word(word, 0, &err);

	if (!program)
		fail_msg("%s", err.text);
	return program;
}

/* ------------------------------------------------------------ own program */

/* The form of a note is that of <sys/sdt.h>, which need not be installed. */
static const char sample[] =
	"#define NOTE(provider, name, semaphore, args, ...) __asm__ volatile(\"990: nop\\n\" \\\n"
	"	\".pushsection .note.stapsdt,\\\"\\\",@note\\n.balign 4\\n\" \\\n"
	"	\".4byte 992f-991f, 994f-993f, 3\\n991: .asciz \\\"stapsdt\\\"\\n992: .balign 4\\n\" \\\n"
	"	\"993: .8byte 990b, _.stapsdt.base, \" semaphore \"\\n\" \\\n"
	"	\".asciz \\\"\" provider \"\\\"\\n.asciz \\\"\" name \"\\\"\\n.asciz \\\"\" args \"\\\"\\n\" \\\n"
	"	\"994: .balign 4\\n.popsection\\n\" :: __VA_ARGS__)\n"
	"__asm__(\".pushsection .stapsdt.base,\\\"aG\\\",@progbits,.stapsdt.base,comdat\\n\"\n"
	"	\".weak _.stapsdt.base\\n.hidden _.stapsdt.base\\n_.stapsdt.base: .space 1\\n\"\n"
	"	\".size _.stapsdt.base, 1\\n.popsection\\n\");\n"
	"unsigned short sample_semaphore __attribute__((section(\".probes\"))) = 0;\n"
	"__attribute__((noinline)) void work(int a, unsigned long b, char *c, double d)\n"
	"{\n"
	"	volatile int kept = a;\n"
	"	NOTE(\"sample\", \"one\", \"sample_semaphore\", \"-4@%0 8@%1 -4@%2 8@%3\", \"r\"(a), \"r\"(b), \"m\"(kept), \"n\"(5));\n"
	"	NOTE(\"sample\", \"two\", \"0\", \"\", \"r\"(a));\n"
	"	NOTE(\"sample\", \"two\", \"0\", \"8@%0 %0 3@%0 8f@%1 1@{}\", \"r\"(c), \"m\"(d));\n"
	"	NOTE(\"\", \"nameless\", \"0\", \"\", \"r\"(a));\n"
	"	NOTE(\"other\", \"three\", \"0\", \"\", \"r\"(a));\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	work(argc, 7, argv[0], 1.5);\n"
	"	return 0;\n"
	"}\n";

static bool build(const char *flags)
{
	AUTO_FREE char *path = mem_printf("%s/sample.c", dir);
	AUTO_FREE char *command = mem_printf("cd %s && gcc -O1 %s -o sample sample.c 2>out", dir, flags);
	FILE *file = fopen(path, "we");

	fputs(sample, file);
	fclose(file);
	return !system(command);
}

static void check_first(const struct program_marker *marker)
{
	static const enum arch_operand_kind kinds[] = {
		OPERAND_REGISTER, OPERAND_REGISTER, OPERAND_MEMORY, OPERAND_CONSTANT,
	};
	static const char *const types[] = { "s32", "u64", "s32", "u64" };

	assert_string_equal(marker->name, "one");
	assert_int_not_equal(marker->semaphore, 0);
	assert_int_equal(marker->nr_args, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_true(marker->args[i].is_known);
		assert_int_equal(marker->args[i].operand.kind, kinds[i]);
		assert_string_equal(marker_type(&marker->args[i]), types[i]);
	}
	assert_int_equal(marker->args[3].operand.constant, 5);
	assert_ptr_equal(marker->args[2].operand.reg ? NULL : marker, NULL);
}

static void check_second(const struct program_marker *marker)
{
	static const char *const why[] = { NULL, "size", "size", NULL, "form" };

	assert_string_equal(marker[0].name, "two");
	assert_int_equal(marker[0].nr_args, 0);
	assert_true(marker_is_same(&marker[0], &marker[1]));
	assert_true(marker[0].addr < marker[1].addr);
	/* A word without a size belongs to the argument before it. */
	assert_int_equal(marker[1].nr_args, 4);
	assert_false(marker[1].args[0].is_known);
	assert_contains(marker[1].args[0].why, why[4]);
	assert_contains(marker[1].args[1].why, why[1]);
	assert_true(marker[1].args[2].is_float);
	assert_string_equal(marker_type(&marker[1].args[2]), "double");
	assert_contains(marker[1].args[3].why, why[4]);
}

static void test_own(void **state)
{
	static const char *const flags[] = { "-pie -fPIE", "-no-pie", "-static", "-pie -fPIE -s" };
	AUTO_FREE char *path = mem_printf("%s/sample", dir);
	unsigned int done = 0;

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		const struct program_marker *all;
		struct program *program;
		uint8_t count[2] = { 1, 1 };
		size_t n, bad;

		if (!build(flags[i]))
			continue;
		program = open_program(path);
		all = program_markers(program, &n, &bad);
		while (n && strcmp(all->provider, "other")) {
			all++;
			n--;
		}
		assert_true(n >= 4);
		assert_string_equal(all[0].provider, "other");
		check_first(&all[1]);
		check_second(&all[2]);
		assert_int_equal(bad, 1);
		assert_int_equal(pread(program_fd(program), count, 2, all[1].semaphore_offset), 2);
		assert_true(!count[0] && !count[1]);
		if (!strstr(flags[i], "-s"))
			assert_string_equal(program_covering(program, all[1].addr)->name, "work");
		program_close(program);
		done++;
	}
	assert_true(done >= 3);
}

/* ---------------------------------------------------------- the distribution's */

/* Every marker that readelf shows, in its order, which is that of the notes. */
static unsigned int compare_with_readelf(const char *word)
{
	struct program *program = open_program(word);
	AUTO_FREE char *command = mem_printf("readelf -nW %s 2>/dev/null", program_path(program));
	size_t n, bad;
	const struct program_marker *all = program_markers(program, &n, &bad);
	char line[1024], provider[128] = "", name[128] = "", args[900];
	uint64_t addr = 0, semaphore = 0, base;
	unsigned int found = 0;
	FILE *pipe = popen(command, "re");

	assert_non_null(pipe);
	while (fgets(line, sizeof(line), pipe)) {
		size_t i = 0;

		line[strcspn(line, "\n")] = '\0';
		if (strstr(line, "Provider: "))
			sscanf(strstr(line, "Provider: "), "Provider: %127s", provider);
		sscanf(line, " Name: %127s", name);
		sscanf(line, " Location: %" SCNx64 ", Base: %" SCNx64 ", Semaphore: %" SCNx64, &addr, &base, &semaphore);
		if (!strstr(line, "Arguments:"))
			continue;
		snprintf(args, sizeof(args), "%s", strstr(line, "Arguments:") + strlen("Arguments: "));
		while (i < n && (all[i].addr != addr || strcmp(all[i].name, name)))
			i++;
		if (i == n)
			fail_msg("%s: %s:%s at 0x%" PRIx64 " is missing", word, provider, name, addr);
		assert_string_equal(all[i].provider, provider);
		assert_string_equal(all[i].text, args);
		assert_int_equal(all[i].semaphore, semaphore);
		for (size_t j = 0; j < all[i].nr_args; j++)
			if (!all[i].args[j].is_known)
				fail_msg("%s: %s: %s", word, all[i].args[j].text, all[i].args[j].why);
		found++;
	}
	pclose(pipe);
	assert_int_equal(found, n);
	assert_int_equal(bad, 0);
	program_close(program);
	return found;
}

static void test_real(void **state)
{
	static const char *const words[] = {
		"/usr/lib/postgresql/15/bin/postgres", "/usr/lib/postgresql/17/bin/postgres", "/usr/bin/python3.11",
		"/usr/bin/python3.13", "libstdc++.so.6", "libc.so.6",
	};
	unsigned int programs = 0;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct program_file file;

		if (!program_find(words[i], 0, &file, NULL))
			continue;
		close(file.fd);
		print_message("%s: %u markers, as readelf\n", words[i], compare_with_readelf(words[i]));
		programs++;
	}
	if (!programs)
		skip();
}

/* ------------------------------------------------------------- expressions */

static void must_express(const char *text, const char *wanted)
{
	struct program_argument arg = { .bytes = 4, .is_signed = true, .is_known = true };
	AUTO_FREE char *expression = NULL;

	assert_true(arch_native.operand(text, &arg.operand));
	expression = marker_expression(&arg);
	assert_string_equal(expression, wanted);
}

static void test_expressions(void **state)
{
	const struct arch_reg *reg = arch_native.regs;
	AUTO_FREE char *wanted = mem_printf("(s32)$%s", reg->name);
	struct program_argument arg = {
		.bytes = 8, .is_known = true,
		.operand = { .kind = OPERAND_MEMORY, .reg = reg, .index = reg, .scale = 8, .constant = -16,
			     .symbol = "table(", .symbol_len = 5 },
	};
	AUTO_FREE char *long_one = marker_expression(&arg), *all = NULL;

	all = mem_printf("*(u64 *)($%s + $%s * 8 + (u64)&table - 16)", reg->name, reg->name);
	assert_string_equal(long_one, all);
	must_express(arch_native.insn_max > 4 ? "$-7" : "-7", "(s32)-7");
	arg.operand = (struct arch_operand){ .kind = OPERAND_REGISTER, .reg = reg };
	arg.bytes = 4;
	arg.is_signed = true;
	free(long_one);
	long_one = marker_expression(&arg);
	assert_string_equal(long_one, wanted);
	/* A register, or a constant: its bits are not its value. */
	arg.is_float = true;
	assert_null(marker_expression(&arg));
	arg.operand.kind = OPERAND_MEMORY;
	free(long_one);
	free(all);
	long_one = marker_expression(&arg);
	all = mem_printf("*(float *)($%s)", reg->name);
	assert_string_equal(long_one, all);
	arg.bytes = 2;
	assert_null(marker_expression(&arg));
}

static void test_names(void **state)
{
	static const struct {
		const char *text, *program, *pattern;
	} rows[] = {
		{ "a:sdt:p:n", "a", "p:n" }, { "a:sdt", "a", "*" }, { "a:sdt:", "a", "*" },
		{ "/x/y.so:sdt:*", "/x/y.so", "*" }, { "a:sdt:sdt:x", "a", "sdt:x" },
	};
	const struct program_marker marker = { .provider = "prov", .name = "some__thing" };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_FREE char *program = NULL, *pattern = NULL;

		assert_true(marker_is(rows[i].text));
		marker_split(rows[i].text, &program, &pattern);
		assert_string_equal(program, rows[i].program);
		assert_string_equal(pattern, rows[i].pattern);
	}
	assert_false(marker_is("sdt:x") || marker_is(":sdt:x") || marker_is("a:sdtx:b") || marker_is("a"));
	assert_true(marker_matches(&marker, "prov:some*") && marker_matches(&marker, "prov") &&
		    marker_matches(&marker, "some__thing") && marker_matches(&marker, "*"));
	assert_false(marker_matches(&marker, "some") || marker_matches(&marker, "prov:"));
}

/* --------------------------------------------------------------- the command */

static void test_command(void **state)
{
	struct fake_kernel *fake = fake_create();
	AUTO_FREE char *list = mem_printf("events %s/sample:sdt:sample", dir);
	AUTO_FREE char *verbose = mem_printf("events -v %s/sample:sdt:one", dir);
	AUTO_FREE char *none = mem_printf("events %s/sample:sdt:nothing", dir);

	assert_true(build("-no-pie"));
	assert_int_equal(fake_run(fake, list), 0);
	assert_contains(fake->out, "MARKER");
	assert_contains(fake->out, "/sample:sdt:sample:one      1  s32 u64 s32 u64\n");
	assert_contains(fake->out, "/sample:sdt:sample:two      2");
	assert_int_equal(fake_run(fake, verbose), 0);
	assert_contains(fake->out, "1 site, with a semaphore\n  at work+0x");
	assert_contains(fake->out, "    arg4  u64  (u64)5\n");
	assert_int_equal(fake_run(fake, none), 1);
	assert_contains(fake_error(), "has no SDT marker that matches 'nothing'");
	assert_int_equal(fake_run(fake, "events /nowhere/at/all:sdt"), 1);
	assert_contains(fake_error(), "No such file");
	fake_free(fake);
}

/* An argument of eight bytes may be a pointer to a text, also in a stripped program without debug information. */
static void test_texts(void **state)
{
	struct fake_kernel *fake = fake_create();
	AUTO_FREE char *works = mem_printf("trace %s/sample:sdt:sample:one STR arg2 VAR *(u64*)arg2 VAR '(char *)arg2' IF '(char *)arg2 == \"dd\"'", dir);
	AUTO_FREE char *short_one = mem_printf("trace %s/sample:sdt:sample:one STR arg1", dir);

	assert_true(build("-pie -fPIE -s"));
	for (int uses_debug = 0; uses_debug < 2; uses_debug++) {
		fake->session.uses_debug = uses_debug;
		if (fake_run(fake, works))
			fail_msg("%s", fake_error());
		assert_int_equal(fake_run(fake, short_one), STATUS_USAGE);
		assert_contains(fake_error(), "STR arg1: the expression is not a pointer: a string needs one");
	}
	fake_free(fake);
}

/* ---------------------------------------------------------------- completion */

static void collect(const char *name, void *arg)
{
	fprintf(arg, "%s ", name);
}

/* What is offered for a word in the scratch directory. */
static char *offered(struct fake_kernel *fake, const char *before, const char *word)
{
	AUTO_FREE char *path = mem_printf("%s/%s", dir, word);
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	complete(&fake->session, before, path, collect, out);
	fclose(out);
	return text;
}

static void must_offer(struct fake_kernel *fake, const char *before, const char *word, const char *wanted)
{
	AUTO_FREE char *text = offered(fake, before, word), *whole = mem_printf("%s/%s", dir, wanted);

	if (!strstr(text, whole))
		fail_msg("'%s' lacks '%s'", text, whole);
}

static void test_completion(void **state)
{
	struct fake_kernel *fake = fake_create();
	AUTO_FREE char *none = NULL;

	assert_true(build("-no-pie"));
	must_offer(fake, "trace ", "sam", "sample: ");
	must_offer(fake, "trace ", "sample:", "sample:sdt: ");
	must_offer(fake, "trace ", "sample:wo", "sample:work ");
	must_offer(fake, "trace ", "sample:sdt:sample:o", "sample:sdt:sample:one ");
	must_offer(fake, "events ", "sample:sdt:o", "sample:sdt:other:three ");
	none = offered(fake, "events ", "sample:wo");
	assert_string_equal(none, "");
	free(none);
	none = offered(fake, "trace ", "sample.c:");
	assert_string_equal(none, "");
	fake_free(fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_real),
		cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_completion),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
