// SPDX-License-Identifier: GPL-2.0-or-later
/* test_debug.c - find debug information, index it, and ask the index. The image is this program. */
#include "unit.h"

#include <fcntl.h>
#include <libdwarf/dwarf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "symbols/build/build.h"
#include "symbols/build/dbindex_build.h"
#include "symbols/index/line.h"
#include "symbols/index/location.h"
#include "symbols/index/type.h"
#include "symbols/query/debug_find.h"
#include "symbols/query/own_module.h"

#define HERE	"tests/unit/test_debug.c"

/* ------------------------------------------------------------ what is indexed */

struct sample {
	int first;
	union {
		long second;
		char third[8];
	};
	unsigned int low : 3, high : 5;
	struct sample *next;
	const char *(*call)(struct sample *, int);
};

enum colour { RED, GREEN = 7, BLUE = -1 };

enum colour sample_colour = GREEN;
enum { SAMPLE_LINE = __LINE__ + 3 };

__attribute__((noinline, noipa)) int sample_function(struct sample *sample, int count)
{
	return sample->first + count;
}

/* ------------------------------------------------------------------ scratch */

static char dir[64];
static char index_path[128];
static struct dbindex *ix;

static int setup(void **state)
{
	static const char *const files[] = { HERE };
	struct dbindex_choice choice = { .files = files, .nr_files = 1 };
	struct sample sample = { .first = 1 };
	struct debug_error err;
	struct image *image;

	strcpy(dir, "/tmp/ktrace-debug-XXXXXX");
	if (!mkdtemp(dir) || sample_function(&sample, 2) != 3)
		return -1;
	snprintf(index_path, sizeof(index_path), "%s/index", dir);
	image = image_open("/proc/self/exe", &err);
	if (!image || !dbindex_build_file(image, &choice, 2, index_path, NULL, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return -1;
	}
	image_close(image);
	ix = dbindex_open(index_path, &err);
	return ix ? 0 : -1;
}

static int teardown(void **state)
{
	char command[128];

	dbindex_close(ix);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

/* -------------------------------------------------------------------- index */

static const struct ix_func *the_function(void)
{
	const uint32_t *all;

	assert_int_equal(dbindex_funcs(ix, "sample_function", &all), 1);
	return dbindex_func(ix, *all);
}

static void test_function(void **state)
{
	const struct ix_func *func = the_function();
	struct scope *scope = scope_read(ix, func);
	const uint32_t *all;
	char type[64];

	assert_non_null(scope);
	assert_int_equal(scope->line, SAMPLE_LINE - 1);
	assert_contains(dbindex_file_name(ix, scope->file - 1), HERE);
	assert_int_equal(scope->nr_vars, 2);
	assert_string_equal(scope->vars[0].name, "sample");
	assert_true(scope->vars[0].flags & VAR_PARAMETER);
	assert_string_equal(type_spell(ix, scope->vars[0].type, type, sizeof(type)), "struct sample *");
	assert_string_equal(type_spell(ix, scope->type, type, sizeof(type)), "int");
	assert_ptr_equal(dbindex_func_at(ix, func->low + 1), func);
	assert_int_equal(dbindex_funcs(ix, "sample_functio", &all), 0);
	scope_free(scope);
}

static void test_lines(void **state)
{
	const struct ix_func *func = the_function();
	uint32_t file, *addrs, before, after;
	struct ix_line line;

	assert_true(dbindex_line_at(ix, func->low, &line));
	assert_int_equal(line.line & LINE_MASK, SAMPLE_LINE);
	assert_int_equal(dbindex_files(ix, "unit/test_debug.c", &file, 1), 1);
	assert_int_equal(dbindex_files(ix, "nit/test_debug.c", &file, 1), 0);
	assert_true(dbindex_line_addrs(ix, line.file, SAMPLE_LINE + 1, &addrs) > 0);
	assert_ptr_equal(dbindex_func_at(ix, addrs[0]), func);
	free(addrs);
	dbindex_lines_around(ix, line.file, SAMPLE_LINE - 2, &before, &after);
	assert_int_equal(after, SAMPLE_LINE);
}

static void test_members(void **state)
{
	uint32_t number = type_by_name(ix, "struct sample");
	struct type_member member;
	char spelled[128];

	assert_int_not_equal(number, NO_TYPE);
	assert_int_equal(type_size(ix, number), sizeof(struct sample));
	assert_true(type_member(ix, number, "third", &member));
	assert_int_equal(member.bit_offset, 8 * offsetof(struct sample, third));
	assert_int_equal(type_size(ix, member.type), 8);
	assert_true(type_member(ix, number, "high", &member));
	assert_int_equal(member.bits, 5);
	assert_int_equal(member.bit_offset % 8, 3);
	assert_true(type_member(ix, number, "call", &member));
	assert_string_equal(type_spell(ix, member.type, spelled, sizeof(spelled)),
			    "const char *(*)(struct sample *, int)");
	assert_false(type_member(ix, number, "fourth", &member));
	assert_int_equal(type_by_name(ix, "struct samples"), NO_TYPE);
}

static void test_enum(void **state)
{
	const struct ix_global *global;
	struct type type;
	const char *name;
	int64_t value;

	assert_int_equal(dbindex_globals(ix, "sample_colour", &global), 1);
	assert_true(type_resolve(ix, global->type - 1, &type));
	assert_int_equal(type.kind, TYPE_ENUM);
	assert_true(type_next_value(ix, &type, &name, &value) && type_next_value(ix, &type, &name, &value));
	assert_string_equal(name, "GREEN");
	assert_int_equal(value, 7);
	assert_true(type_next_value(ix, &type, &name, &value));
	assert_int_equal(value, -1);
	assert_false(type_next_value(ix, &type, &name, &value));
}

/* ----------------------------------------------------------------- damage */

static uint8_t *slurp(const char *path, size_t *len)
{
	FILE *file = fopen(path, "re");
	struct stat st;
	uint8_t *data;

	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &st), 0);
	data = malloc(st.st_size);
	*len = fread(data, 1, st.st_size, file);
	fclose(file);
	return data;
}

static struct dbindex *open_bytes(const uint8_t *data, size_t len, struct debug_error *err)
{
	char path[160];
	FILE *file;

	snprintf(path, sizeof(path), "%s/damaged", dir);
	file = fopen(path, "we");
	fwrite(data, 1, len, file);
	fclose(file);
	return dbindex_open(path, err);
}

static void test_cut_off(void **state)
{
	struct debug_error err;
	size_t len;
	uint8_t *data = slurp(index_path, &len);

	for (size_t n = 0; n < len; n += 1 + len / 50) {
		assert_null(open_bytes(data, n, &err));
		assert_one_line(err.text);
	}
	for (size_t i = 0; i < sizeof(struct dbindex_header); i++) {
		data[i] ^= 0x41;
		assert_null(open_bytes(data, len, &err));
		data[i] ^= 0x41;
	}
	free(data);
}

static void read_all(const struct dbindex *damaged)
{
	size_t nr;
	char text[64];
	struct type type;
	struct ix_line line;

	dbindex_rows(damaged, PART_FUNCS, struct ix_func, &nr);
	for (size_t i = 0; i < nr; i++)
		scope_free(scope_read(damaged, dbindex_func(damaged, i)));
	dbindex_rows(damaged, PART_TYPES, uint64_t, &nr);
	for (size_t i = 0; i < nr; i++)
		if (type_resolve(damaged, i, &type))
			type_spell(damaged, i, text, sizeof(text));
	for (uint32_t addr = 0; addr < 1000; addr++)
		dbindex_line_at(damaged, addr * 97, &line);
}

/* A damaged body gives wrong answers, but no faults. */
static void test_damaged(void **state)
{
	size_t len, header = sizeof(struct dbindex_header);
	uint8_t *data = slurp(index_path, &len);
	uint32_t seed = 1;

	for (int round = 0; round < 40; round++) {
		struct dbindex *damaged;

		for (int i = 0; i < 2000; i++) {
			seed = seed * 1103515245 + 12345;
			data[header + seed % (len - header - 1)] ^= seed >> 16;
		}
		damaged = open_bytes(data, len, NULL);
		if (damaged)
			read_all(damaged);
		dbindex_close(damaged);
	}
	free(data);
}

/* ---------------------------------------------------------------- locations */

static const char *reg_name(uint16_t reg)
{
	static const char *const names[] = { "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp" };

	return reg < 8 ? names[reg] : NULL;
}

static const struct ix_cfa cfa = { .reg = 7, .offset = 16 };
static const uint8_t cfa_frame[] = { DW_OP_call_frame_cfa };

static void expect(const uint8_t *expr, size_t len, bool is_entry, enum loc_status status, const char *words)
{
	struct loc_context context = {
		.frame = cfa_frame, .frame_len = 1, .cfa = &cfa, .is_entry = is_entry, .name = reg_name,
	};
	struct loc_refusal refusal;
	struct location location;
	char text[256] = "";

	assert_int_equal(location_evaluate(&context, expr, len, &location, &refusal), status);
	if (status == LOC_OK)
		location_words(&location, reg_name, text, sizeof(text));
	assert_contains(status == LOC_OK ? text : refusal.why, words);
}

#define EXPECT(status, words, ...) \
	do { \
		const uint8_t expr[] = { __VA_ARGS__ }; \
		expect(expr, sizeof(expr), false, status, words); \
	} while (0)

static void test_locations(void **state)
{
	const uint8_t entry[] = { DW_OP_entry_value, 1, DW_OP_reg5, DW_OP_stack_value };

	EXPECT(LOC_OK, "%rdi", DW_OP_reg5);
	EXPECT(LOC_OK, "memory at %rsp+0x8", DW_OP_breg7, 8);
	EXPECT(LOC_OK, "memory at %rsp-0x10", DW_OP_fbreg, 0x60);
	EXPECT(LOC_OK, "computed: *(%rdi+0x10)+0x8", DW_OP_breg5, 16, DW_OP_deref, DW_OP_plus_uconst, 8,
	       DW_OP_stack_value);
	EXPECT(LOC_OK, "always 5", DW_OP_lit2, DW_OP_lit3, DW_OP_plus, DW_OP_stack_value);
	EXPECT(LOC_OK, "computed: (%rax&0xf)", DW_OP_breg0, 0, DW_OP_lit15, DW_OP_and, DW_OP_stack_value);
	EXPECT(LOC_OK, "8 bytes: %rax, 8 bytes: optimised out", DW_OP_reg0, DW_OP_piece, 8, DW_OP_piece, 8);
	EXPECT(LOC_OK, "always bytes 01 02", DW_OP_implicit_value, 2, 1, 2);
	EXPECT(LOC_NONE, "", DW_OP_piece, 8);
	EXPECT(LOC_REFUSED, "two registers", DW_OP_breg0, 0, DW_OP_breg1, 0, DW_OP_plus, DW_OP_stack_value);
	EXPECT(LOC_REFUSED, "comparison", DW_OP_breg0, 0, DW_OP_lit1, DW_OP_lt, DW_OP_stack_value);
	EXPECT(LOC_REFUSED, "damaged", DW_OP_plus);
	EXPECT(LOC_REFUSED, "damaged", DW_OP_const8u, 1, 2);
	EXPECT(LOC_REFUSED, "not known", 0xee);
	expect(entry, sizeof(entry), true, LOC_OK, "%rdi");
	expect(entry, sizeof(entry), false, LOC_REFUSED, "the value that %rdi had at the entry");
}

/* ------------------------------------------------------------------ finding */

static void put_tree(const char *path)
{
	char command[512];

	snprintf(command, sizeof(command), "mkdir -p %s/root$(dirname %s) && cp %s %s/root%s", dir, path,
		 "/proc/$PPID/exe", dir, path);
	assert_int_equal(system(command), 0);
}

static void test_find(void **state)
{
	char root[96];
	struct debug_wish wish = { .root = root, .release = "6.1.0-test" };
	struct debug_error err;
	struct image *image;

	snprintf(root, sizeof(root), "%s/root", dir);
	assert_null(debug_find(&wish, &err));
	assert_contains(err.text, "no debug information of kernel 6.1.0-test");
	put_tree("/usr/lib/debug/lib/modules/6.1.0-test/vmlinux");
	image = debug_find(&wish, &err);
	assert_non_null(image);
	wish.id = image->id;
	image_close(image);
	image = debug_find(&wish, &err);
	assert_non_null(image);
	image_close(image);
	wish.id.len = 20;
	wish.id.bytes[0] ^= 1;
	assert_null(debug_find(&wish, &err));
	assert_contains(err.text, "another build");
	assert_one_line(err.text);
}

/* Write this program again, as the file of a module. */
static void put_module(const char *name)
{
	char command[512];

	snprintf(command, sizeof(command), "mkdir -p %s/own && cp /proc/$PPID/exe %s/own/%s", dir, dir, name);
	assert_int_equal(system(command), 0);
}

static void check_found(const struct debug_wish *wish, const char *file)
{
	struct debug_error err = { .text = "" };
	struct image *image = debug_find(wish, &err);

	if (!image)
		fail_msg("%s: %s", file, err.text);
	assert_contains(image->path, file);
	image_close(image);
}

static void check_lacks(const struct debug_wish *wish, const char *why)
{
	struct debug_error err = { .text = "" };

	assert_null(debug_find(wish, &err));
	assert_contains(err.text, why);
	assert_one_line(err.text);
}

/* A module loaded by insmod is found by its build id, in the current directory or in the given file. */
static void test_own_module(void **state)
{
	char root[96], here[96], named[128];
	const char *files[] = { "/etc/passwd", named };
	struct debug_wish wish = { .root = root, .release = "6.1.0-own", .module = "my_module", .directory = here };
	struct debug_error err;
	struct image *image = image_open("/proc/self/exe", &err);

	assert_non_null(image);
	wish.id = image->id;
	image_close(image);
	snprintf(root, sizeof(root), "%s/nothing", dir);
	snprintf(here, sizeof(here), "%s/own", dir);
	snprintf(named, sizeof(named), "%s/own/named", dir);
	check_lacks(&wish, "no debug information of module my_module, which would give source lines, inlined copies and variables by name: give its file, built with debug information: ktrace --module FILE");
	put_module("named");
	check_lacks(&wish, "ktrace --module FILE");
	wish.modules = files;
	wish.nr_modules = ARRAY_SIZE(files);
	check_found(&wish, "own/named");
	wish.nr_modules = 0;
	put_module("another-name.ko");
	check_found(&wish, "own/another-name.ko");
	/* A file with another build id: reported if it has the name. */
	wish.id.bytes[0] ^= 1;
	check_lacks(&wish, "ktrace --module FILE");
	put_module("my-module.ko");
	check_lacks(&wish, "own/my-module.ko belongs to another build");
	wish.id.len = 0;
	check_lacks(&wish, "has no build id to compare with");
}

static void test_trust(void **state)
{
	assert_true(own_module_trusts(0, 1000, NULL));
	assert_true(own_module_trusts(1000, 1000, NULL));
	assert_false(own_module_trusts(1001, 1000, NULL));
	assert_false(own_module_trusts(1001, 0, NULL));
	assert_false(own_module_trusts(1001, 0, ""));
	assert_false(own_module_trusts(1001, 0, "1001x"));
	assert_false(own_module_trusts(1001, 0, "1000"));
	assert_true(own_module_trusts(1001, 0, "1001"));
	/* A user who is not root can write anything into that variable. */
	assert_false(own_module_trusts(1001, 1000, "1001"));
	assert_true(own_module_is_named("/a/xt-tcp.ko.xz", "xt_tcp"));
	assert_true(own_module_is_named("xt_tcp.ko.debug", "xt_tcp"));
	assert_false(own_module_is_named("xt_tcp2.ko", "xt_tcp"));
}

static void test_wrong_file(void **state)
{
	struct debug_error err;

	assert_null(image_open("/etc/passwd", &err));
	assert_contains(err.text, "not an ELF file");
	assert_null(image_open("/nonexistent", &err));
	assert_contains(err.text, "No such file");
	assert_null(dbindex_open("/etc/passwd", &err));
	assert_contains(err.text, "not an index");
}

static bool end_by(const void *arg, int fd, struct debug_error *err)
{
	const int *sig = arg;

	signal(*sig, SIG_DFL);	/* nohup(1) has the tests ignore SIGHUP */
	raise(*sig);
	return false;
}

/* If the indexing process is killed, that says nothing about the file. */
static void test_killed_indexer(void **state)
{
	static const struct {
		int signal;
		const char *said, *unsaid;
	} rows[] = {
		{ SIGKILL, "indexing vmlinux was killed by signal 9 (SIGKILL): if memory was short", "damaged" },
		{ SIGHUP, "was killed by signal 1 (SIGHUP)", "damaged" },
		{ SIGSEGV, "the indexer was ended by signal 11 (SIGSEGV): is its debug information damaged? Install it again", "killed" },
		{ SIGXCPU, "cannot be indexed in 1200 s of CPU time", "killed" },
		{ SIGTERM, "was interrupted", "damaged" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct debug_error err;

		assert_false(build_in_sandbox(end_by, &rows[i].signal, "vmlinux", -1, NULL, &err));
		assert_contains(err.text, rows[i].said);
		assert_null(strstr(err.text, rows[i].unsaid));
		assert_one_line(err.text);
	}
}

/* The header is written last, and must not hide that a part of the rest could not be written. */
static void test_full_disk(void **state)
{
	struct debug_error err = { .text = "" };
	struct image *image = image_open("/proc/self/exe", &err);
	int fd = memfd_create("index", MFD_CLOEXEC);
	struct rlimit limit, small = { .rlim_cur = 100000 };

	assert_non_null(image);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small.rlim_max = limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_false(dbindex_build(image, NULL, 1, fd, NULL, &err));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_contains(err.text, "is the disk full?");
	assert_true(err.is_unwritten);
	image_close(image);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_function), cmocka_unit_test(test_lines), cmocka_unit_test(test_members),
		cmocka_unit_test(test_enum), cmocka_unit_test(test_cut_off), cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_locations), cmocka_unit_test(test_find), cmocka_unit_test(test_wrong_file),
		cmocka_unit_test(test_own_module), cmocka_unit_test(test_trust),
		cmocka_unit_test(test_killed_indexer), cmocka_unit_test(test_full_disk),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
