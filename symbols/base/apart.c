// SPDX-License-Identifier: GPL-2.0-or-later
/* apart.c - a process for work that may go wrong.  See apart.h. */
#include "symbols/base/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbols/base/bytes.h"

static void child(apart_work *work, const void *arg, int fd, int report)
{
	struct rlimit limit = { APART_SECONDS, APART_SECONDS + 1 };	/* SIGXCPU, then SIGKILL */
	struct debug_error err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	/* Faults end it quietly. */
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

static enum apart judge_signal(int sig, struct debug_error *err)
{
	const char *name = sigabbrev_np(sig);

	if (sig == SIGINT || sig == SIGTERM)
		return APART_INTERRUPTED;
	if (sig == SIGXCPU)
		return APART_TOO_LONG;
	debug_fail(err, "signal %d%s%s%s", sig, name ? " (SIG" : "", name ? name : "", name ? ")" : "");
	return is_fault(sig) ? APART_CRASHED : APART_KILLED;
}

static enum apart judge(int status, int report, struct debug_error *err)
{
	struct debug_error said;

	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return APART_DONE;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_MEMORY)
		return APART_NO_MEMORY;
	if (WIFSIGNALED(status))
		return judge_signal(WTERMSIG(status), err);
	if (read(report, &said, sizeof(said)) != sizeof(said)) {
		debug_fail(err, "exit status %d", WEXITSTATUS(status));
		return APART_CRASHED;
	}
	debug_fail(err, "%s", said.text);
	if (err)
		err->is_absence = said.is_absence;
	return APART_FAILED;
}

enum apart apart_run(apart_work *work, const void *arg, int fd, struct debug_error *err)
{
	int report[2], status = -1;
	enum apart end;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC))
		return APART_NO_PROCESS;
	pid = fork();
	if (!pid)
		child(work, arg, fd, report[1]);
	close(report[1]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	end = pid > 0 ? judge(status, report[0], err) : APART_NO_PROCESS;
	close(report[0]);
	return end;
}
