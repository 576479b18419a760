// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Make exactly COUNT calls of one system call:
 *
 *   syscalls [-p PROCESSES] [-c CPU] [-w MICROSECONDS] NAME COUNT
 *
 * NAME is getppid, write (a byte to /dev/null), read (a byte from /dev/zero), pread, lseek, open (open and
 * close of /dev/null), stat, poll, nanosleep, fsync (write and fsync of a file in the current directory). With
 * -p, PROCESSES processes make COUNT calls each, pinned to CPU 0, 1, ...; -c pins the only process; -w waits
 * between two calls. First it prints the process ids, one a line.
 */
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct call {
	const char *name;
	const char *file;	/* opened before the calls */
	int flags;
	long (*make)(int fd);
};

static char byte;

static long make_getppid(int fd)
{
	return syscall(SYS_getppid);
}

static long make_write(int fd)
{
	return write(fd, &byte, 1);
}

static long make_read(int fd)
{
	return read(fd, &byte, 1);
}

static long make_pread(int fd)
{
	return pread(fd, &byte, 1, 0);
}

static long make_lseek(int fd)
{
	return lseek(fd, 0, SEEK_SET);
}

static long make_open(int fd)
{
	return close(open("/dev/null", O_RDONLY));
}

static long make_stat(int fd)
{
	struct stat st;

	return stat("/dev/null", &st);
}

static long make_poll(int fd)
{
	struct pollfd one = { .fd = fd, .events = POLLIN };

	return poll(&one, 1, 0);
}

static long make_nanosleep(int fd)
{
	struct timespec moment = { .tv_nsec = 1000 };

	return nanosleep(&moment, NULL);
}

static long make_fsync(int fd)
{
	return pwrite(fd, &byte, 1, 0) < 0 ? -1 : fsync(fd);
}

static const struct call calls[] = {
	{ "getppid", NULL, 0, make_getppid },
	{ "write", "/dev/null", O_WRONLY, make_write },
	{ "read", "/dev/zero", O_RDONLY, make_read },
	{ "pread", "/dev/zero", O_RDONLY, make_pread },
	{ "lseek", "/dev/zero", O_RDONLY, make_lseek },
	{ "open", NULL, 0, make_open },
	{ "stat", NULL, 0, make_stat },
	{ "poll", "/dev/zero", O_RDONLY, make_poll },
	{ "nanosleep", NULL, 0, make_nanosleep },
	{ "fsync", "syscalls.tmp", O_RDWR | O_CREAT, make_fsync },
};

static const struct call *find_call(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (strcmp(calls[i].name, name) == 0)
			return &calls[i];
	}
	return NULL;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu % (int)sysconf(_SC_NPROCESSORS_ONLN), &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		perror("sched_setaffinity");
}

static int work(const struct call *call, long count, long wait_us)
{
	struct timespec gap = { .tv_sec = wait_us / 1000000, .tv_nsec = wait_us % 1000000 * 1000 };
	int fd = -1;

	if (call->file) {
		fd = open(call->file, call->flags, 0600);
		if (fd < 0) {
			perror(call->file);
			return 1;
		}
	}
	for (long i = 0; i < count; i++) {
		if (call->make(fd) < 0) {
			perror(call->name);
			return 1;
		}
		if (wait_us)
			nanosleep(&gap, NULL);
	}
	return 0;
}

/* All processes begin together, when the last writer of the pipe closes it. */
static int work_in_parallel(const struct call *call, long count, long wait_us, int processes)
{
	int status, failed = 0, gate[2];
	char nothing;

	if (pipe(gate) < 0)
		return 1;
	for (int i = 0; i < processes; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			close(gate[1]);
			pin(i);
			if (read(gate[0], &nothing, 1) < 0)
				_exit(1);
			_exit(work(call, count, wait_us));
		}
		printf("%d\n", pid);
	}
	fflush(stdout);
	close(gate[1]);
	while (wait(&status) > 0)
		failed |= status;
	return failed != 0;
}

int main(int argc, char **argv)
{
	const struct call *call = NULL;
	int option, processes = 0, cpu = -1;
	long wait_us = 0;

	while ((option = getopt(argc, argv, "p:c:w:")) != -1) {
		if (option == 'p')
			processes = atoi(optarg);
		else if (option == 'c')
			cpu = atoi(optarg);
		else if (option == 'w')
			wait_us = atol(optarg);
		else
			return 2;
	}
	if (argc - optind == 2)
		call = find_call(argv[optind]);
	if (!call) {
		fputs("usage: syscalls [-p PROCESSES] [-c CPU] [-w MICROSECONDS] NAME COUNT\n", stderr);
		return 2;
	}
	if (processes)
		return work_in_parallel(call, atol(argv[optind + 1]), wait_us, processes);
	if (cpu >= 0)
		pin(cpu);
	printf("%d\n", getpid());
	fflush(stdout);
	return work(call, atol(argv[optind + 1]), wait_us);
}
