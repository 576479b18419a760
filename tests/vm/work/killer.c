// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run a command and kill it by SIGKILL:
 *
 *   killer [-t] [-i TEXT] [-r REQUEST] MICROSECONDS COMMAND...
 *
 * MICROSECONDS after its start, or with -r after the begin of its first ioctl with this number. 0 microseconds:
 * before that ioctl does anything. -t gives it a terminal. -i types TEXT there (\n ends a line), or gives it as
 * standard input. Prints "killed", or "ended" if the command was faster. The command's output goes to standard
 * output.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <linux/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

struct plan {
	bool terminal;
	const char *input;
	unsigned long request;
	long microseconds;
};

static void type(int fd, const char *text)
{
	for (; text && *text; text++) {
		bool newline = text[0] == '\\' && text[1] == 'n';

		if (write(fd, newline ? "\n" : text, 1) != 1)
			return;
		text += newline;
	}
}

/* Open the command's input, a terminal or a pipe; *child is the command's end. */
static int make_input(const struct plan *plan, int *child)
{
	int ends[2];

	if (!plan->terminal) {
		if (pipe(ends) < 0)
			exit(125);
		*child = ends[0];
		return ends[1];
	}
	ends[1] = posix_openpt(O_RDWR | O_NOCTTY);
	if (ends[1] < 0 || unlockpt(ends[1]) < 0 || (*child = open(ptsname(ends[1]), O_RDWR | O_NOCTTY)) < 0)
		exit(125);
	return ends[1];
}

static void become(const struct plan *plan, int input, char **command)
{
	dup2(input, 0);
	if (plan->terminal) {
		setsid();
		dup2(input, 1);
		dup2(input, 2);
	}
	if (plan->request)
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	execvp(command[0], command);
	_exit(127);
}

/*
 * Run the command up to this ioctl; with no time to pass, stop it there. False if it ended before; *status is
 * its status.
 */
static bool run_to_request(pid_t child, const struct plan *plan, int *status)
{
	struct ptrace_syscall_info call;

	while (waitpid(child, status, 0) == child && WIFSTOPPED(*status)) {
		ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD);
		if (ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof(call), &call) > 0 &&
		    call.op == PTRACE_SYSCALL_INFO_ENTRY && call.entry.nr == SYS_ioctl && call.entry.args[1] == plan->request)
			return !plan->microseconds || ptrace(PTRACE_DETACH, child, NULL, NULL) == 0;
		ptrace(PTRACE_SYSCALL, child, NULL, NULL);
	}
	return false;
}

/* Read the terminal: a full terminal would block the command. */
static void pass_time(const struct plan *plan, int terminal)
{
	struct timespec now, end;
	struct pollfd one = { .fd = terminal, .events = POLLIN };
	char text[4096];

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += plan->microseconds / 1000000;
	end.tv_nsec += plan->microseconds % 1000000 * 1000;
	do {
		if (!plan->terminal)
			usleep(plan->microseconds);
		else if (poll(&one, 1, 1) > 0 && read(terminal, text, sizeof(text)) < 0)
			one.fd = -1;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (plan->terminal && (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec)));
}

int main(int argc, char **argv)
{
	struct plan plan = { 0 };
	int option, input, ours, status;
	pid_t child;

	while ((option = getopt(argc, argv, "+ti:r:")) != -1) {
		if (option == 't')
			plan.terminal = true;
		else if (option == 'i')
			plan.input = optarg;
		else if (option == 'r')
			plan.request = strtoul(optarg, NULL, 0);
		else
			return 2;
	}
	if (argc - optind < 2) {
		fputs("usage: killer [-t] [-i TEXT] [-r REQUEST] MICROSECONDS COMMAND...\n", stderr);
		return 2;
	}
	plan.microseconds = atol(argv[optind]);
	signal(SIGPIPE, SIG_IGN);
	ours = make_input(&plan, &input);
	fcntl(ours, F_SETFD, FD_CLOEXEC);
	child = fork();
	if (child == 0)
		become(&plan, input, argv + optind + 1);
	type(ours, plan.input);
	if (!plan.request || run_to_request(child, &plan, &status)) {
		pass_time(&plan, ours);
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
	}
	puts(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? "killed" : "ended");
	return 0;
}
