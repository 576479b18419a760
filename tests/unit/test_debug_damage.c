// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_debug_damage.c - small files with debug information, cut at 200 positions and with bytes changed at as
 * many: one line says what is wrong, or the rest is used.
 *
 * The files are the first inputs of the fuzzer; their first byte does not belong to them.
 */
#include "unit.h"

#include <sanitizer/common_interface_defs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/build/dbindex_build.h"
#include "symbols/index/line.h"
#include "symbols/index/scope.h"
#include "symbols/index/type.h"
#include "symbols/query/debug.h"

#define CORPUS	"tests/fuzz/corpus-elf/seed-image-"
#define PLACES	200

static const char *const files[] = {
	CORPUS "dwarf5", CORPUS "dwarf4", CORPUS "compressed", CORPUS "module", CORPUS "module-compressed",
};

struct bytes_of {
	uint8_t v[16384];
	size_t n;
};

static void slurp(const char *path, struct bytes_of *out)
{
	FILE *file = fopen(path, "re");

	if (!file)
		fail_msg("%s cannot be read", path);
	fgetc(file);
	out->n = fread(out->v, 1, sizeof(out->v), file);
	fclose(file);
	assert_in_range(out->n, 1000, sizeof(out->v) - 1);
}

static const char *put(const uint8_t *data, size_t len, int *fd)
{
	static char path[32];

	*fd = memfd_create("damaged", MFD_CLOEXEC);
	assert_true(*fd >= 0);
	assert_int_equal(write(*fd, data, len), len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", *fd);
	return path;
}

static void one_line(const struct debug_error *err)
{
	assert_true(*err->text);
	assert_one_line(err->text);
}

/* --------------------------------------------------------------------- ask */

/* True if a sanitizer ended the process that makes the index. */
static bool *is_faulty;

static void die(void)
{
	*is_faulty = true;
}

static void ask(const struct dbindex *ix)
{
	struct ix_line line;
	struct type type;
	char text[100];
	size_t n;

	dbindex_rows(ix, PART_FUNCS, struct ix_func, &n);
	for (size_t i = 0; i < n; i++)
		scope_free(scope_read(ix, dbindex_func(ix, i)));
	dbindex_rows(ix, PART_TYPES, uint64_t, &n);
	for (size_t i = 0; i < n; i++) {
		type_size(ix, i);
		if (type_resolve(ix, i, &type))
			type_spell(ix, i, text, sizeof(text));
	}
	for (uint32_t at = 0; at < 600; at += 7)
		dbindex_line_at(ix, at, &line);
}

/* Its standard error, where the sanitizers write, is contained. */
static bool make_index(const struct image *image, int fd, struct debug_error *err)
{
	int before = dup(STDERR_FILENO), nowhere = memfd_create("stderr", MFD_CLOEXEC);
	bool ok;

	dup2(nowhere, STDERR_FILENO);
	ok = dbindex_build(image, NULL, 1, fd, NULL, err);
	dup2(before, STDERR_FILENO);
	close(before);
	close(nowhere);
	return ok;
}

static bool index_of(const struct image *image)
{
	int fd = memfd_create("index", MFD_CLOEXEC);
	struct debug_error err = { .text = "" };
	struct dbindex *ix = NULL;

	*is_faulty = false;
	if (make_index(image, fd, &err))
		ix = dbindex_map(fd, "index", &err);
	if (ix)
		ask(ix);
	else
		one_line(&err);
	assert_false(*is_faulty);
	dbindex_close(ix);
	close(fd);
	return ix;
}

/* Returns true if the whole file was accepted as debug information. */
static bool try_file(const uint8_t *data, size_t len)
{
	struct debug_error err = { .text = "" };
	struct image *image;
	bool ok = false;
	int fd;

	image = image_open(put(data, len, &fd), &err);
	if (!image)
		one_line(&err);
	else if (image_has_dwarf(image))
		ok = index_of(image);
	image_close(image);
	close(fd);
	return ok;
}

static void test_whole(void **state)
{
	static struct bytes_of file;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		slurp(files[i], &file);
		assert_true(try_file(file.v, file.n));
	}
}

/* The table of sections is at the end of the file. */
static void test_cut_off(void **state)
{
	static struct bytes_of file;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		slurp(files[i], &file);
		for (size_t n = 0; n < PLACES; n++)
			assert_false(try_file(file.v, file.n * n / PLACES));
		assert_false(try_file(file.v, file.n - 1));
	}
}

static void test_changed(void **state)
{
	static const uint8_t masks[] = { 0xff, 0x01, 0x80 };
	static struct bytes_of file;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		slurp(files[i], &file);
		for (size_t n = 0; n < PLACES; n++) {
			const size_t at = file.n * n / PLACES;
			const uint8_t mask = masks[n % sizeof(masks)];

			file.v[at] ^= mask;
			try_file(file.v, file.n);
			file.v[at] ^= mask;
		}
	}
}

/* ------------------------------------------------------------------ builds */

static const struct {
	uint32_t head[3];
	char name[4];
	uint8_t id[20];
} note = { { 4, 20, 3 }, "GNU", { 1, 2, 3 } };

static void put_file(const char *path, const void *data, size_t len)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, len, file), len);
	fclose(file);
}

/* For a kernel that runs and differs; named as an image, and as an index of it. */
static void refuse(const char *root, const char *path)
{
	const struct debug_options options = {
		.root = root, .release = "6.1.0-test", .file = path, .is_live = true, .live_text = 0x1000,
	};
	struct debug *debug = debug_open(&options);
	struct debug_error err = { .text = "" };

	assert_null(debug_unit(debug, "", &err));
	assert_contains(err.text, "another build");
	one_line(&err);
	debug_close(debug);
}

static void test_wrong_build(void **state)
{
	char root[] = "/tmp/ktrace-damage-XXXXXX", path[64], command[128];
	static struct bytes_of file;
	struct debug_error err;
	struct image *image;

	assert_non_null(mkdtemp(root));
	snprintf(command, sizeof(command), "mkdir -p %s/sys/kernel", root);
	assert_int_equal(system(command), 0);
	snprintf(path, sizeof(path), "%s/sys/kernel/notes", root);
	put_file(path, &note, sizeof(note));
	slurp(CORPUS "dwarf5", &file);
	snprintf(path, sizeof(path), "%s/vmlinux", root);
	put_file(path, file.v, file.n);
	refuse(root, path);
	image = image_open(path, &err);
	assert_non_null(image);
	snprintf(path, sizeof(path), "%s/index", root);
	assert_true(dbindex_build_file(image, NULL, 1, path, NULL, &err));
	image_close(image);
	refuse(root, path);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole), cmocka_unit_test(test_cut_off), cmocka_unit_test(test_changed),
		cmocka_unit_test(test_wrong_build),
	};

	is_faulty = mmap(NULL, sizeof(*is_faulty), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (is_faulty == MAP_FAILED)
		return 1;
	__sanitizer_set_death_callback(die);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
