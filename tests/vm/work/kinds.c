// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kinds - do once each thing that the events of the Linux Trace Toolkit tell about (its paper, Figure 2), with values that
 * nothing else has.  Print "name value" for each.
 *
 *   kinds DIR [SWAP]	DIR: for a file, on a disk; SWAP: this device is in use for swapping
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <netinet/in.h>
#include <unistd.h>

#include "undefined.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT	21
#endif

#define PAGES	64

static volatile sig_atomic_t alarms;

static void say(const char *name, long value)
{
	printf("%s %ld\n", name, value);
}

static long must(long result, const char *what)
{
	if (result < 0) {
		perror(what);
		exit(1);
	}
	return result;
}

static void on_signal(int number)
{
	alarms += number == SIGALRM;
}

/* A child that ends with status 41, one that executes a program, one that runs into an undefined instruction. */
static void processes(void)
{
	int status;
	pid_t pid = must(fork(), "fork");

	if (!pid)
		_exit(41);
	must(waitpid(pid, &status, 0), "waitpid");
	say("child", pid);
	say("status", WEXITSTATUS(status));
	pid = must(fork(), "fork");
	if (!pid) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	must(waitpid(pid, NULL, 0), "waitpid");
	say("exec", pid);
	pid = must(fork(), "fork");
	if (!pid) {
		__asm__ volatile(UNDEFINED);
		_exit(1);
	}
	must(waitpid(pid, &status, 0), "waitpid");
	say("trapped", pid);
}

static void signals_and_timers(void)
{
	const struct itimerval timer = { .it_value = { 0, 20011 } };
	struct timeval timeout = { 0, 10013 };
	struct pollfd nothing = { .fd = -1 };

	signal(SIGUSR1, on_signal);
	signal(SIGALRM, on_signal);
	must(kill(getpid(), SIGUSR1), "kill");
	must(setitimer(ITIMER_REAL, &timer, NULL), "setitimer");
	while (!alarms)
		usleep(1000);
	must(select(0, NULL, NULL, NULL, &timeout), "select");
	must(poll(&nothing, 1, 17), "poll");
}

/* How often this task has given up its CPU to wait. */
static long sleeps(void)
{
	struct rusage usage;

	must(getrusage(RUSAGE_SELF, &usage), "getrusage");
	return usage.ru_nvcsw;
}

static void files(const char *dir)
{
	char path[256], block[4096] = "kinds";
	int fd, waiting, slept = 0;

	snprintf(path, sizeof(path), "%s/a-file-of-kinds", dir);
	fd = must(open(path, O_RDWR | O_CREAT | O_TRUNC | O_SYNC, 0600), "open");
	say("fd", fd);
	must(write(fd, block, 3333), "write");
	must(lseek(fd, 77, SEEK_SET), "lseek");
	must(read(fd, block, 2222), "read");
	must(ioctl(fd, FIONREAD, &waiting), "ioctl");
	/* Until a read has slept for its page a few times: an emulated disk may be ready before the reader looks. */
	for (int i = 0; i < 20 || (slept < 5 && i < 5000); i++) {
		long before;

		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		before = sleeps();
		must(pread(fd, block, 1111, 0), "pread");
		slept += sleeps() != before;
	}
	must(close(fd), "close");
}

static void sockets(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(to);
	char packet[777] = "";
	int in = must(socket(AF_INET, SOCK_DGRAM, 0), "socket"), out = must(socket(AF_INET, SOCK_DGRAM, 0), "socket");

	must(bind(in, (struct sockaddr *)&to, sizeof(to)), "bind");
	must(getsockname(in, (struct sockaddr *)&to, &len), "getsockname");
	must(sendto(out, packet, 555, 0, (struct sockaddr *)&to, len), "sendto");
	must(recv(in, packet, sizeof(packet), 0), "recv");
	say("socket", in);
}

static void ipc(void)
{
	const int msg = must(msgget(0x1111, IPC_CREAT | 0600), "msgget"), sem = must(semget(0x2222, 3, IPC_CREAT | 0600), "semget");
	const int shm = must(shmget(0x3333, 12345, IPC_CREAT | 0600), "shmget");

	say("msg", msg);
	say("sem", sem);
	say("shm", shm);
	msgctl(msg, IPC_RMID, NULL);
	semctl(sem, 0, IPC_RMID);
	shmctl(shm, IPC_RMID, NULL);
}

/* Pages that are touched, swapped out, and touched again. */
static void memory(int swaps)
{
	const size_t bytes = PAGES * sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		must(-1, "mmap");
	memset(at, 7, bytes);
	printf("memory 0x%lx\n", (unsigned long)at);
	if (!swaps)
		return;
	/* The first time starts to write the pages, a later one frees them. */
	for (int i = 0; i < 3; i++) {
		must(madvise(at, bytes, MADV_PAGEOUT), "madvise");
		usleep(100000);
	}
	for (size_t i = 0; i < bytes; i += bytes / PAGES)
		if (at[i] != 7)
			must(-1, "swap");
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	say("self", getpid());
	processes();
	signals_and_timers();
	files(argv[1]);
	sockets();
	ipc();
	memory(argc > 2);
	return 0;
}
