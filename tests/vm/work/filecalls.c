// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filecalls: move a known number of bytes through files, pipes and sockets, whose descriptors are made, copied, closed,
 * inherited and used again in every way.  Prints what a report must show: "NAME,READ,WRITTEN" for each.
 */
#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLDER	"/tmp/filecalls-"

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static int make(const char *name, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), FOLDER "%s", name);
	fd = open(path, O_RDWR | O_CREAT | flags, 0600);
	if (fd < 0)
		fail(path);
	return fd;
}

static void put(int fd, int bytes, int times)
{
	char text[256] = { 0 };

	while (times-- > 0)
		if (write(fd, text, bytes) != bytes)
			fail("write");
}

static void get(int fd, int bytes, int times)
{
	char text[256];

	while (times-- > 0)
		if (read(fd, text, bytes) != bytes)
			fail("read");
}

static void *put_seven(void *fd)
{
	put((int)(long)fd, 7, 10);
	return NULL;
}

/* Copies of a descriptor are the same file. */
static void copies(void)
{
	int fd = make("copies", 0), other = dup(fd);
	pthread_t thread;

	put(other, 1, 1);
	put(dup2(fd, 100), 1, 2);
	put(dup3(fd, 101, O_CLOEXEC), 1, 3);
	put(fcntl(fd, F_DUPFD, 110), 1, 4);
	put(fcntl(fd, F_DUPFD_CLOEXEC, 120), 1, 5);
	if (dup2(fd, fd) != fd || pthread_create(&thread, NULL, put_seven, (void *)(long)fd))
		fail("copies");
	pthread_join(thread, NULL);
	close(fd);
	if (close_range(100, 119, 0))
		fail("close_range");
	put(120, 1, 6);
	close_range(other, ~0U, 0);
	printf(FOLDER "copies,0,91\n");
}

static void pair(const char *what, int ends[2])
{
	const pid_t child = fork();

	if (child < 0)
		fail("fork");
	if (!child) {
		put(ends[1], 13, 100);
		_exit(0);
	}
	get(ends[0], 13, 100);
	waitpid(child, NULL, 0);
	close(ends[0]);
	close(ends[1]);
	printf("%s of %d and %d,1300,1300\n", what, getpid() < child ? getpid() : child, getpid() < child ? child : getpid());
}

static void pairs(void)
{
	int ends[2];

	if (pipe(ends))
		fail("pipe");
	pair("pipe", ends);
	if (pipe2(ends, O_CLOEXEC))
		fail("pipe2");
	pair("pipe", ends);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		fail("socketpair");
	pair("socket pair", ends);
}

/* A child that shares the table of its parent opens a file for it. */
static int open_shared(void *name)
{
	return make(name, 0) < 0;
}

static int open_alone(void *name)
{
	int fd;

	if (unshare(CLONE_FILES))
		fail("unshare");
	fd = make(name, 0);
	put(fd, 5, 3);
	return 0;
}

static void shared(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	int fd, next = dup(0);
	pid_t child;

	close(next);
	child = clone(open_shared, stack + sizeof(stack), CLONE_VM | CLONE_FILES | SIGCHLD, "shared");
	waitpid(child, NULL, 0);
	put(next, 3, 11);
	close(next);
	child = clone(open_alone, stack + sizeof(stack), CLONE_VM | CLONE_FILES | SIGCHLD, "alone");
	waitpid(child, NULL, 0);
	fd = make("other", 0);
	put(fd, 4, 5);
	close(fd);
	printf(FOLDER "shared,0,33\n" FOLDER "alone,0,15\n" FOLDER "other,0,20\n");
}

/* What comes in a message has a number that nobody was seen to open. */
static void received(void)
{
	char space[CMSG_SPACE(sizeof(int))] = { 0 }, byte = 0;
	struct iovec data = { &byte, 1 };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = space,
				  .msg_controllen = sizeof(space) };
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);
	int ends[2], fd = make("sent", 0);

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends))
		fail("socketpair");
	*head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS };
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	if (sendmsg(ends[1], &message, 0) != 1)
		fail("sendmsg");
	close(fd);
	if (recvmsg(ends[0], &message, 0) != 1)
		fail("recvmsg");
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	put(fd, 9, 9);
	printf("fd %d of %d (not seen opened),0,81\n", fd, getpid());
	close_range(fd < ends[0] ? fd : ends[0], ~0U, 0);
}

/* exec closes four of these; their numbers are used again behind it. */
static void execute(const char *self)
{
	const int first = make("closed", O_CLOEXEC), by_fcntl = make("by-fcntl", 0), by_ioctl = make("by-ioctl", 0),
		  by_range = make("by-range", 0), kept = make("kept", O_CLOEXEC);
	char text[8];

	put(first, 2, 1);
	put(by_fcntl, 2, 2);
	put(by_ioctl, 2, 3);
	put(by_range, 2, 4);
	put(kept, 2, 5);
	if (fcntl(by_fcntl, F_SETFD, FD_CLOEXEC) || ioctl(by_ioctl, FIOCLEX) || fcntl(kept, F_SETFD, 0) ||
	    close_range(by_range, by_range, CLOSE_RANGE_CLOEXEC))
		fail("close on exec");
	printf(FOLDER "closed,0,2\n" FOLDER "by-fcntl,0,4\n" FOLDER "by-ioctl,0,6\n" FOLDER "by-range,0,8\n"
	       FOLDER "kept,0,1010\n");
	fflush(stdout);
	snprintf(text, sizeof(text), "%d", first);
	execl(self, self, text, NULL);
	fail(self);
}

/* Behind exec: four new files have the four lowest numbers, `first` and those behind it. */
static void reuse(int first)
{
	int ends[2];

	if (pipe(ends) || ends[0] != first || ends[1] != first + 1)
		fail("the numbers of the pipe");
	put(ends[1], 10, 70);
	get(ends[0], 10, 70);
	if (make("new", 0) != first + 2 || syscall(SYS_eventfd2, 0, 0) != first + 3)
		fail("other numbers");
	put(first + 2, 6, 6);
	put(first + 4, 100, 10);
	printf("pipe of %d,700,700\n" FOLDER "new,0,36\n", getpid());
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		reuse(atoi(argv[1]));
		return 0;
	}
	copies();
	pairs();
	shared();
	received();
	execute("/proc/self/exe");
}
