// SPDX-License-Identifier: GPL-2.0-or-later
/* sandbox.c - run risky work in a sandbox process.  See sandbox.h. */
#include "symbols/base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbols/base/bytes.h"

static void child(sandbox_work *work, const void *arg, int fd, int report)
{
	struct rlimit limit = { SANDBOX_SECONDS, SANDBOX_SECONDS + 1 };	/* SIGXCPU, then SIGKILL */
	struct debug_error err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	/* Faults end the process without a message. */
	signal(SIGSEGV, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
	setrlimit(RLIMIT_CPU, &limit);
	if (work(arg, fd, &err))
		_exit(0);
	_exit(write(report, &err, sizeof(err)) < 0 ? 1 : 2);
}

static bool is_fault(int sig)
{
	return sig == SIGSEGV || sig == SIGBUS || sig == SIGABRT || sig == SIGILL || sig == SIGFPE;
}

static enum sandbox_end judge_signal(int sig, struct debug_error *err)
{
	const char *name = sigabbrev_np(sig);

	if (sig == SIGINT || sig == SIGTERM)
		return SANDBOX_INTERRUPTED;
	if (sig == SIGXCPU)
		return SANDBOX_TOO_LONG;
	debug_fail(err, "signal %d%s%s%s", sig, name ? " (SIG" : "", name ? name : "", name ? ")" : "");
	return is_fault(sig) ? SANDBOX_CRASHED : SANDBOX_KILLED;
}

static enum sandbox_end judge(int status, int report, struct debug_error *err)
{
	struct debug_error said;

	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return SANDBOX_DONE;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_MEMORY)
		return SANDBOX_NO_MEMORY;
	if (WIFSIGNALED(status))
		return judge_signal(WTERMSIG(status), err);
	if (read(report, &said, sizeof(said)) != sizeof(said)) {
		debug_fail(err, "exit status %d", WEXITSTATUS(status));
		return SANDBOX_CRASHED;
	}
	debug_fail(err, "%s", said.text);
	if (err) {
		err->is_absence = said.is_absence;
		err->is_unwritten = said.is_unwritten;
	}
	return SANDBOX_FAILED;
}

#define EVERY_MS	250

/* The pipe becomes readable when the sandbox fails or ends. */
static void look_until_end(void (*look)(const void *arg), const void *arg, int report)
{
	struct pollfd end = { .fd = report, .events = POLLIN };
	int n;

	while ((n = poll(&end, 1, EVERY_MS)) == 0 || (n < 0 && errno == EINTR))
		look(arg);
}

enum sandbox_end sandbox_run(sandbox_work *work, const void *arg, int fd, void (*look)(const void *arg),
			     struct debug_error *err)
{
	int report[2], status = -1;
	enum sandbox_end end;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC))
		return SANDBOX_NO_PROCESS;
	pid = fork();
	if (!pid)
		child(work, arg, fd, report[1]);
	close(report[1]);
	if (pid > 0 && look)
		look_until_end(look, arg, report[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	end = pid > 0 ? judge(status, report[0], err) : SANDBOX_NO_PROCESS;
	close(report[0]);
	return end;
}
