// SPDX-License-Identifier: GPL-2.0-or-later
/* network.c - actions of mixload: the network. */
#include <errno.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mixload.h"

bool do_udp(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t len = sizeof(to);
	size_t n = message(4000);
	bool ok = bind(a, (struct sockaddr *)&to, len) == 0 && getsockname(a, (struct sockaddr *)&to, &len) == 0 &&
		  sendto(b, out, n, 0, (struct sockaddr *)&to, len) == (ssize_t)n && came_back(recv(a, in, n, 0), n);

	close(a);
	close(b);
	return ok;
}

bool do_tcp(void)
{
	struct sockaddr_in6 to = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int server = socket(AF_INET6, SOCK_STREAM, 0), client, served;
	socklen_t len = sizeof(to);
	bool ok = bind(server, (struct sockaddr *)&to, len) == 0 && listen(server, 1) == 0 &&
		  getsockname(server, (struct sockaddr *)&to, &len) == 0;

	client = socket(AF_INET6, SOCK_STREAM, 0);
	ok = ok && connect(client, (struct sockaddr *)&to, len) == 0;
	served = ok ? accept(server, NULL, NULL) : -1;
	ok = ok && setsockopt(served, SOL_SOCKET, SO_SNDBUF, &(int){ 65536 }, sizeof(int)) == 0;
	close(server);
	return ok && through(client, served, 1000);
}

bool do_netlink(void)
{
	struct {
		struct nlmsghdr head;
		struct rtgenmsg body;
	} ask = { { sizeof(ask), RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP, 1, 0 }, { AF_UNSPEC } };
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	bool ok = fd >= 0 && send(fd, &ask, sizeof(ask), 0) == sizeof(ask) && recv(fd, in, sizeof(in), 0) > 0;

	close(fd);
	return ok;
}

/* This switches static keys of the network on and off again. */
bool do_packet(void)
{
	int fd = socket(AF_PACKET, SOCK_RAW, htons(3));

	if (fd < 0)
		return errno == EPERM || errno == EAFNOSUPPORT;
	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMP, &(int){ 1 }, sizeof(int));
	return close(fd) == 0;
}
