// SPDX-License-Identifier: GPL-2.0-or-later
/* Start the guest's command. */
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

#define PIPE_BYTES (1 << 20)

int command_read(struct command *command, const char *path)
{
	struct stat st;
	char *text, *at;
	int fd = open(path, O_RDONLY | O_CLOEXEC), argc = 0;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -1;
	text = calloc(1, st.st_size + 1);
	command->argv = calloc(st.st_size + 1, sizeof(char *));
	if (!text || !command->argv || read(fd, text, st.st_size) != st.st_size)
		return -1;
	for (at = text; at < text + st.st_size; at += strlen(at) + 1)
		command->argv[argc++] = at;
	close(fd);
	return argc ? 0 : -1;
}

static void __attribute__((noreturn)) execute(char **argv)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (chdir("/root") < 0)
		perror("/root");
	execvp(argv[0], argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

static void child_on_pipes(struct command *command, int in, int out, int err)
{
	setsid();
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	execute(command->argv);
}

static int start_on_pipes(struct command *command, bool with_input)
{
	int in[2] = { -1, -1 }, out[2], err[2];

	if (pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0)
		return -1;
	if (with_input ? pipe2(in, O_CLOEXEC) : (in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0)
		return -1;
	fcntl(out[0], F_SETPIPE_SZ, PIPE_BYTES);
	fcntl(err[0], F_SETPIPE_SZ, PIPE_BYTES);
	command->pid = fork();
	if (command->pid == 0)
		child_on_pipes(command, in[0], out[1], err[1]);
	close(in[0]);
	close(out[1]);
	close(err[1]);
	command->in = in[1];
	command->out = out[0];
	command->err = err[0];
	return command->pid < 0 ? -1 : 0;
}

static int start_on_terminal(struct command *command)
{
	command->pid = forkpty(&command->out, NULL, NULL, NULL);
	if (command->pid == 0)
		execute(command->argv);
	fcntl(command->out, F_SETFD, FD_CLOEXEC);
	command->in = command->out;
	command->err = -1;
	return command->pid < 0 ? -1 : 0;
}

int command_start(struct command *command, bool tty, bool with_input)
{
	command->tty = tty;
	if ((tty ? start_on_terminal(command) : start_on_pipes(command, with_input)) < 0)
		return -1;
	fcntl(command->out, F_SETFL, O_NONBLOCK | fcntl(command->out, F_GETFL));
	if (command->err >= 0)
		fcntl(command->err, F_SETFL, O_NONBLOCK);
	if (!tty && command->in >= 0)
		fcntl(command->in, F_SETFL, O_NONBLOCK | O_WRONLY);
	return 0;
}

void command_resize(struct command *command, unsigned int rows, unsigned int columns)
{
	struct winsize size = { .ws_row = rows, .ws_col = columns };

	if (command->tty)
		ioctl(command->out, TIOCSWINSZ, &size);
}

void command_end_input(struct command *command)
{
	/* A terminal signals the end of input by Ctrl-D. */
	if (command->tty && command->in >= 0 && write(command->in, "\004", 1) < 0)
		perror("terminal");
	if (!command->tty && command->in >= 0)
		close(command->in);
	command->in = -1;
}
