// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes and threads of all kinds that write only to /dev/null:
 *
 *   family writes N [PAUSE]	N writes, with PAUSE microseconds between them
 *   family threads N WRITES	N threads with WRITES writes each
 *   family exec COMMAND...	a thread other than the first executes the command
 *   family vfork COMMAND...	a child of vfork executes it
 *   family newpid COMMAND...	the first process of another pid namespace executes it
 *   family storm N		N children, some at a time, with one write each
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char **command;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void write_so_often(int n, int pause)
{
	int fd = open("/dev/null", O_WRONLY);

	while (fd >= 0 && n-- > 0) {
		if (write(fd, "x", 1) != 1)
			fail("write");
		else if (pause)
			usleep(pause);
	}
	close(fd);
}

static void *writer(void *arg)
{
	write_so_often((int)(long)arg, 0);
	return NULL;
}

static int writes(char **argv)
{
	write_so_often(atoi(argv[0]), argv[1] ? atoi(argv[1]) : 0);
	return 0;
}

static int threads(char **argv)
{
	pthread_t all[64];
	int n = atoi(argv[0]);

	for (int i = 0; i < n && i < 64; i++)
		if (pthread_create(&all[i], NULL, writer, (void *)atol(argv[1])))
			fail("pthread_create");
	for (int i = 0; i < n && i < 64; i++)
		pthread_join(all[i], NULL);
	return 0;
}

static void *executer(void *arg)
{
	execvp(command[0], command);
	fail("execvp");
	return NULL;
}

static int thread_exec(char **argv)
{
	pthread_t thread;

	command = argv;
	if (pthread_create(&thread, NULL, executer, NULL))
		fail("pthread_create");
	while (pause() < 0)
		;
	return 1;
}

static int reap(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, __WALL) != pid)
		fail("child");
	return status != 0;
}

static int by_vfork(char **argv)
{
	pid_t pid = vfork();

	if (!pid) {
		execvp(argv[0], argv);
		_exit(127);
	}
	return reap(pid);
}

static int in_namespace(char **argv)
{
	pid_t pid = syscall(SYS_clone, CLONE_NEWPID | 17 /* SIGCHLD */, 0, 0, 0, 0);

	if (!pid) {
		execvp(argv[0], argv);
		_exit(127);
	}
	return reap(pid);
}

static int storm(char **argv)
{
	int left = atoi(argv[0]), running = 0, failed = 0, status;

	while (left || running) {
		if (left && running < 8) {
			pid_t pid = fork();

			if (!pid) {
				write_so_often(1, 0);
				_exit(0);
			}
			if (pid < 0)
				fail("fork");
			left--;
			running++;
		} else if (wait(&status) > 0) {
			failed |= status;
			running--;
		}
	}
	return failed != 0;
}

static const struct {
	const char *name;
	int args;
	int (*run)(char **argv);
} kinds[] = { { "writes", 1, writes }, { "threads", 2, threads }, { "exec", 1, thread_exec }, { "vfork", 1, by_vfork },
	      { "newpid", 1, in_namespace }, { "storm", 1, storm } };

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (argc - 2 >= kinds[i].args && !strcmp(argv[1], kinds[i].name))
			return kinds[i].run(argv + 2);
	fputs("usage: family writes N [PAUSE] | threads N WRITES | exec COMMAND... | vfork COMMAND... | newpid COMMAND... | storm N\n", stderr);
	return 2;
}
