// SPDX-License-Identifier: GPL-2.0-or-later
/* test_index_job.c - an index is made in the background, once, and whoever needs it waits for it. */
#include "unit.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbols/index/dbindex.h"
#include "symbols/query/debug.h"
#include "symbols/query/debug_cache.h"
#include "symbols/query/index_job.h"

static char dir[] = "/tmp/ktrace-job-XXXXXX", path[64];
static struct image *image, *empty;

static const char *beside(const char *end)
{
	static char name[80];

	snprintf(name, sizeof(name), "%s%s", path, end);
	return name;
}

static bool exists(const char *name)
{
	return !access(name, F_OK);
}

/* The test itself has enough debug information to take a moment; the file without any is a part of it. */
static int open_images(void **state)
{
	struct debug_error err = { .text = "" };

	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/made.index", dir);
	image = image_open("/proc/self/exe", &err);
	empty = image_open("/bin/true", &err);
	return !image || !empty;
}

static int close_images(void **state)
{
	char command[64];

	image_close(image);
	image_close(empty);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static int remove_made(void **state)
{
	unlink(path);
	unlink(beside(".job"));
	unlink(beside(".new"));
	return 0;
}

static struct index_job job_of(const struct image *of)
{
	return (struct index_job){ .image = of, .path = path, .threads = 1 };
}

static void assert_made(void)
{
	struct debug_error err = { .text = "" };
	struct dbindex *ix = dbindex_open(path, &err);

	assert_string_equal(err.text, "");
	assert_true(build_id_equal(&dbindex_header(ix)->id, &image->id));
	dbindex_close(ix);
	assert_false(exists(beside(".job")));
	assert_false(exists(beside(".new")));
	assert_false(index_job_is_running(path));
}

static void await_end(void)
{
	for (int i = 0; i < 600 && index_job_is_running(path); i++)
		poll(NULL, 0, 100);
}

/* ---------------------------------------------------------------------- tests */

static uint64_t shown;

static void show(void *arg, uint64_t done, uint64_t of)
{
	assert_true(done <= of);
	shown += done < of;
}

static unsigned int begun;

static void count_begun(void *arg, int pid)
{
	assert_true(pid > 0 && pid != getpid());
	begun++;
}

static void test_run(void **state)
{
	struct index_job job = job_of(image);
	struct debug_error err = { .text = "" };

	job.watch.show = show;
	job.began = count_begun;
	assert_int_equal(index_job_run(&job, &err), JOB_MADE);
	assert_string_equal(err.text, "");
	assert_true(begun == 2 || !begun);	/* on a very busy machine it is not waited for */
	assert_made();
	unlink(path);
	assert_int_equal(index_job_here(&job, &err), JOB_MADE);
	assert_true(shown);
	assert_made();
}

static ino_t inode(void)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_ino;
}

/* Each tells the file that it has got: a second index would be another one. */
static void run_and_tell(int pipe)
{
	const struct index_job job = job_of(image);
	struct debug_error err;
	const bool ok = index_job_run(&job, &err) == JOB_MADE;
	const ino_t made = inode();

	_exit(!ok || write(pipe, &made, sizeof(made)) != sizeof(made));
}

static void test_once(void **state)
{
	enum { PROCESSES = 5 };
	int told[2], status;
	ino_t made;

	assert_int_equal(pipe(told), 0);
	for (int i = 0; i < PROCESSES; i++)
		if (!fork())
			run_and_tell(told[1]);
	for (int i = 0; i < PROCESSES; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	for (int i = 0; i < PROCESSES; i++) {
		assert_int_equal(read(told[0], &made, sizeof(made)), sizeof(made));
		assert_int_equal(made, inode());
	}
	close(told[0]);
	close(told[1]);
	assert_made();
}

static bool stop(void *arg)
{
	return true;
}

/* Who stops to wait, as by Ctrl-C, ends the wait only. */
static void test_left(void **state)
{
	struct index_job job = job_of(image);
	struct debug_error err = { .text = "" };

	job.stops = stop;
	assert_int_equal(index_job_run(&job, &err), JOB_LEFT);
	assert_contains(err.text, "goes on in the background");
	assert_one_line(err.text);
	await_end();
	assert_made();
}

/* It has begun, and waits. */
static bool tell_waits(void *arg)
{
	return write(*(int *)arg, "", 1) < 0;
}

/* The process that began it is killed, with all of its group, as by closing the terminal. */
static void test_killed_waiter(void **state)
{
	struct index_job job = job_of(image);
	int waits[2], status;
	char byte;
	pid_t pid;

	assert_int_equal(pipe(waits), 0);
	job.stops = tell_waits;
	job.watch.arg = &waits[1];
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		_exit(index_job_run(&job, NULL));
	}
	close(waits[1]);
	assert_int_equal(read(waits[0], &byte, 1), 1);
	kill(-pid, SIGKILL);
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status));
	close(waits[0]);
	await_end();
	assert_made();
}

/* Does a pipe end while the background process runs, which has been started with it? */
static bool pipe_ends(const struct index_job *job)
{
	struct pollfd end = { .events = POLLIN };
	bool is_running;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_true(index_job_begin(job));
	close(ends[1]);
	end.fd = ends[0];
	assert_int_equal(poll(&end, 1, 60000), 1);
	is_running = index_job_is_running(path);
	close(ends[0]);
	await_end();
	assert_made();
	return is_running;
}

/* It holds nothing that others wait for the end of.  On a busy machine it may end before we look. */
static void test_lets_go(void **state)
{
	struct index_job job = job_of(image);
	bool ends = false;

	job.is_ahead = true;
	for (int tries = 0; tries < 10 && !ends; tries++)
		ends = pipe_ends(&job);
	assert_true(ends);
}

/* What a killed process leaves is used by nobody. */
static void test_left_over(void **state)
{
	const struct index_job job = job_of(image);
	FILE *file = fopen(beside(".job"), "we");
	struct debug_error err = { .text = "" };

	fprintf(file, "%5000s", "");
	fclose(file);
	file = fopen(beside(".new"), "we");
	fprintf(file, "%50000s", "");
	fclose(file);
	assert_false(index_job_is_running(path));
	assert_int_equal(index_job_run(&job, &err), JOB_MADE);
	assert_made();
}

/* The one that makes it is killed: whoever waits is told so, and the next one makes it anew. */
static void test_killed_maker(void **state)
{
	const struct index_job job = job_of(image);
	struct debug_error err = { .text = "" };
	int fd = open(beside(".job"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	assert_int_equal(flock(fd, LOCK_EX), 0);
	if (!fork()) {
		poll(NULL, 0, 200);
		_exit(0);
	}
	close(fd);
	assert_int_equal(index_job_run(&job, &err), JOB_FAILED);
	assert_contains(err.text, "was killed: try again");
	assert_int_equal(index_job_run(&job, &err), JOB_MADE);
	wait(NULL);
	assert_made();
}

static void test_failed(void **state)
{
	const struct index_job job = job_of(empty);
	struct debug_error err = { .text = "" };

	assert_int_equal(index_job_run(&job, &err), JOB_FAILED);
	assert_contains(err.text, "has no debug information");
	assert_int_equal(index_job_here(&job, &err), JOB_FAILED);
	assert_contains(err.text, "has no debug information");
	assert_false(exists(path));
	assert_false(exists(beside(".job")));
	assert_false(exists(beside(".new")));
}

static void test_impossible(void **state)
{
	struct index_job job = job_of(image);
	struct debug_error err = { .text = "" };

	job.path = "/proc/no/such/directory/index";
	assert_int_equal(index_job_run(&job, &err), JOB_IMPOSSIBLE);
	assert_int_equal(index_job_here(&job, &err), JOB_IMPOSSIBLE);
	assert_false(index_job_begin(&job));
	assert_false(index_job_is_running(job.path));
	/* The job's file can be made, but that of the index cannot. */
	assert_int_equal(mkdir(beside(".new"), 0700), 0);
	job.path = path;
	assert_int_equal(index_job_run(&job, &err), JOB_IMPOSSIBLE);
	assert_int_equal(index_job_here(&job, &err), JOB_IMPOSSIBLE);
	assert_contains(err.text, "cannot be kept there");
	assert_int_equal(rmdir(beside(".new")), 0);
	assert_false(exists(beside(".job")));
}

/* ---------------------------------------------------------------------- ahead */

static bool find_main(const struct image_symbol *symbol, void *arg)
{
	if (!strcmp(symbol->name, "main"))
		*(uint64_t *)arg = symbol->addr;
	return true;
}

static struct debug *open_debug(bool is_ahead)
{
	const struct debug_options options = { .file = "/proc/self/exe", .cache = dir, .threads = 1, .is_ahead = is_ahead };

	return debug_open(&options);
}

/* A question about an address is answered from a part. */
static struct debug_unit *ask(struct debug *debug)
{
	struct debug_error err = { .text = "" };
	struct debug_unit *unit = debug_unit(debug, "", &err);
	uint64_t addr = 0;

	assert_non_null(unit);
	image_symbols(debug_unit_image(unit), find_main, &addr);
	assert_non_null(debug_index_at(unit, addr, &err));
	return unit;
}

static void forget(void)
{
	struct debug_key key = debug_key_of_kernel(image);
	char name[200];

	assert_true(debug_cache_path(dir, &key, name, sizeof(name)));
	unlink(name);
}

/* At the prompt it begins the complete index, which later questions use; in a script it does not. */
static void test_ahead(void **state)
{
	struct debug *debug = open_debug(false);

	assert_null(debug_index_ready(ask(debug)));
	poll(NULL, 0, 50);
	assert_null(debug_index_ready(ask(debug)));
	debug_close(debug);
	debug = open_debug(true);
	for (int i = 0; i < 600 && !debug_index_ready(ask(debug)); i++)
		poll(NULL, 0, 100);
	assert_non_null(debug_index_ready(ask(debug)));
	debug_close(debug);
	debug = open_debug(false);
	assert_non_null(debug_index_ready(ask(debug)));
	debug_close(debug);
	forget();
}

/* A question that needs all waits, and uses what was made. */
static void test_whole(void **state)
{
	struct debug_error err = { .text = "" };
	struct debug *debug = open_debug(false);
	struct debug_unit *unit = ask(debug);

	assert_non_null(debug_index(unit, &err));
	assert_ptr_equal(debug_index(unit, &err), debug_index_ready(unit));
	debug_close(debug);
	debug = open_debug(false);
	assert_non_null(debug_index_ready(ask(debug)));
	debug_close(debug);
	forget();
}

#define TEST(name)	cmocka_unit_test_teardown(name, remove_made)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_run), TEST(test_once), TEST(test_left), TEST(test_killed_waiter), TEST(test_lets_go),
		TEST(test_left_over), TEST(test_killed_maker), TEST(test_failed), TEST(test_impossible),
		TEST(test_ahead), TEST(test_whole),
	};

	return cmocka_run_group_tests(tests, open_images, close_images);
}
