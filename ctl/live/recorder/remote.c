// SPDX-License-Identifier: GPL-2.0-or-later
/* remote.c - ask a recorder for a snapshot.  See remote.h. */
#include "ctl/live/recorder/remote.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "ctl/base/interrupt.h"

/* Both sides are the same ktrace, or say so. */
#define VERSION		2
#define PREFIX		"ktrace/flight/"
/* A request that has connected is sent at once. */
#define WAIT_S		1

static socklen_t address_of(const char *name, struct sockaddr_un *out)
{
	*out = (struct sockaddr_un){ .sun_family = AF_UNIX };
	/* The first byte, 0, stands for the abstract namespace. */
	return offsetof(struct sockaddr_un, sun_path) + 1 +
	       snprintf(out->sun_path + 1, sizeof(out->sun_path) - 1, PREFIX "%.64s", name);
}

static int open_socket(int flags)
{
	return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0);
}

int remote_listen(const char *name, struct error *err)
{
	struct sockaddr_un address;
	const socklen_t len = address_of(name, &address);
	const int fd = open_socket(SOCK_NONBLOCK);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&address, len) == 0 && listen(fd, 8) == 0)
		return fd;
	error_set(err, STATUS_FAILURE, "'ktrace snapshot' will not find this recording: %s: use the signal SIGUSR1", strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

static bool peer_of(int fd, struct ucred *out)
{
	socklen_t len = sizeof(*out);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, out, &len) == 0;
}

/* Receive a packet of exactly that size. */
static bool receive(int fd, void *to, size_t len)
{
	ssize_t n;

	do
		n = recv(fd, to, len, 0);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)len;
}

static bool take(int fd, struct remote_ask *ask)
{
	const struct timeval wait = { .tv_sec = WAIT_S };
	struct ucred peer;

	return peer_of(fd, &peer) && (!peer.uid || peer.uid == geteuid()) &&
	       setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) == 0 && receive(fd, ask, sizeof(*ask)) &&
	       ask->version == VERSION && memchr(ask->dir, '\0', sizeof(ask->dir)) &&
	       (!*ask->dir || *ask->dir == '/');
}

int remote_take(int listener, struct remote_ask *ask)
{
	const int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0 || take(fd, ask))
		return fd;
	close(fd);
	return -1;
}

void remote_answer(int connection, const struct remote_answer *answer)
{
	struct remote_answer packet = *answer;

	packet.version = VERSION;
	send(connection, &packet, sizeof(packet), MSG_NOSIGNAL | MSG_DONTWAIT);
	close(connection);
}

/* ------------------------------------------------------------- the other side */

static bool no_answer(const char *name, const char *why, struct error *err)
{
	return error_set(err, STATUS_FAILURE, "%s: its recorder does not answer: %s: send it the signal SIGUSR1", name, why);
}

/* The socket must be that of the recorder: any user could have made one of this name. */
static bool connect_to(int fd, const char *name, pid_t pid, struct error *err)
{
	struct sockaddr_un address;
	const socklen_t len = address_of(name, &address);
	struct ucred peer;

	if (connect(fd, (struct sockaddr *)&address, len))
		return no_answer(name, strerror(errno), err);
	if (!peer_of(fd, &peer) || (pid && peer.pid != pid))
		return no_answer(name, "another process has its socket", err);
	return true;
}

static bool call(int fd, const char *name, const char *dir, struct remote_answer *answer, struct error *err)
{
	struct remote_ask ask = { .version = VERSION };

	if (strlen(dir) >= sizeof(ask.dir))
		return error_set(err, STATUS_USAGE, "%s: the name is too long: choose a shorter one", dir);
	strcpy(ask.dir, dir);
	if (send(fd, &ask, sizeof(ask), MSG_NOSIGNAL) != sizeof(ask))
		return no_answer(name, strerror(errno), err);
	if (!interrupt_wait(fd))
		return error_set(err, STATUS_FAILURE, "interrupted: the recorder writes the snapshot all the same");
	if (!receive(fd, answer, sizeof(*answer)) || answer->version != VERSION)
		return no_answer(name, "it has ended, or has another version", err);
	answer->dir[sizeof(answer->dir) - 1] = answer->error.text[sizeof(answer->error.text) - 1] = '\0';
	return true;
}

bool remote_call(const char *name, pid_t pid, const char *dir, struct remote_answer *answer, struct error *err)
{
	const int fd = open_socket(0);
	bool ok;

	if (fd < 0)
		return no_answer(name, strerror(errno), err);
	interrupt_catch();
	ok = connect_to(fd, name, pid, err) && call(fd, name, dir, answer, err);
	interrupt_release();
	close(fd);
	return ok;
}
