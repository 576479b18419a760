/* SPDX-License-Identifier: GPL-2.0-or-later */
/* program_scratch.h - programs of user space that are compiled in a folder of the test, and opened there. */
#ifndef PROGRAM_SCRATCH_H
#define PROGRAM_SCRATCH_H

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ctl/base/memory.h"
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

/* ------------------------------------------------------------------ sample */

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

static __attribute__((unused)) bool build(const char *flags)
{
	put("sample.c", sample);
	return shell("gcc -g -fno-omit-frame-pointer %s -o sample sample.c", flags);
}

/* ---------------------------------------------------------------- programs */

static __attribute__((unused)) struct program *open_at(const char *name, const char *root)
{
	struct debug_error err = { .text = "" };
	AUTO_FREE char *path = *root ? mem_strdup(name) : mem_printf("%s/%s", dir, name);
	struct program *program = program_open(path, root, &err);

	if (!program)
		fail_msg("%s", err.text);
	return program;
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

static __attribute__((unused)) void none(struct program *program, const char *name, const char *why)
{
	const struct program_function *found[4];
	struct debug_error err = { .text = "" };

	assert_int_equal(program_named(program, name, found, 4, &err), 0);
	assert_contains(err.text, why);
}

static __attribute__((unused)) void check_addresses(struct program *program, const struct program_function *function)
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

static __attribute__((unused)) struct dbindex *index_at(struct program *program, uint64_t addr,
							struct debug_unit **unit, uint32_t *offset)
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

#endif
