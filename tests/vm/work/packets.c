// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * packets: send packets of every known kind over loopback, and print the headers of each as a packet socket sees them, in the
 * form of ktrace's records. The ports are 4401 to 4405 and, of clients, 5501 to 5504.
 */
#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/ip_icmp.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <netpacket/packet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/if_ether.h>

static void __attribute__((noreturn)) failed(const char *what)
{
	perror(what);
	exit(1);
}

/* ------------------------------------------------------------------ printing */

static void print_tcp(const unsigned char *at)
{
	static const char *const names[] = { "FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR" };
	const struct tcphdr *header = (const void *)at;
	const char *before = " flags=";

	printf(" tcp %u > %u seq=%u ack=%u", ntohs(header->source), ntohs(header->dest), ntohl(header->seq), ntohl(header->ack_seq));
	for (int i = 0; i < 8; i++) {
		if (at[13] >> i & 1) {
			printf("%s%s", before, names[i]);
			before = "|";
		}
	}
}

static void print_transport(int protocol, const unsigned char *at)
{
	if (protocol == IPPROTO_TCP) {
		print_tcp(at);
	} else if (protocol == IPPROTO_UDP) {
		const struct udphdr *header = (const void *)at;

		printf(" udp %u > %u len=%u", ntohs(header->source), ntohs(header->dest), ntohs(header->len));
	} else if (protocol == IPPROTO_ICMP) {
		printf(" icmp type=%u code=%u", at[0], at[1]);
	} else {
		printf(" protocol=%d", protocol);
	}
	putchar('\n');
}

static void print_packet(int protocol, const unsigned char *at)
{
	char from[INET6_ADDRSTRLEN], to[INET6_ADDRSTRLEN];
	const struct ip6_hdr *v6 = (const void *)at;
	const struct iphdr *v4 = (const void *)at;

	if (protocol == ETH_P_IP) {
		printf("ipv4 %s > %s", inet_ntop(AF_INET, &v4->saddr, from, sizeof(from)), inet_ntop(AF_INET, &v4->daddr, to, sizeof(to)));
		print_transport(v4->protocol, at + 4 * v4->ihl);
	} else if (protocol == ETH_P_IPV6) {
		printf("ipv6 %s > %s", inet_ntop(AF_INET6, &v6->ip6_src, from, sizeof(from)),
		       inet_ntop(AF_INET6, &v6->ip6_dst, to, sizeof(to)));
		print_transport(v6->ip6_nxt, at + sizeof(*v6));
	}
}

/* Each packet comes twice, when it leaves and when it arrives. */
static void print_all(int fd)
{
	unsigned char bytes[65536] __attribute__((aligned(4)));
	struct sockaddr_ll from;
	socklen_t length = sizeof(from);

	while (recvfrom(fd, bytes, sizeof(bytes), MSG_DONTWAIT, (struct sockaddr *)&from, &length) > 0)
		if (from.sll_pkttype == PACKET_OUTGOING)
			print_packet(ntohs(from.sll_protocol), bytes);
}

static int listen_to_packets(void)
{
	const struct sockaddr_ll lo = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = if_nametoindex("lo") };
	const int fd = socket(AF_PACKET, SOCK_DGRAM, htons(ETH_P_ALL));

	if (fd < 0 || bind(fd, (const struct sockaddr *)&lo, sizeof(lo)))
		failed("packets: packet socket");
	return fd;
}

/* ------------------------------------------------------------------- sending */

struct place {
	struct sockaddr_storage at;
	socklen_t length;
};

static struct place place(int family, int port)
{
	struct place p = { .length = sizeof(struct sockaddr_in) };

	if (family == AF_INET6) {
		*(struct sockaddr_in6 *)&p.at = (struct sockaddr_in6){ .sin6_family = family, .sin6_port = htons(port), .sin6_addr = in6addr_loopback };
		p.length = sizeof(struct sockaddr_in6);
	} else {
		*(struct sockaddr_in *)&p.at = (struct sockaddr_in){ .sin_family = family, .sin_port = htons(port),
								      .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	}
	return p;
}

static int bound(int family, int type, int port)
{
	const struct place p = place(family, port);
	const int fd = socket(family, type, 0), one = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) || bind(fd, (const struct sockaddr *)&p.at, p.length))
		failed("packets: bind");
	return fd;
}

static void send_tcp(int family, int port)
{
	const struct place to = place(family, port);
	const int listener = bound(family, SOCK_STREAM, port), client = bound(family, SOCK_STREAM, port + 1100);
	char bytes[3000] = { 0 };
	ssize_t got = 0;
	int server;

	if (listen(listener, 1) || connect(client, (const struct sockaddr *)&to.at, to.length))
		failed("packets: connect");
	server = accept(listener, NULL, NULL);
	if (send(client, bytes, sizeof(bytes), 0) != sizeof(bytes))
		failed("packets: send");
	while (got < (ssize_t)sizeof(bytes))
		got += recv(server, bytes, sizeof(bytes), 0);
	close(client);
	if (recv(server, bytes, sizeof(bytes), 0))
		failed("packets: recv");
	close(server);
	close(listener);
}

static void send_udp(int family, int port)
{
	const struct place to = place(family, port);
	const int server = bound(family, SOCK_DGRAM, port), client = bound(family, SOCK_DGRAM, port + 1100);
	char bytes[33] = { 0 };

	if (sendto(client, bytes, sizeof(bytes), 0, (const struct sockaddr *)&to.at, to.length) != sizeof(bytes) ||
	    recv(server, bytes, sizeof(bytes), 0) != sizeof(bytes))
		failed("packets: udp");
	close(client);
	close(server);
}

/* A datagram with a header that has an option, and one of another protocol. */
static void send_odd(void)
{
	const struct place to = place(AF_INET, 4405);
	const int server = bound(AF_INET, SOCK_DGRAM, 4405), client = socket(AF_INET, SOCK_DGRAM, 0);
	const int raw = socket(AF_INET, SOCK_RAW, 253);
	const unsigned char option[4] = { 0x94, 4, 0, 0 };	/* router alert */

	if (setsockopt(client, IPPROTO_IP, IP_OPTIONS, option, sizeof(option)) ||
	    sendto(client, option, 2, 0, (const struct sockaddr *)&to.at, to.length) != 2 ||
	    sendto(raw, option, 4, 0, (const struct sockaddr *)&to.at, to.length) != 4)
		failed("packets: odd ones");
	close(client);
	close(server);
	close(raw);
}

static void send_icmp(void)
{
	const struct icmphdr ask = { .type = ICMP_ECHO, .un.echo.sequence = htons(1), .checksum = htons(0xf7fe) };
	const struct place to = place(AF_INET, 0);
	const int raw = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);

	if (sendto(raw, &ask, sizeof(ask), 0, (const struct sockaddr *)&to.at, to.length) != sizeof(ask))
		failed("packets: icmp");
	close(raw);
}

int main(void)
{
	const int fd = listen_to_packets();

	send_tcp(AF_INET, 4401);
	send_tcp(AF_INET6, 4402);
	send_udp(AF_INET, 4403);
	send_udp(AF_INET6, 4404);
	send_odd();
	send_icmp();
	usleep(100000);		/* the last packets of a connection */
	print_all(fd);
	return 0;
}
