// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes whose state is to be read; they stay until this program is killed:
 *
 *   statework PROCESSES FILES	so many processes with so many files each
 *   statework odd		processes that are seldom: names with odd characters, threads with files of their own,
 *				zombies, a process whose first thread has ended, stopped ones, shared tables and memory
 *
 * It says "ready" when all of them are there.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int ready[2];

static void __attribute__((noreturn)) die(const char *what)
{
	perror(what);
	exit(1);
}

static void say_ready(void)
{
	if (write(ready[1], "", 1) != 1)
		_exit(1);
}

static void __attribute__((noreturn)) stay(void)
{
	say_ready();
	for (;;)
		pause();
}

static void open_files(long n)
{
	for (long i = 0; i < n; i++)
		if (open("/dev/null", i % 2 ? O_RDONLY : O_WRONLY | O_CLOEXEC) < 0)
			die("open");
}

/* A child that runs this function and ends with its parent. */
static pid_t child(void (*run)(void))
{
	const pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	run();
	_exit(0);
}

static void await(long n)
{
	char byte;

	while (n--)
		if (read(ready[0], &byte, 1) != 1)
			die("read");
}

/* ------------------------------------------------------------------- the odd ones */

static void odd_name(void)
{
	const int fd = open("/tmp/a (deleted)\n b)", O_RDWR | O_CREAT, 0600);

	prctl(PR_SET_NAME, "a) (b\n\\ c");
	if (fd < 0 || ftruncate(fd, 8192) ||
	    mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 4096) == MAP_FAILED)
		die("a file with an odd name");
	unlink("/tmp/a (deleted)\n b)");
	stay();
}

/* A file with a large number, far from the others. */
static void far_file(void)
{
	const struct rlimit limit = { 300000, 300000 };

	if (setrlimit(RLIMIT_NOFILE, &limit) || dup2(0, 299999) < 0 || dup3(1, 65536, O_CLOEXEC) < 0 ||
	    dup2(1, 131071) < 0)
		die("a large file number");
	stay();
}

static void *thread_with_own_files(void *arg)
{
	if (unshare(CLONE_FILES))
		die("unshare");
	open_files(70);
	prctl(PR_SET_NAME, "own files");
	stay();
	return arg;
}

static void *thread_that_shares(void *arg)
{
	stay();
	return arg;
}

static void start(void *(*run)(void *arg), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, arg))
		die("pthread_create");
}

static void threads(void)
{
	open_files(5);
	start(thread_that_shares, NULL);
	start(thread_with_own_files, NULL);
	start(thread_that_shares, NULL);
	stay();
}

static void *wait_for_leader(void *arg)
{
	pthread_join(*(pthread_t *)arg, NULL);
	stay();
	return arg;
}

/* The first thread becomes a zombie; the others have the files and the memory. */
static void leaderless(void)
{
	static pthread_t leader;

	leader = pthread_self();
	open_files(100);
	start(thread_that_shares, NULL);
	start(wait_for_leader, &leader);
	pthread_exit(NULL);
}

/* A zombie: its parent does not wait for it. */
static void zombie(void)
{
	const pid_t pid = fork();
	siginfo_t info;

	if (!pid)
		_exit(0);
	waitid(P_PID, pid, &info, WEXITED | WNOWAIT);
	stay();
}

static void stopped(void)
{
	say_ready();
	raise(SIGSTOP);
	for (;;)
		pause();
}

static int stay_in_clone(void *arg)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	stay();
	return arg != NULL;
}

/* Two processes with one table of files and one address space. */
static void siblings(void)
{
	static char stack[65536] __attribute__((aligned(16)));

	open_files(10);
	if (clone(stay_in_clone, stack + sizeof(stack), CLONE_FILES | CLONE_VM | SIGCHLD, NULL) < 0)
		die("clone");
	stay();
}

static void other_namespaces(void)
{
	if (unshare(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWPID))
		die("unshare");
	child(stay);
	stay();
}

static void other_user(void)
{
	if (setpgid(0, 0) || setgid(54321) || setuid(12345))
		die("setuid");
	/* setuid(2) has reset it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	stay();
}

/* More mappings than are read under one lock. */
static void many_maps(void)
{
	for (int i = 0; i < 1000; i++)
		if (mmap(NULL, 4096, i % 2 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
		    MAP_FAILED)
			die("mmap");
	stay();
}

static const struct {
	void (*run)(void);
	int says;
} odd[] = {
	{ odd_name, 1 }, { far_file, 1 }, { threads, 4 }, { leaderless, 2 }, { zombie, 1 }, { stopped, 1 },
	{ siblings, 2 }, { other_namespaces, 2 }, { other_user, 1 }, { many_maps, 1 },
};

/* --------------------------------------------------------------------------- main */

static long nr_files;

static void many_files(void)
{
	open_files(nr_files);
	stay();
}

static void start_odd(void)
{
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		child(odd[i].run);
		await(odd[i].says);
	}
}

static void start_many(long processes)
{
	const struct rlimit limit = { nr_files + 64, nr_files + 64 };

	if (setrlimit(RLIMIT_NOFILE, &limit))
		die("setrlimit");
	for (long i = 0; i < processes; i++)
		child(many_files);
	await(processes);
}

int main(int argc, char **argv)
{
	if (argc < 2 || (argc < 3 && strcmp(argv[1], "odd"))) {
		fputs("usage: statework PROCESSES FILES | odd\n", stderr);
		return 2;
	}
	if (pipe(ready))
		die("pipe");
	if (argc < 3) {
		start_odd();
	} else {
		nr_files = atol(argv[2]);
		start_many(atol(argv[1]));
	}
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
