// SPDX-License-Identifier: GPL-2.0-or-later
/* test_series.c - directories of traces that follow one another; and the options of `record` that ask for them. */
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/live/measure/oneshot.h"
#include "ctl/trace/saved/save_dir.h"
#include "ctl/trace/saved/saved.h"
#include "ctl/trace/saved/series.h"

static char dir[64];
static struct error err;

/* A trace with a file of that many bytes. */
static void make_part(struct series *series, size_t bytes, uint64_t records)
{
	AUTO_FREE char *part = series_next(series);
	AUTO_FREE char *path = mem_printf("%s/cpu0", part);
	const struct disk_totals totals = { .records = records, .lost = 1, .bytes = bytes };
	char *moved = NULL;
	int fd;

	close(save_dir_create(part, &moved, &err));
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0 && ftruncate(fd, bytes) == 0);
	close(fd);
	series_add(series, &totals);
}

static bool is_there(const char *part)
{
	AUTO_FREE char *path = mem_printf("%s/%s", dir, part);

	return access(path, F_OK) == 0;
}

static void test_removed(void **state)
{
	struct series *series = series_create(dir, &err);
	struct series_totals totals;

	assert_non_null(series);
	make_part(series, 1000, 10);
	make_part(series, 2000, 20);
	make_part(series, 3000, 30);
	/* Each has a lock file with a process id, too. */
	assert_true(series_shrink(series, 100, 10000));
	assert_true(is_there("0001"));
	assert_true(series_shrink(series, 4500, 10000));
	assert_false(is_there("0001"));
	assert_true(is_there("0002"));
	totals = series_totals(series);
	assert_int_equal(totals.records, 50);
	assert_int_equal(totals.lost, 2);
	assert_int_equal(totals.bytes, 5000);
	assert_int_equal(totals.parts, 2);
	assert_int_equal(totals.removed, 1);
	assert_contains(totals.newest, "/0003");
	/* All of them are not enough. */
	assert_false(series_shrink(series, 10001, 10000));
	assert_false(is_there("0003"));
	assert_int_equal(series_totals(series).removed, 3);
	make_part(series, 10, 1);
	assert_true(is_there("0004"));
	series_free(series);
	assert_true(is_there("0004"));
}

/* Who gives the whole directory hears of its parts. */
static void test_newest(void **state)
{
	struct series *series = series_create(dir, &err);
	AUTO_FREE char *none = series_newest(dir);

	assert_null(none);
	for (int i = 0; i < 3; i++)
		make_part(series, 10, 1);
	assert_null(saved_open(dir, &err));
	assert_contains(err.text, ": a series of traces: give one of them, such as /");
	assert_contains(err.text, "/0003");
	series_free(series);
	assert_null(saved_open("/nonexistent", &err));
	assert_contains(err.text, "no such directory");
}

/* A part that could not begin leaves its number to the next. */
static void test_undo(void **state)
{
	struct series *series = series_create(dir, &err);

	free(series_next(series));
	series_undo(series);
	make_part(series, 10, 1);
	assert_true(is_there("0001"));
	assert_int_equal(series_totals(series).number, 1);
	assert_null(series_create(dir, &err));
	assert_contains(err.text, "exists, and is not empty");
	assert_true(series_shrink(series, 0, 1));
	series_free(series);
}

static struct oneshot parse(const char *option, const char *value, bool *ok)
{
	char *words[] = { "record", (char *)option, (char *)value };
	struct words line = { .v = words, .n = 3 };
	struct session s;
	struct oneshot o;

	session_init(&s);
	*ok = oneshot_parse(&s, &line, &record_flags, &o, &err);
	oneshot_free(&o);
	return o;
}

static void refused(const char *option, const char *value, const char *said)
{
	bool ok;

	parse(option, value, &ok);
	assert_false(ok);
	assert_contains(err.text, said);
	assert_one_line(err.text);
}

static void test_options(void **state)
{
	refused("--rotate", "7", "neither a size nor a time");
	refused("--rotate", "1X", "neither a size nor a time");
	refused("--rotate", "1000K", "too small: give at least 1M");
	refused("--rotate", "999ms", "too short: give at least 1s");
	refused("--max-size", "2s", "not a size");
	refused("--max-size", "2K", "too small");
}

static int begin_dir(void **state)
{
	strcpy(dir, "/tmp/ktrace-series-XXXXXX");
	return !mkdtemp(dir);
}

static int end_dir(void **state)
{
	for (int i = 1; i < 9; i++) {
		AUTO_FREE char *part = mem_printf("%s/%04d", dir, i);

		save_dir_remove(part);
	}
	rmdir(dir);
	return access(dir, F_OK) == 0;
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin_dir, end_dir)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_removed), TEST(test_newest), TEST(test_undo), TEST(test_options) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
