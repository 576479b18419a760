// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Many calls of vfs_write that do not return, beside others:
 *
 *   blocked FILE THREADS COMMAND...	runs the command while so many threads wait in a write(2) to a full pipe. FILE gets
 * 					how many wait when the command begins
 *
 * The exit status is that of the command.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK	16384	/* bytes, of a thread */

static int pipe_ends[2];
static long about_to_wait;

static void __attribute__((noreturn)) die(const char *what)
{
	perror(what);
	exit(125);
}

static void *wait_in_write(void *unused)
{
	__atomic_fetch_add(&about_to_wait, 1, __ATOMIC_RELAXED);
	if (write(pipe_ends[1], "", 1) != 1)
		die("blocked: write");
	return NULL;
}

/* A pipe with a size of one page, which a write fills. */
static void fill_pipe(void)
{
	static const char page[4096];

	if (pipe(pipe_ends) || fcntl(pipe_ends[1], F_SETPIPE_SZ, sizeof(page)) < 0 ||
	    write(pipe_ends[1], page, sizeof(page)) != sizeof(page))
		die("blocked: pipe");
}

/* Without guard pages the stacks are one mapping. */
static void start(long threads)
{
	pthread_attr_t attr;
	pthread_t id;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	pthread_attr_setguardsize(&attr, 0);
	for (long i = 0; i < threads; i++)
		if (pthread_create(&id, &attr, wait_in_write, NULL))
			die("blocked: pthread_create");
	while (__atomic_load_n(&about_to_wait, __ATOMIC_RELAXED) < threads)
		usleep(10000);
	usleep(100000);
}

int main(int argc, char **argv)
{
	const long threads = argc > 3 ? atol(argv[2]) : -1;
	int status;
	FILE *out;
	pid_t pid;

	if (threads < 0) {
		fputs("usage: blocked FILE THREADS COMMAND...\n", stderr);
		return 125;
	}
	fill_pipe();
	start(threads);
	out = fopen(argv[1], "w");
	if (!out || fprintf(out, "%ld\n", about_to_wait) < 0 || fclose(out))
		die(argv[1]);
	pid = fork();
	if (!pid) {
		execvp(argv[3], argv + 3);
		die(argv[3]);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		die("blocked: fork");
	/* Without their return: the other threads end with the process. */
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 125);
}
