// SPDX-License-Identifier: GPL-2.0-or-later
/* shell.c - see shell.h. */
#include "ctl/base/shell.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl/base/guard.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"

extern char **environ;

struct shell {
	const char *command;
	FILE *stream, *out;
	FILE *raw, *guarded;	/* to its standard input */
	size_t rows, columns;	/* of the screen */
	size_t row, column;	/* the position behind the text kept */
	bool in_escape;
	char *kept;
	size_t len;
	pid_t pid;		/* 0: not started */
	int fd;			/* its standard input */
	bool is_gone;		/* it takes no more */
	bool failed;		/* it could not be started */
	bool hidden;		/* interrupt_hide_keys() was in force */
	struct sigaction before;	/* of SIGPIPE */
};

/* ------------------------------------------------------------------- start */

static bool spawn(struct shell *shell, int in)
{
	char *const argv[] = { "sh", "-c", (char *)shell->command, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t none, plain;
	bool ok;

	sigemptyset(&none);
	sigemptyset(&plain);
	sigaddset(&plain, SIGPIPE);
	posix_spawnattr_init(&how);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&how, &none);
	posix_spawnattr_setsigdefault(&how, &plain);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
	ok = !posix_spawn(&shell->pid, "/bin/sh", &files, &how, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&how);
	return ok;
}

static ssize_t give(void *cookie, const char *text, size_t len)
{
	struct shell *shell = cookie;
	const size_t all = len;

	while (len && !shell->is_gone) {
		const ssize_t n = write(shell->fd, text, len);

		shell->is_gone = n < 0 && errno != EINTR;
		text += n > 0 ? n : 0;
		len -= n > 0 ? n : 0;
	}
	return all;
}

static bool start(struct shell *shell)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return false;
	/* As git does: less ends if all fits, and shows colours. */
	setenv("LESS", "FRX", false);
	interrupt_catch();
	shell->hidden = interrupt_show_keys();
	sigaction(SIGPIPE, &ignore, &shell->before);
	shell->fd = ends[1];
	if (spawn(shell, ends[0])) {
		close(ends[0]);
		shell->raw = fopencookie(shell, "w", (cookie_io_functions_t){ .write = give });
		shell->guarded = shell->raw ? guard_open(shell->raw) : NULL;
		return true;
	}
	shell->pid = 0;
	close(ends[0]);
	close(ends[1]);
	sigaction(SIGPIPE, &shell->before, NULL);
	if (shell->hidden)
		interrupt_hide_keys();
	interrupt_release();
	return false;
}

/* ------------------------------------------------------------------- write */

static void put(struct shell *shell, const char *text, size_t len)
{
	if (!shell->guarded)
		return;
	fwrite(text, 1, len, shell->guarded);
	fflush(shell->guarded);
}

/* Move the position behind a byte; escape sequences and the further bytes of a UTF-8 character take no column. */
static void advance(struct shell *shell, unsigned char c)
{
	if (shell->in_escape || c == '\033') {
		shell->in_escape = !isalpha(c);
		return;
	}
	if (c == '\n') {
		shell->row++;
		shell->column = 0;
		return;
	}
	if (c == '\t')
		shell->column |= 7;
	if ((c & 0xc0) != 0x80 && shell->column++ == shell->columns) {
		shell->row++;
		shell->column = 1;
	}
}

static void keep(struct shell *shell, const char *text, size_t len)
{
	shell->kept = mem_grow(shell->kept, shell->len + len, 1);
	memcpy(shell->kept + shell->len, text, len);
	shell->len += len;
	for (size_t i = 0; i < len; i++)
		advance(shell, text[i]);
	/* The prompt takes the last line. */
	if (shell->row < shell->rows || shell->failed)
		return;
	if (start(shell))
		put(shell, shell->kept, shell->len);
	else
		shell->failed = true;
}

static ssize_t take(void *cookie, const char *text, size_t len)
{
	struct shell *shell = cookie;

	if (shell->pid)
		put(shell, text, len);
	else
		keep(shell, text, len);
	return len;
}

/* ---------------------------------------------------------------- open, close */

struct shell *shell_open(const char *command, FILE *out, size_t rows, size_t columns, struct error *err)
{
	struct shell *shell = mem_zalloc(1, sizeof(*shell));

	*shell = (struct shell){ .command = command, .out = out, .rows = rows, .columns = columns };
	shell->stream = fopencookie(shell, "w", (cookie_io_functions_t){ .write = take });
	if (shell->stream && (rows || start(shell)))
		return shell;
	error_set(err, STATUS_FAILURE, "no shell can be started: try again");
	if (shell->stream)
		fclose(shell->stream);
	free(shell);
	return NULL;
}

FILE *shell_stream(struct shell *shell)
{
	return shell->stream;
}

/* Ctrl-C was meant for the command. */
static int finish(struct shell *shell)
{
	int status = 0;

	if (shell->guarded)
		fclose(shell->guarded);
	if (shell->raw)
		fclose(shell->raw);
	close(shell->fd);
	while (waitpid(shell->pid, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGPIPE, &shell->before, NULL);
	if (shell->hidden)
		interrupt_hide_keys();
	if (interrupt_by_ctrl_c())
		interrupt_clear();
	interrupt_release();
	return status;
}

int shell_close(struct shell *shell)
{
	int status = 0;

	fclose(shell->stream);
	if (shell->pid)
		status = finish(shell);
	else if (shell->len)
		fwrite(shell->kept, 1, shell->len, shell->out);
	free(shell->kept);
	free(shell);
	return status;
}

bool shell_result(int status, struct error *err)
{
	if (status < 0)
		return error_set(err, STATUS_FAILURE, "no shell can be started: try again");
	if (WIFSIGNALED(status))
		return error_set(err, STATUS_FAILURE, "the shell command was ended by signal %d", WTERMSIG(status));
	return !status || error_set(err, STATUS_FAILURE, "the shell command ended with status %d", WEXITSTATUS(status));
}

/* ------------------------------------------------------------------- pager */

static bool is_installed(const char *name)
{
	const char *path = getenv("PATH");

	for (size_t len; path && *path; path += len + (path[len] == ':')) {
		len = strcspn(path, ":");
		AUTO_FREE char *file = mem_printf("%.*s/%s", (int)len, path, name);

		if (!access(file, X_OK))
			return true;
	}
	return false;
}

const char *shell_pager(void)
{
	static const char *const names[] = { "less", "more" };
	const char *wanted = getenv("PAGER");

	if (wanted)
		return *wanted && strcmp(wanted, "cat") ? wanted : NULL;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (is_installed(names[i]))
			return names[i];
	return NULL;
}
