// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_kill.c - processes that are killed at random instants.  Their files can be read, and have every event whose
 * KTRACE() had returned, in the order of the program.  KILLS is their number.
 */
#include <ktrace/ktrace.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "recorded.h"
#include "tests/unit/unit.h"

#define THREADS	3
#define LIVE	20

/* Memory that outlives the writer. */
static struct shared {
	struct {
		uint32_t tid;
		uint32_t written;	/* events whose KTRACE() has returned */
	} threads[THREADS];
} *shared;

static unsigned int kills(void)
{
	const char *text = getenv("KILLS");

	return text ? atoi(text) : 500;
}

static void *write_numbers(void *arg)
{
	const size_t me = (size_t)arg;

	shared->threads[me].tid = syscall(SYS_gettid);
	for (uint32_t i = 0;; i++) {
		KTRACE(kill, number, i, "a text so that some take longer");
		__atomic_store_n(&shared->threads[me].written, i + 1, __ATOMIC_RELEASE);
		if (i % 64 == 63)
			KTRACE(kill, other);
	}
	return NULL;
}

/* A test that fails leaves by fail_msg(): then nobody kills this process, which would keep the pipe of its errors open. */
static void write_for_ever(void)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 1; i < THREADS; i++)
		pthread_create(&thread, NULL, write_numbers, (void *)i);
	write_numbers(NULL);
}

/* ------------------------------------------------------------------------ reading */

struct number {
	uint64_t ticks;
	uint32_t thread, value;
};

struct seen {
	struct number *numbers;
	size_t nr;
	uint64_t overwritten;	/* some ring has lost its events up to this time */
};

static void see(const struct recorded *event, void *arg)
{
	struct seen *seen = arg;

	if (event->lost && event->ticks > seen->overwritten)
		seen->overwritten = event->ticks;
	if (strcmp(event->name, "number"))
		return;
	seen->numbers = MEM_MORE(seen->numbers, seen->nr);
	seen->numbers[seen->nr++] = (struct number){ event->ticks, event->thread, event->first };
}

static int by_time(const void *a, const void *b)
{
	const struct number *x = a, *y = b;

	return x->ticks < y->ticks ? -1 : x->ticks > y->ticks;
}

/*
 * lost: some numbers may be missing, but not the newest ones; unless the thread waited since, and others have overwritten
 * the ring where they were.
 */
static void check_thread(const struct seen *seen, uint32_t tid, uint32_t written, bool lost)
{
	uint64_t newest = 0;
	uint32_t next = 0;
	bool any = false;

	for (size_t i = 0; i < seen->nr; i++) {
		if (seen->numbers[i].thread != tid)
			continue;
		if (lost ? any && seen->numbers[i].value < next : seen->numbers[i].value != next)
			fail_msg("thread %u: %u where %u is due", tid, seen->numbers[i].value, next);
		next = seen->numbers[i].value + 1;
		newest = seen->numbers[i].ticks;
		any = true;
	}
	if (lost && next < written && newest < seen->overwritten)
		return;
	/* The one that was just being written may be there, too. */
	if ((!lost || any) && next != written && next != written + 1)
		fail_msg("thread %u: %u written, the newest that was read is %u", tid, written, next - 1);
}

static void check(void)
{
	struct recorded_totals totals;
	struct seen seen = { 0 };

	recorded_read(see, &seen, &totals);
	if (seen.nr)
		qsort(seen.numbers, seen.nr, sizeof(*seen.numbers), by_time);
	for (size_t i = 0; i < THREADS; i++)
		if (shared->threads[i].tid)
			check_thread(&seen, shared->threads[i].tid, shared->threads[i].written, totals.lost);
	free(seen.numbers);
}

/* ------------------------------------------------------------------------ killing */

static void remove_files(void)
{
	AUTO_FREE char *command = mem_printf("rm -f %s/*", recorded_dir);

	assert_int_equal(system(command), 0);
}

static void kill_one(unsigned int longest_us, bool live)
{
	struct recorded_totals totals;
	const struct timespec time = { 0, 1000L * (rand() % longest_us) };
	pid_t pid;

	memset(shared, 0, sizeof(*shared));
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		write_for_ever();
	nanosleep(&time, NULL);
	/* While it runs: whatever it writes meanwhile, what is there can be read. */
	for (int i = 0; live && i < LIVE; i++)
		recorded_read(NULL, NULL, &totals);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* The parent is recorded, so that its children begin with their first event: no start is needed for each. */
static void kill_many(void **state)
{
	unsigned int seed = getenv("SEED") ? (unsigned int)atoi(getenv("SEED")) : (unsigned int)time(NULL);

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(shared != MAP_FAILED);
	strcpy(recorded_dir, getenv("KTRACE_FILE"));
	fprintf(stderr, "SEED=%u\n", seed);
	srand(seed);
	remove_files();
	for (unsigned int i = 0; i < kills(); i++) {
		kill_one(i % 4 ? 3000 : 12000, i % 16 == 0);
		check();
		remove_files();
	}
}

static void run(const char *const *variables)
{
	if (recorded_run("kill", variables))
		fail_msg("%s", recorded_errors);
	print_message("# %u killed, %s", kills(), recorded_errors);
}

static void test_kept(void **state)
{
	static const char *const variables[] = { "KTRACE_SIZE=4M", "KTRACE_SUBBUF=4k", NULL };

	run(variables);
}

static void test_overwritten(void **state)
{
	static const char *const variables[] = { "KTRACE_SIZE=16k", "KTRACE_SUBBUF=4k", NULL };

	run(variables);
}

static int drop(void **state)
{
	recorded_drop();
	return 0;
}

/* In the recorded process there is no test for fail_msg() to end. */
static int kill_mode(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(kill_many) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
	static const struct recorded_mode modes[] = { { "kill", kill_mode } };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_kept, drop), cmocka_unit_test_teardown(test_overwritten, drop),
	};

	recorded_main(argc, argv, modes, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
