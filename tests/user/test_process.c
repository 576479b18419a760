// SPDX-License-Identifier: GPL-2.0-or-later
/* test_process.c - children of every kind, threads that come and go, and libraries that do: what is recorded of them. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/trace/saved/saved.h"
#include "process_modes.h"
#include "tests/unit/unit.h"

/* ------------------------------------------------------------------------ reading */

struct seen {
	unsigned int nr, wrong_pid, sites;	/* sites: that the last process has */
	unsigned int wrong_thread;		/* of an event that has the thread's id */
	uint64_t sum;
	char names[512];
};

static void see(const struct recorded *event, void *arg)
{
	struct seen *seen = arg;

	seen->nr++;
	seen->sites = event->sites;
	seen->sum += event->first;
	/* Nearly every process here has one thread. */
	seen->wrong_pid += event->pid != event->thread;
	seen->wrong_thread += !strcmp(event->name, "number") && event->first != event->thread;
	if (strlen(seen->names) < 400)
		sprintf(seen->names + strlen(seen->names), "%s ", event->name);
}

static struct recorded_totals run(const char *mode, const char *const *variables, struct seen *seen)
{
	struct recorded_totals totals;
	const int status = recorded_run(mode, variables);

	if (status || *recorded_errors)
		fail_msg("status %d: %s", status, recorded_errors);
	*seen = (struct seen){ 0 };
	recorded_read(see, seen, &totals);
	free(recorded_text());
	return totals;
}

static void test_fork(void **state)
{
	struct seen seen;
	struct recorded_totals totals = run("forks", NULL, &seen);

	assert_int_equal(totals.files, 7);
	assert_int_equal(seen.nr, 8);
	assert_int_equal(seen.wrong_pid, 0);
	assert_int_equal(seen.sum, 1 + 2 + 33 + 303);
	totals = run("raw_fork", NULL, &seen);
	assert_int_equal(totals.files, 2);
	assert_int_equal(seen.nr, 2);
	assert_int_equal(seen.wrong_pid, 0);
	totals = run("fork_with_thread", NULL, &seen);
	assert_int_equal(seen.nr, 3);
	assert_int_equal(seen.wrong_thread, 0);
}

static void check_site(const struct recorded *event, void *arg)
{
	AUTO_FREE char *name = mem_printf("s%u", event->first);

	assert_string_equal(event->name, name);
	++*(unsigned int *)arg;
}

/* Whenever a process forks, each event has the description of its site. */
static void test_many_forks(void **state)
{
	const char *given = getenv("FORKS"), *seed = getenv("SEED");
	const unsigned int forks = given ? atoi(given) : ROUNDS, first = seed ? atoi(seed) : getpid();

	print_message("FORKS=%u SEED=%u\n", forks, first);
	for (unsigned int done = 0; done < forks; done += ROUNDS) {
		const unsigned int rounds = forks - done < ROUNDS ? forks - done : ROUNDS;
		AUTO_FREE char *count = mem_printf("ROUNDS=%u", rounds), *from = mem_printf("SEED=%u", first + 3 * done);
		const char *const variables[] = { "KTRACE_SIZE=16K", from, count, NULL };
		struct recorded_totals totals;
		unsigned int nr = 0;

		assert_int_equal(recorded_run("many_forks", variables), 0);
		assert_string_equal(recorded_errors, "");
		recorded_read(check_site, &nr, &totals);
		assert_int_equal(nr, 3 * SITES * rounds);
		assert_int_equal(totals.lost, 0);
		free(recorded_text());
	}
}

static void take_note(void *arg, const char *text)
{
	snprintf((char *)arg + strlen(arg), 900, "%s\n", text);
}

static unsigned int lines_of(const char *text)
{
	unsigned int n = 0;

	while ((text = strchr(text, '\n')))
		text++, n++;
	return n;
}

static char *some_file(void)
{
	DIR *dir = opendir(recorded_dir);
	struct dirent *entry;
	char *path = NULL;

	while (!path && (entry = readdir(dir)))
		if (strstr(entry->d_name, USER_FILE_SUFFIX))
			path = mem_printf("%s/%s", recorded_dir, entry->d_name);
	closedir(dir);
	return path;
}

static void spoil(int fd, off_t at)
{
	assert_int_equal(pwrite(fd, "\xff\xff\xff\xff", 4, at), 4);
}

/* Of all its rings the newest packets, if they are in the first sub-buffer. */
static void spoil_rings(int fd, const char *path)
{
	struct error err;
	struct user_file *file = user_file_open(path, &err);

	assert_non_null(file);
	for (uint32_t i = 0; i < user_file_rings(file); i++)
		if (file->ends[i].used)
			spoil(fd, file->head.rings_off + i * file->head.ring_stride + KTU_PAGE);
	user_file_close(file);
}

/* On the disk a file has the rings of the CPUs that the process may use, and little else, however large it looks. */
static void test_holes(void **state)
{
	struct seen seen;
	struct dirent *entry;
	unsigned int files = 0;
	DIR *dir;

	run("forks", NULL, &seen);
	dir = opendir(recorded_dir);
	while ((entry = readdir(dir))) {
		AUTO_FREE char *path = mem_printf("%s/%s", recorded_dir, entry->d_name);
		struct user_file *file;
		uint64_t used = 0;
		struct error err;
		struct stat st;

		if (!strstr(entry->d_name, USER_FILE_SUFFIX))
			continue;
		file = user_file_open(path, &err);
		assert_non_null(file);
		for (uint32_t i = 0; i < user_file_rings(file); i++)
			used += file->ends[i].used;
		assert_int_equal(stat(path, &st), 0);
		assert_true(512ULL * st.st_blocks <= used * file->head.ring_stride + (256 << 10));
		assert_true(512ULL * st.st_blocks < (uint64_t)st.st_size);
		user_file_close(file);
		files++;
	}
	closedir(dir);
	assert_int_equal(files, 7);
}

/* What is damaged is named, and hides nothing else. */
static void test_damaged(void **state)
{
	static const struct {
		off_t at;	/* 0: its rings */
		const char *what;
	} cases[] = {
		{ offsetof(struct ktu_file, version), "another version of libktrace" },
		{ KTU_PAGE + offsetof(struct ktu_desc, id), "a description is malformed" },
		{ offsetof(struct ktu_file, anchors), "its clock is impossible" },
		{ 0, "its newest packet is another one" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_FREE char *path = NULL, *text = NULL;
		char notes[4000] = "";
		struct seen seen;
		int fd;

		run("forks", NULL, &seen);
		path = some_file();
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (cases[i].at)
			spoil(fd, cases[i].at + (i == 2 ? 4 : 0));
		else
			spoil_rings(fd, path);
		close(fd);
		saved_tell(take_note, notes);
		text = recorded_text();
		saved_tell(NULL, NULL);
		assert_non_null(strstr(notes, path));
		assert_non_null(strstr(notes, cases[i].what));
		/* It has an event or two of eight. */
		assert_in_range(lines_of(text), 6, 7);
	}
}

static void test_exec(void **state)
{
	struct seen seen;
	struct recorded_totals totals = run("execs", NULL, &seen);

	assert_int_equal(totals.files, 2);
	assert_int_equal(seen.nr, 2);
	assert_int_equal(run("spawns", NULL, &seen).files, 1);
	assert_int_equal(seen.nr, 2);
}

/* Those of the child are lost, and counted. */
static void test_shared_memory(void **state)
{
	struct seen seen;
	struct recorded_totals totals = run("vforks", NULL, &seen);

	assert_int_equal(totals.files, 1);
	assert_string_equal(seen.names, "parent parent ");
	assert_int_equal(totals.lost, 1);
	totals = run("clones", NULL, &seen);
	assert_string_equal(seen.names, "parent parent ");
	assert_int_equal(totals.lost, 3);
}

static void test_storm(void **state)
{
	static const char *const fallback[] = { "GLIBC_TUNABLES=glibc.pthread.rseq=0", NULL };
	struct seen seen;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(run("storm", i ? fallback : NULL, &seen).lost, 0);
		assert_int_equal(seen.nr, STORM);
		assert_int_equal(seen.sum, STORM * (STORM - 1) / 2);
	}
}

static void test_jump(void **state)
{
	static const char *const fallback[] = { "GLIBC_TUNABLES=glibc.pthread.rseq=0", NULL };
	struct seen seen;

	run("jumps", NULL, &seen);
	run("jumps", fallback, &seen);
}

static void test_library(void **state)
{
	struct seen seen;
	char variable[512];
	const char *const variables[] = { variable, NULL };
	char path[400] = "";

	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	*strrchr(path, '/') = '\0';
	snprintf(variable, sizeof(variable), "TEST_LIBRARY=%s/library.so", path);
	run("libraries", variables, &seen);
	assert_int_equal(seen.nr, LOADS);
	assert_int_equal(seen.sum, LOADS * (LOADS - 1) / 2);
	assert_int_equal(seen.sites, 1);
}

static void test_close(void **state)
{
	struct seen seen;

	assert_int_equal(run("closes", NULL, &seen).lost, 0);
	assert_true(seen.nr >= 1);
}

static void test_opened(void **state)
{
	struct seen seen;

	run("opened", NULL, &seen);
	assert_int_equal(seen.nr, 2);
	assert_int_equal(seen.sum, 1 + 2);
}

static int drop(void **state)
{
	recorded_drop();
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_fork, drop), cmocka_unit_test_teardown(test_many_forks, drop), cmocka_unit_test_teardown(test_damaged, drop),
		cmocka_unit_test_teardown(test_holes, drop), cmocka_unit_test_teardown(test_exec, drop),
		cmocka_unit_test_teardown(test_shared_memory, drop), cmocka_unit_test_teardown(test_storm, drop),
		cmocka_unit_test_teardown(test_jump, drop), cmocka_unit_test_teardown(test_library, drop),
		cmocka_unit_test_teardown(test_close, drop), cmocka_unit_test_teardown(test_opened, drop),
	};

	recorded_main(argc, argv, process_modes, nr_process_modes);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
