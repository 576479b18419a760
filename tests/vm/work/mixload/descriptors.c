// SPDX-License-Identifier: GPL-2.0-or-later
/* descriptors.c - actions of mixload: pipes, sockets without a network, terminals, and waiting for them. */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "mixload.h"

bool do_pipe(void)
{
	int ends[2];

	return pipe(ends) == 0 && through(ends[1], ends[0], PAGE);
}

bool do_socketpair(void)
{
	static const int types[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET };
	int ends[2];

	return socketpair(AF_UNIX, types[roll(3)], 0, ends) == 0 && through(ends[0], ends[1], PAGE);
}

bool do_pty(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	char name[64];
	bool ok;

	if (master < 0 || unlockpt(master) || ptsname_r(master, name, sizeof(name)))
		return false;
	slave = open(name, O_RDWR | O_NOCTTY);
	ok = slave >= 0 && write(master, "line\n", 5) == 5 && read(slave, in, sizeof(in)) == 5;
	close(slave);
	close(master);
	return ok;
}

bool do_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int events = epoll_create1(0), fd = eventfd(0, 0);
	uint64_t one = 1;
	bool ok = epoll_ctl(events, EPOLL_CTL_ADD, fd, &event) == 0 && epoll_wait(events, &event, 1, 0) == 0 &&
		  write(fd, &one, 8) == 8 && epoll_wait(events, &event, 1, 1000) == 1 && read(fd, &one, 8) == 8 && one == 1;

	close(fd);
	close(events);
	return ok;
}

bool do_poll(void)
{
	struct pollfd none = { .fd = -1 };

	return poll(&none, 1, 1) == 0 && select(0, NULL, NULL, NULL, &(struct timeval){ 0, 500 }) == 0;
}

bool do_vectors(void)
{
	struct iovec parts[2] = { { out, 100 }, { out + 100, 50 } }, back[2] = { { in, 7 }, { in + 7, 143 } };
	int ends[2];
	bool ok;

	message(1);
	ok = pipe(ends) == 0 && writev(ends[1], parts, 2) == 150 && came_back(readv(ends[0], back, 2), 150);
	close(ends[0]);
	close(ends[1]);
	return ok;
}
