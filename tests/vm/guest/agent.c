// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guest's process after init. It runs the one command and carries its output, input and status to and from
 * the host, then the requested files and the kernel log. It sleeps while it waits, so that it does not disturb
 * measurements.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "port.h"

#define KLOG_READ_ALL 3
#define KLOG_SIZE 10

struct agent {
	int port;
	int children;		/* signalfd for SIGCHLD */
	struct command command;
	bool exited;
	uint32_t status;
	char pending[PORT_CHUNK];	/* input that the command has not read yet */
	size_t pending_at, pending_length;
};

static char buffer[PORT_CHUNK];

/* Carry the available data; close the descriptor at its end. Returns false when there is no more data now. */
static bool carry(struct agent *agent, int *fd, enum frame_type type)
{
	ssize_t got = read(*fd, buffer, sizeof(buffer));

	if (got > 0) {
		port_send(agent->port, type, buffer, got);
		return true;
	}
	if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
		close(*fd);
		*fd = -1;
	}
	return false;
}

static void drain(struct agent *agent, int *fd, enum frame_type type)
{
	while (*fd >= 0 && carry(agent, fd, type))
		;
}

static void reap(struct agent *agent)
{
	struct signalfd_siginfo info;
	pid_t pid;
	int status;

	if (read(agent->children, &info, sizeof(info)) < 0)
		return;
	/* Process 1 also inherits every orphaned process. */
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != agent->command.pid)
			continue;
		agent->exited = true;
		agent->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	}
}

static void feed(struct agent *agent)
{
	ssize_t done = write(agent->command.in, agent->pending + agent->pending_at, agent->pending_length);

	if (done < 0) {
		if (errno == EAGAIN || errno == EINTR)
			return;
		/* The command no longer reads its input. */
		command_end_input(&agent->command);
		agent->pending_length = 0;
		return;
	}
	agent->pending_at += done;
	agent->pending_length -= done;
	if (agent->pending_length == 0)
		port_send(agent->port, FRAME_WANT, NULL, 0);
}

static void host_says(struct agent *agent)
{
	struct frame frame;
	uint32_t size[2];

	if (port_receive(agent->port, &frame, agent->pending) < 0)
		return;
	if (frame.type == FRAME_SIZE && frame.length == sizeof(size)) {
		memcpy(size, agent->pending, sizeof(size));
		command_resize(&agent->command, size[0], size[1]);
	} else if (frame.type == FRAME_IN && frame.length == 0) {
		command_end_input(&agent->command);
	} else if (frame.type == FRAME_IN && agent->command.in >= 0) {
		agent->pending_at = 0;
		agent->pending_length = frame.length;
		feed(agent);
	}
}

static void serve(struct agent *agent)
{
	struct command *command = &agent->command;

	while (!agent->exited) {
		bool waiting = agent->pending_length > 0;
		struct pollfd fds[] = {
			{ .fd = agent->children, .events = POLLIN },
			{ .fd = command->out, .events = POLLIN },
			{ .fd = command->err, .events = POLLIN },
			{ .fd = waiting ? -1 : agent->port, .events = POLLIN },
			{ .fd = waiting ? command->in : -1, .events = POLLOUT },
		};

		if (poll(fds, sizeof(fds) / sizeof(fds[0]), -1) < 0)
			continue;
		if (fds[1].revents)
			carry(agent, &command->out, FRAME_OUT);
		if (fds[2].revents)
			carry(agent, &command->err, FRAME_ERR);
		if (fds[4].revents)
			feed(agent);
		if (fds[3].revents & POLLIN)
			host_says(agent);
		if (fds[0].revents)
			reap(agent);
	}
	drain(agent, &command->out, FRAME_OUT);
	drain(agent, &command->err, FRAME_ERR);
}

static void send_file(struct agent *agent, const char *path)
{
	ssize_t got;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	port_send(agent->port, FRAME_FILE, path, fd < 0 ? 0 : strlen(path));
	if (fd < 0)
		return;
	while ((got = read(fd, buffer, sizeof(buffer))) > 0)
		port_send(agent->port, FRAME_DATA, buffer, got);
	close(fd);
}

static void send_files(struct agent *agent)
{
	struct command wanted;

	if (command_read(&wanted, "/lab/get") < 0)
		return;
	for (char **path = wanted.argv; *path; path++)
		send_file(agent, *path);
}

static void send_log(struct agent *agent)
{
	int size = klogctl(KLOG_SIZE, NULL, 0);
	char *log = malloc(size > 0 ? size : 1);
	int length = log ? klogctl(KLOG_READ_ALL, log, size) : 0;

	for (int at = 0; at < length; at += PORT_CHUNK)
		port_send(agent->port, FRAME_LOG, log + at, length - at < PORT_CHUNK ? length - at : PORT_CHUNK);
	free(log);
}

static int watch_children(void)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	return signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void run_command(struct agent *agent)
{
	bool tty = access("/lab/tty", F_OK) == 0;

	agent->children = watch_children();
	port_send(agent->port, FRAME_HELLO, NULL, 0);
	if (command_read(&agent->command, "/lab/argv") < 0 ||
	    command_start(&agent->command, tty, access("/lab/stdin", F_OK) == 0) < 0) {
		port_send(agent->port, FRAME_FAIL, "cannot start the command", 24);
		return;
	}
	if (agent->command.in >= 0)
		port_send(agent->port, FRAME_WANT, NULL, 0);
	serve(agent);
	send_files(agent);
}

int main(int argc, char **argv)
{
	static struct agent agent;

	/* Without a port there is no host to report to: the console has the message. */
	agent.port = port_open();
	if (agent.port < 0) {
		puts("lab: no virtio-serial port");
		return 1;
	}
	signal(SIGPIPE, SIG_IGN);
	if (argc > 1 && argv[1][0])
		port_send(agent.port, FRAME_FAIL, argv[1], strnlen(argv[1], PORT_CHUNK));
	else
		run_command(&agent);
	send_log(&agent);
	port_send_word(agent.port, FRAME_STATUS, agent.status);
	/* The host ends the guest when it has the status. */
	for (;;)
		pause();
}
