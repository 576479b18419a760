// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_break.c - hardware breakpoints at each instruction of the sequences that write events, in a real process.
 *
 * When the thread stops there, one of these happens: another thread overtakes it on that CPU; it is moved to another CPU, and
 * another thread runs where it was; a signal comes, whose handler writes; it is killed.  Its events must be there, once and
 * in order, whatever happened.  Under a debugger that steps through it, too.  EACH=N takes one instruction in N, beginning
 * with one that is chosen by chance.
 */
#include <ktrace/ktrace.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "machine.h"
#include "recorded.h"
#include "stop.h"
#include "tests/unit/unit.h"
#include "user/arch.h"

#define EVENTS	32	/* of the thread, of which those in the middle are stopped */
#define FIRST	5
#define OTHERS	50	/* of a thread that overtakes it */
#define SKIPPED	77

enum means { OVERTAKEN, MOVED, SIGNALLED, KILLED, NR_MEANS };

/* Between the tracer and the program. */
static struct shared {
	uint32_t ready, go;		/* the thread waits for the breakpoint; it is set */
	uint32_t other_cpu;		/* on which the other thread is to run, plus 1 */
	uint32_t asked, answered;	/* turns of the other thread */
	uint32_t written, handled, others;
	uint32_t stops;
} *shared;

/* ------------------------------------------------------------------------ the program */

static void on_signal(int signal)
{
	KTRACE(stop, handler, shared->handled);
	shared->handled++;
}

/* Of one word, of many, and bytes of each length that is copied in another way. */
static void write_number(int i)
{
	static const unsigned char lengths[] = { 100, 3, 6, 12, 30, 50, 200 };
	static const char bytes[200];
	const long n = i;

	if (i % 3 == 0)
		KTRACE(stop, number, i);
	else if (i % 3 == 1)
		KTRACE(stop, number, i, n, n, n, n, n, n, n, n);
	else
		KTRACE(stop, number, i, ktrace_bytes(bytes, lengths[i / 3 % sizeof(lengths)]));
}

static void *write_numbers(void *arg)
{
	for (int i = 0; i < EVENTS; i++) {
		/* Here its tracer sets the breakpoint. */
		if (i == FIRST)
			__atomic_store_n(&shared->ready, 1, __ATOMIC_RELEASE);
		while (i == FIRST && !__atomic_load_n(&shared->go, __ATOMIC_ACQUIRE))
			usleep(20);
		write_number(i);
		__atomic_store_n(&shared->written, i + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Write some events whenever it is asked to, on the CPU that it is told. */
static void *write_others(void *arg)
{
	cpu_set_t one;

	for (;;) {
		while (__atomic_load_n(&shared->asked, __ATOMIC_ACQUIRE) == shared->answered)
			usleep(20);
		CPU_ZERO(&one);
		CPU_SET(shared->other_cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		for (int i = 0; i < OTHERS; i++)
			KTRACE(stop, other, shared->others + i);
		shared->others += OTHERS;
		__atomic_add_fetch(&shared->answered, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void run_program(void)
{
	const struct sigaction action = { .sa_handler = on_signal };
	pthread_t other;

	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&other, NULL, write_others, NULL);
	write_numbers(NULL);
	_exit(0);
}

/* ------------------------------------------------------------------------ the tracer */

static uint32_t cpu_of(pid_t pid)
{
	char path[64], text[1024], *at;
	unsigned int cpu = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (!file || !fgets(text, sizeof(text), file))
		fail_msg("%s", path);
	fclose(file);
	/* Field 39; the first two end with a parenthesis. */
	at = strrchr(text, ')');
	for (int i = 2; i < 39 && at; i++)
		at = strchr(at + 1, ' ');
	if (at)
		cpu = strtoul(at, NULL, 10);
	return cpu;
}

/* The other thread writes its events on that CPU, while this one is stopped. */
static void let_other_write(uint32_t cpu)
{
	shared->other_cpu = cpu;
	__atomic_add_fetch(&shared->asked, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&shared->answered, __ATOMIC_ACQUIRE) != shared->asked)
		usleep(20);
}

static bool move(pid_t pid, uint32_t from)
{
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return false;
	CPU_CLR(from, &cpus);
	return CPU_COUNT(&cpus) && sched_setaffinity(pid, sizeof(cpus), &cpus) == 0;
}

static void act(pid_t pid, enum means means)
{
	const uint32_t cpu = cpu_of(pid);

	if (means == MOVED)
		move(pid, cpu);
	if (means == OVERTAKEN || means == MOVED)
		let_other_write(cpu);
	if (means == KILLED)
		kill(pid, SIGKILL);
}

/* Let the thread come to the breakpoint once more.  Returns what waitpid() says. */
static int go_on(pid_t pid, int signal)
{
	int status = 0;

	if (ptrace(PTRACE_CONT, pid, NULL, signal) || waitpid(pid, &status, 0) != pid)
		fail_msg("ptrace: %s", strerror(errno));
	return status;
}

/* Stop the thread where it waits for its breakpoint. */
static bool seize(pid_t pid)
{
	int status;

	while (!__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE))
		usleep(20);
	return !ptrace(PTRACE_SEIZE, pid, NULL, PTRACE_O_EXITKILL) && !ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) &&
	       waitpid(pid, &status, 0) == pid && WIFSTOPPED(status);
}

/* As a debugger that shows each instruction: no sequence ever comes to its end. */
static bool step_through(pid_t pid)
{
	int status = 0;

	if (!seize(pid))
		return false;
	__atomic_store_n(&shared->go, 1, __ATOMIC_RELEASE);
	while (shared->written < FIRST + 3) {
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
			return false;
		shared->stops++;
	}
	while (WIFSTOPPED(status))
		status = go_on(pid, 0);
	return true;
}

/* Stop at `ip` three times, and do it.  False: this machine has no such breakpoints. */
static bool stop_at(pid_t pid, uint64_t ip, enum means means)
{
	int status, signal = 0;

	if (!seize(pid) || !stop_set(pid, ip))
		return false;
	__atomic_store_n(&shared->go, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < 3; i++) {
		status = go_on(pid, signal);
		if (WIFSTOPPED(status) && WSTOPSIG(status) != SIGTRAP) {
			signal = WSTOPSIG(status);
			i--;
			continue;
		}
		if (!WIFSTOPPED(status))
			return true;
		shared->stops++;
		act(pid, means);
		signal = means == SIGNALLED ? SIGUSR1 : 0;
		if (means == KILLED)
			break;
	}
	if (means == KILLED)
		return waitpid(pid, &status, 0) == pid && WIFSIGNALED(status);
	stop_clear(pid);
	do {
		status = go_on(pid, signal);
		signal = WIFSTOPPED(status) && WSTOPSIG(status) != SIGTRAP ? WSTOPSIG(status) : 0;
	} while (WIFSTOPPED(status));
	return true;
}

/* ------------------------------------------------------------------------ reading */

struct seen {
	uint32_t numbers, handled, others;
	uint64_t sums[3];
};

static void see(const struct recorded *event, void *arg)
{
	struct seen *seen = arg;

	if (!strcmp(event->name, "number")) {
		seen->sums[0] += event->first;
		seen->numbers++;
	} else if (!strcmp(event->name, "handler")) {
		seen->sums[1] += event->first;
		seen->handled++;
	} else {
		seen->sums[2] += event->first;
		seen->others++;
	}
}

static uint64_t sum_below(uint64_t n)
{
	return n ? n * (n - 1) / 2 : 0;
}

static void check(uint64_t at, enum means means)
{
	struct recorded_totals totals;
	struct seen seen = { 0 };
	const uint32_t written = shared->written;

	recorded_read(see, &seen, &totals);
	if (totals.lost || seen.others != shared->others || seen.sums[2] != sum_below(shared->others) ||
	    seen.handled != shared->handled || seen.sums[1] != sum_below(shared->handled) ||
	    (seen.numbers != written && !(means == KILLED && seen.numbers == written + 1)) ||
	    seen.sums[0] != sum_below(seen.numbers) || (means != KILLED && written != EVENTS))
		fail_msg("ktrace_write_word+0x%lx, means %d: %u of %u numbers, %u of %u of handlers, %u of %u others, %lu lost",
			 (unsigned long)at, means, seen.numbers, written, seen.handled, shared->handled, seen.others,
			 shared->others, (unsigned long)totals.lost);
}

/* ------------------------------------------------------------------------ all of it */

static void remove_files(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -f %s/*", recorded_dir);
	assert_int_equal(system(command), 0);
}

static void step_one(void)
{
	pid_t pid;

	memset(shared, 0, sizeof(*shared));
	pid = fork();
	if (!pid)
		run_program();
	assert_true(step_through(pid));
	check(0, OVERTAKEN);
	fprintf(stderr, "%u single steps\n", shared->stops);
	remove_files();
}

static unsigned int stops;

static bool stop_one(uint64_t ip, enum means means)
{
	bool ok;
	pid_t pid;

	memset(shared, 0, sizeof(*shared));
	pid = fork();
	if (!pid)
		run_program();
	ok = stop_at(pid, ip, means);
	if (!ok) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return false;
	}
	check(ip - (uint64_t)ktrace_write_word, means);
	remove_files();
	return true;
}

/* Called once for each instruction: true for one in EACH, beginning with a random one, or for all without EACH. */
static bool is_chosen(void)
{
	const char *text = getenv("EACH"), *seed = getenv("SEED");
	static unsigned int each, seen;

	if (!each) {
		each = text && atoi(text) > 0 ? (unsigned int)atoi(text) : 1;
		seen = (seed ? (unsigned int)strtoul(seed, NULL, 10) : (unsigned int)time(NULL)) % each;
	}
	return seen++ % each == 0;
}

/* Stop at the instructions that is_chosen() takes.  Returns how many; *unmet: how many of them the thread did not reach. */
static unsigned int stop_each(uint64_t start, uint64_t end, unsigned int *unmet)
{
	unsigned int nr = 0, before;

	for (uint64_t ip = start; ip < end; ip = machine_next(ip)) {
		if (!is_chosen())
			continue;
		nr++;
		before = stops;
		for (int means = 0; means < NR_MEANS; means++) {
			if (!stop_one(ip, means)) {
				fprintf(stderr, "no hardware breakpoints: %s\n", strerror(errno));
				exit(SKIPPED);
			}
			stops += shared->stops;
		}
		*unmet += stops < before + NR_MEANS;
	}
	return nr;
}

/* The sequences before ktrace_commit(), from the table for the kernel. */
static void stop_all(void **state)
{
	extern const uint64_t __start___rseq_cs_ptr_array[];
	unsigned int nr = 0, unmet = 0;
	const uint64_t *s;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	strcpy(recorded_dir, getenv("KTRACE_FILE"));
	remove_files();
	for (size_t i = 0; s = (const uint64_t *)__start___rseq_cs_ptr_array[i], s[1] < (uint64_t)ktrace_commit; i++)
		nr += stop_each(s[1], s[1] + s[2], &unmet);
	step_one();
	fprintf(stderr, "%u instructions, %u of them not reached; %u stops\n", nr, unmet, stops);
	/* Those that read the clock, or copy, as another machine does. */
	assert_true(unmet <= 12);
}

static int break_mode(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(stop_all) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

static void test_breakpoints(void **state)
{
	const int status = recorded_run("break", NULL);

	print_message("# %s", recorded_errors);
	if (status == SKIPPED)
		skip();
	assert_int_equal(status, 0);
}

static int drop(void **state)
{
	recorded_drop();
	return 0;
}

int main(int argc, char **argv)
{
	static const struct recorded_mode modes[] = { { "break", break_mode } };
	const struct CMUnitTest tests[] = { cmocka_unit_test_teardown(test_breakpoints, drop) };

	recorded_main(argc, argv, modes, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
