// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Send COUNT messages of SIZE (default 64) bytes over loopback and receive each again: netload tcp|udp COUNT
 * [SIZE]
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_SIZE 32768

static char buffer[MAX_SIZE];

/* A socket on any free port; its address is written to *address. */
static int serve_on(int type, struct sockaddr_in *address)
{
	socklen_t length = sizeof(*address);
	int fd = socket(AF_INET, type, 0);

	*address = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (bind(fd, (struct sockaddr *)address, length) < 0 || getsockname(fd, (struct sockaddr *)address, &length) < 0) {
		perror("netload");
		exit(1);
	}
	if (type == SOCK_STREAM)
		listen(fd, 1);
	return fd;
}

static void __attribute__((noreturn)) echo_tcp(int listener)
{
	int fd = accept(listener, NULL, NULL);
	ssize_t got;

	while ((got = recv(fd, buffer, sizeof(buffer), 0)) > 0)
		send(fd, buffer, got, MSG_NOSIGNAL);
	_exit(0);
}

static void __attribute__((noreturn)) echo_udp(int fd)
{
	struct sockaddr_in from;
	socklen_t length = sizeof(from);

	for (;;) {
		ssize_t got = recvfrom(fd, buffer, sizeof(buffer), 0, (struct sockaddr *)&from, &length);

		sendto(fd, buffer, got, 0, (struct sockaddr *)&from, length);
	}
}

static int talk(int fd, int type, long count, size_t size)
{
	for (long i = 0; i < count; i++) {
		if (send(fd, buffer, size, 0) != (ssize_t)size)
			return 1;
		if (recv(fd, buffer, size, type == SOCK_STREAM ? MSG_WAITALL : 0) != (ssize_t)size)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int type = argc > 2 && strcmp(argv[1], "udp") == 0 ? SOCK_DGRAM : SOCK_STREAM;
	size_t size = argc > 3 ? strtoul(argv[3], NULL, 0) : 64;
	struct sockaddr_in address;
	int server, fd, failed;
	pid_t echo;

	if (argc < 3 || (type == SOCK_STREAM && strcmp(argv[1], "tcp") != 0) || size - 1 >= MAX_SIZE) {
		fputs("usage: netload tcp|udp COUNT [SIZE]\n", stderr);
		return 2;
	}
	server = serve_on(type, &address);
	echo = fork();
	if (echo == 0)
		type == SOCK_STREAM ? echo_tcp(server) : echo_udp(server);
	fd = socket(AF_INET, type, 0);
	failed = connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0 || talk(fd, type, atol(argv[2]), size);
	if (failed)
		perror("netload");
	kill(echo, SIGKILL);
	waitpid(echo, NULL, 0);
	return failed;
}
