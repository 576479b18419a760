// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Do a little of everything that a kernel does for programs, and check the results:
 *
 *   mixload [-s SEED] [-d DIRECTORY] SECONDS
 *   mixload [-s SEED] [-d DIRECTORY] -n ACTIONS
 *
 * Files are made in DIRECTORY (default: the current one). With 0 seconds it runs until it is killed; with -n it
 * ends after ACTIONS actions, which the seed chooses. Errors go to standard error, with exit status 1. Prints
 * the number of actions.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mixload.h"

static const struct action {
	const char *name;
	bool (*act)(void);
} actions[] = {
	{ "pipe", do_pipe }, { "socketpair", do_socketpair }, { "pty", do_pty }, { "futex", do_futex },
	{ "fork", do_fork }, { "exec", do_exec }, { "ptrace", do_ptrace }, { "semaphore", do_semaphore },
	{ "itimer", do_itimer }, { "timerfd", do_timerfd }, { "signalfd", do_signalfd }, { "sleep", do_sleep },
	{ "clocks", do_clocks }, { "mmap", do_mmap }, { "fault", do_fault }, { "bad pointer", do_bad_pointer },
	{ "shm", do_shm }, { "memfd", do_memfd }, { "file", do_file }, { "mapped file", do_mapped_file },
	{ "rename", do_rename }, { "directory", do_directory }, { "sendfile", do_sendfile }, { "locks", do_locks },
	{ "inotify", do_inotify }, { "xattr", do_xattr }, { "read", do_read_some }, { "mount", do_mount },
	{ "udp", do_udp }, { "tcp", do_tcp }, { "netlink", do_netlink }, { "packet", do_packet }, { "epoll", do_epoll },
	{ "poll", do_poll }, { "scheduler", do_scheduler }, { "ask", do_ask }, { "vectors", do_vectors },
	{ "perf", do_perf },
};

#define NR_ACTIONS (sizeof(actions) / sizeof(actions[0]))

/* Is it done: after `most` actions, or at the time `end`? 0 for both: never. */
static bool is_over(unsigned long done, unsigned long most, time_t end)
{
	return most ? done >= most : done >= NR_ACTIONS && end && time(NULL) >= end;
}

/* Do each action once, however long that takes, then choose at random. */
static int work(unsigned long most, time_t end)
{
	unsigned long done = 0;

	for (; !is_over(done, most, end); done++) {
		const struct action *action = &actions[done < NR_ACTIONS ? done : roll(NR_ACTIONS)];

		errno = 0;
		if (!action->act()) {
			fprintf(stderr, "mixload: %s went wrong: %s\n", action->name, strerror(errno));
			return 1;
		}
	}
	printf("%lu actions\n", done);
	return 0;
}

int main(int argc, char **argv)
{
	const char *dir = ".";
	unsigned long most = 0;
	int option, status;
	long seconds;

	while ((option = getopt(argc, argv, "s:d:n:")) != -1) {
		if (option == 's')
			throw_dice(strtoul(optarg, NULL, 0));
		else if (option == 'd')
			dir = optarg;
		else if (option == 'n')
			most = strtoul(optarg, NULL, 0);
		else
			return 2;
	}
	if (argc - optind != !most) {
		fputs("usage: mixload [-s SEED] [-d DIRECTORY] SECONDS | -n ACTIONS\n", stderr);
		return 2;
	}
	if (chdir(dir) < 0) {
		perror(dir);
		return 1;
	}
	signal(SIGPIPE, SIG_IGN);
	seconds = most ? 0 : atol(argv[optind]);
	status = work(most, seconds ? time(NULL) + seconds : 0);
	/* A process of another user may get this process id, and this file name, later. */
	remove_scratch();
	return status;
}
