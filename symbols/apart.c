// SPDX-License-Identifier: GPL-2.0-or-later
/* apart.c - a process for work that may go wrong.  See apart.h. */
#include "symbols/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbols/bytes.h"

#define CPU_SECONDS	1200	/* a damaged file may send a library in circles */

static void child(apart_work *work, const void *arg, int fd, int report)
{
	struct rlimit limit = { CPU_SECONDS, CPU_SECONDS };
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

static enum apart judge(int status, int report, struct debug_error *err)
{
	struct debug_error said;

	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return APART_DONE;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_MEMORY)
		return APART_NO_MEMORY;
	if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM))
		return APART_INTERRUPTED;
	if (!WIFEXITED(status) || read(report, &said, sizeof(said)) != sizeof(said))
		return APART_DIED;
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
