// SPDX-License-Identifier: GPL-2.0-or-later
/* child.c - see child.h. */
#include "ctl/live/session/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl/base/memory.h"

/* ---------------------------------------------------------------- signals */

static const int passed[] = { SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGTERM };

static struct sigaction before[ARRAY_SIZE(passed)];
static bool catching;
static volatile sig_atomic_t target;	/* process id for signals; 0: none */
static volatile sig_atomic_t asked;	/* number of requests to end */

/* A signal from the terminal goes to the whole process group, so the command has it already. */
static void on_signal(int sig, siginfo_t *info, void *context)
{
	const int no = errno;

	if (target && info->si_code != SI_KERNEL)
		kill(target, sig);
	if (sig != SIGUSR1 && sig != SIGUSR2)
		asked++;
	errno = no;
}

/* Signals that are ignored at the start (nohup) stay ignored in both processes. */
static void catch_signals(pid_t pid)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	target = pid;
	asked = 0;
	catching = true;
	for (size_t i = 0; i < ARRAY_SIZE(passed); i++) {
		sigaction(passed[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(passed[i], &action, NULL);
	}
}

void child_calm(void)
{
	if (!catching)
		return;
	catching = false;
	target = 0;
	for (size_t i = 0; i < ARRAY_SIZE(passed); i++)
		sigaction(passed[i], &before[i], NULL);
}

unsigned int child_signals(void)
{
	return asked;
}

/* ------------------------------------------------------------------- start */

/* In the child: wait for the release.  If the pipe closes without a byte, give up. */
static void await_and_execute(int start, int answer, char *const *argv)
{
	char go;
	int no;

	if (read(start, &go, 1) != 1)
		_exit(0);
	execvp(argv[0], argv);
	no = errno;
	if (write(answer, &no, sizeof(no)) < 0)
		_exit(STATUS_NOT_EXECUTABLE);
	_exit(no == ENOENT || no == ENOTDIR ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE);
}

static void close_both(int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

static bool not_started(struct error *err)
{
	return error_set(err, STATUS_FAILURE, "the command cannot be started: %s: end some processes",
			 strerror(errno));
}

static bool fork_it(struct child *child, int start[2], int answer[2], char *const *argv,
		    struct error *err)
{
	child->pid = fork();
	if (child->pid < 0) {
		child->pid = 0;
		return not_started(err);
	}
	if (!child->pid) {
		/* The child must not hold the writing end open. */
		close(start[1]);
		await_and_execute(start[0], answer[1], argv);
	}
	child->fd = syscall(SYS_pidfd_open, child->pid, 0);
	return child->fd >= 0 || not_started(err);
}

bool child_start(struct child *child, char *const *argv, struct error *err)
{
	int start[2], answer[2];
	bool ok;

	*child = (struct child){ .fd = -1, .start = -1, .answer = -1 };
	if (pipe2(start, O_CLOEXEC))
		return not_started(err);
	if (pipe2(answer, O_CLOEXEC)) {
		close_both(start);
		return not_started(err);
	}
	ok = fork_it(child, start, answer, argv, err);
	close(start[0]);
	close(answer[1]);
	child->start = start[1];
	child->answer = answer[0];
	if (!ok)
		child_drop(child);
	return ok;
}

/* ----------------------------------------------------------------- release */

static void close_once(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* The errno of exec; 0: it succeeded, and closed the pipe. */
static int exec_error(struct child *child)
{
	ssize_t n;
	int no;

	do
		n = read(child->answer, &no, sizeof(no));
	while (n < 0 && errno == EINTR);
	close_once(&child->answer);
	return n == sizeof(no) ? no : 0;
}

static bool not_executed(const char *name, int no, struct error *err)
{
	if (no == ENOENT || no == ENOTDIR)
		return error_set(err, STATUS_NOT_FOUND, "%s: there is no such command: check its name and PATH", name);
	if (no == EACCES)
		return error_set(err, STATUS_NOT_EXECUTABLE, "%s: it cannot be executed: check its mode (chmod +x) and file system", name);
	return error_set(err, STATUS_NOT_EXECUTABLE, "%s: it cannot be executed: %s", name, strerror(no));
}

bool child_release(struct child *child, const char *name, struct error *err)
{
	int no;

	catch_signals(child->pid);
	if (write(child->start, "", 1) != 1)
		no = errno;
	else
		no = exec_error(child);
	close_once(&child->start);
	if (!no)
		return true;
	while (!child_ended(child, true))
		;
	child_drop(child);
	return not_executed(name, no, err);
}

/* --------------------------------------------------------------------- end */

bool child_ended(struct child *child, bool wait)
{
	siginfo_t info = { 0 };

	if (child->reaped || !child->pid)
		return true;
	/* The process id stays valid until no signal goes to it any more. */
	if (waitid(P_PID, child->pid, &info, WEXITED | WNOWAIT | (wait ? 0 : WNOHANG)) || !info.si_pid)
		return false;
	target = 0;
	while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR)
		;
	child->reaped = true;
	return true;
}

void child_drop(struct child *child)
{
	const bool held = child->start >= 0;

	close_once(&child->start);
	close_once(&child->answer);
	while (held && !child_ended(child, true))
		;
	child_ended(child, false);
	close_once(&child->fd);
	child_calm();
}

int child_shell_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void child_end_alike(int status)
{
	const struct rlimit none = { 0, 0 };
	const int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	sigset_t set;

	if (sig) {
		setrlimit(RLIMIT_CORE, &none);
		signal(sig, SIG_DFL);
		sigemptyset(&set);
		sigaddset(&set, sig);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		raise(sig);
	}
	exit(child_shell_status(status));
}
