// SPDX-License-Identifier: GPL-2.0-or-later
/* test_kept.c - files that keep something: what is not whole, not ours, or of another key is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/base/kept.h"

#define KEY	"0123456789abcdef0123456789abcdef"
#define OTHER	"0123456789abcdef0123456789abcdee"

static char dir[] = "/tmp/ktrace-kept-XXXXXX", file[64];
_Alignas(16) static const char content[] = "some bytes, more than one step of the sum has, and not a whole number of steps";

static int setup(void **state)
{
	(void)state;
	strcpy(strrchr(dir, '-'), "-XXXXXX");
	snprintf(file, sizeof(file), "%s/thing", mkdtemp(dir));
	return kept_write(dir, "thing", KEY, content, sizeof(content)) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	unlink(file);
	return rmdir(dir);
}

static bool is_there(const char *key)
{
	size_t size = 0;
	void *p = kept_map(dir, "thing", key, NULL, &size);
	bool same = p && size == sizeof(content) && !memcmp(p, content, size);

	if (p)
		assert_true(same);
	if (p)
		munmap(p, size);
	return p;
}

static void test_kept(void **state)
{
	struct stat st;

	(void)state;
	assert_true(is_there(KEY));
	assert_false(is_there(OTHER));
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_true(kept_write(dir, "thing", OTHER, content, sizeof(content)));
	assert_true(is_there(OTHER));
	assert_false(is_there(KEY));
}

static void test_each_bit(void **state)
{
	int fd = open(file, O_RDWR);
	struct stat st;
	char byte;

	(void)state;
	assert_int_equal(fstat(fd, &st), 0);
	for (off_t bit = 0; bit < 8 * st.st_size; bit++) {
		assert_int_equal(pread(fd, &byte, 1, bit / 8), 1);
		byte ^= 1 << bit % 8;
		assert_int_equal(pwrite(fd, &byte, 1, bit / 8), 1);
		assert_false(is_there(KEY));
		byte ^= 1 << bit % 8;
		assert_int_equal(pwrite(fd, &byte, 1, bit / 8), 1);
	}
	close(fd);
	assert_true(is_there(KEY));
}

static void test_each_length(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(stat(file, &st), 0);
	for (off_t size = st.st_size + 1; size-- > 0;) {
		assert_int_equal(is_there(KEY), size == st.st_size);
		if (size)
			assert_int_equal(truncate(file, size - 1), 0);
	}
	assert_true(kept_write(dir, "thing", KEY, content, sizeof(content)));
	assert_int_equal(truncate(file, st.st_size + 1), 0);
	assert_false(is_there(KEY));
}

/* Whoever could write the file, or replace it, is not believed. */
static void test_others(void **state)
{
	(void)state;
	assert_int_equal(chmod(file, 0620), 0);
	assert_false(is_there(KEY));
	assert_int_equal(chmod(file, 0644), 0);
	assert_true(is_there(KEY));
	assert_int_equal(chmod(dir, 0777), 0);
	assert_false(is_there(KEY));
	assert_false(kept_write(dir, "thing", KEY, content, sizeof(content)));
	assert_int_equal(chmod(dir, 0700), 0);
	if (geteuid())
		return;
	assert_int_equal(chown(file, 1, 1), 0);
	assert_false(is_there(KEY));
	assert_true(kept_write(dir, "thing", KEY, content, sizeof(content)));
	assert_true(is_there(KEY));
	assert_int_equal(chown(dir, 1, 1), 0);
	assert_false(is_there(KEY));
	assert_int_equal(chown(dir, 0, 0), 0);
}

/* The next writer overwrites the temporary file of a killed one.  While a writer has the lock, others write nothing. */
static void test_writers(void **state)
{
	char made[64];
	int fd;

	(void)state;
	snprintf(made, sizeof(made), "%s/.thing.new", dir);
	fd = open(made, O_RDWR | O_CREAT, 0600);
	assert_int_equal(write(fd, dir, sizeof(dir)), sizeof(dir));
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_false(kept_write(dir, "thing", OTHER, content, sizeof(content)));
	assert_true(is_there(KEY));
	close(fd);
	assert_true(kept_write(dir, "thing", OTHER, content, sizeof(content)));
	assert_true(is_there(OTHER));
	assert_int_equal(access(made, F_OK), -1);
	/* If something else has the temporary name, here a FIFO, it is removed. */
	assert_int_equal(mkfifo(made, 0600), 0);
	assert_false(kept_write(dir, "thing", KEY, content, sizeof(content)));
	assert_true(kept_write(dir, "thing", KEY, content, sizeof(content)));
	assert_true(is_there(KEY));
}

static void test_no_file(void **state)
{
	char link[64];

	(void)state;
	snprintf(link, sizeof(link), "%s/link", dir);
	assert_int_equal(symlink(file, link), 0);
	assert_null(kept_map(dir, "link", KEY, NULL, &(size_t){ 0 }));
	unlink(link);
	assert_int_equal(mkfifo(link, 0600), 0);
	assert_null(kept_map(dir, "link", KEY, NULL, &(size_t){ 0 }));
	unlink(link);
	assert_null(kept_map(dir, "nothing", KEY, NULL, &(size_t){ 0 }));
	assert_null(kept_map("/nonexistent", "thing", KEY, NULL, &(size_t){ 0 }));
	assert_false(kept_write("/nonexistent/below", "thing", KEY, content, sizeof(content)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(test_each_bit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_each_length, setup, teardown),
		cmocka_unit_test_setup_teardown(test_others, setup, teardown),
		cmocka_unit_test_setup_teardown(test_writers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_file, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
