// SPDX-License-Identifier: GPL-2.0-or-later
/* screen.c - see screen.h.  The sequences are those that all terminals of today understand (ECMA-48, xterm). */
#include "ctl/base/screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "ctl/base/guard.h"
#include "ctl/base/memory.h"

/* To the alternate screen, without cursor, and cut long lines; and back. */
#define ENTER	"\033[?1049h\033[?25l\033[?7l\033[2J"
#define LEAVE	"\033[?7h\033[?25h\033[?1049l"
#define HOME	"\033[H"
#define REST	"\033[K"	/* erase the rest of the line */
#define BELOW	"\033[J"	/* erase all below */

static struct termios before;
static volatile sig_atomic_t is_open, wants_stop, has_changed;

static void put(const char *text, size_t len)
{
	while (len) {
		const ssize_t n = write(STDOUT_FILENO, text, len);

		if (n < 0 && errno != EINTR)
			return;
		text += n > 0 ? n : 0;
		len -= n > 0 ? n : 0;
	}
}

/* Both are called by signal handlers, too. */
static void enter(void)
{
	struct termios raw = before;

	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
	put(ENTER, sizeof(ENTER) - 1);
}

static void leave(void)
{
	put(LEAVE, sizeof(LEAVE) - 1);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

/* --------------------------------------------------------------------- signals */

static void on_stop(int sig)
{
	wants_stop = true;
}

static void on_change(int sig)
{
	has_changed = sig;
}

/* It ends the program, as without this handler. */
static void on_end(int sig)
{
	if (is_open)
		leave();
	is_open = false;
	raise(sig);
}

static struct {
	int sig;
	void (*handler)(int sig);
	int flags;
	struct sigaction before;
} signals[] = {
	{ .sig = SIGTSTP, on_stop, 0 }, { .sig = SIGCONT, on_change, 0 }, { .sig = SIGWINCH, on_change, 0 },
	{ .sig = SIGHUP, on_end, SA_RESETHAND }, { .sig = SIGQUIT, on_end, SA_RESETHAND },
	{ .sig = SIGABRT, on_end, SA_RESETHAND }, { .sig = SIGSEGV, on_end, SA_RESETHAND },
	{ .sig = SIGBUS, on_end, SA_RESETHAND }, { .sig = SIGFPE, on_end, SA_RESETHAND },
	{ .sig = SIGILL, on_end, SA_RESETHAND },
};

static void catch_signals(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		const struct sigaction action = {
			.sa_handler = signals[i].handler, .sa_flags = signals[i].flags,
		};

		sigaction(signals[i].sig, &action, &signals[i].before);
	}
}

static void release_signals(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i].sig, &signals[i].before, NULL);
}

/* The shell gets its terminal as it was; a shell that continues the program may have changed it since. */
static void stop(void)
{
	wants_stop = false;
	leave();
	raise(SIGSTOP);
	has_changed = SIGCONT;
}

/* ---------------------------------------------------------------- open and close */

bool screen_is_possible(void)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && strcmp(term, "dumb");
}

void screen_open(void)
{
	static bool closes_at_exit;

	if (is_open || tcgetattr(STDIN_FILENO, &before))
		return;
	if (!closes_at_exit)
		atexit(screen_close);
	closes_at_exit = true;
	catch_signals();
	is_open = true;
	enter();
}

void screen_close(void)
{
	if (!is_open)
		return;
	is_open = false;
	leave();
	release_signals();
}

/* --------------------------------------------------------------------- drawing */

void screen_size(size_t *rows, size_t *columns)
{
	struct winsize size;

	*rows = 24;
	*columns = 80;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && ioctl(STDERR_FILENO, TIOCGWINSZ, &size))
		return;
	if (!size.ws_row || !size.ws_col)
		return;
	*rows = size.ws_row;
	*columns = size.ws_col;
}

size_t screen_columns(void)
{
	size_t rows, columns;

	screen_size(&rows, &columns);
	return columns;
}

/* In one write, so that the terminal does not show a part. */
void screen_draw(const char *text)
{
	AUTO_FREE char *all = NULL;
	const char *end;
	size_t len, rows, columns;
	FILE *out = open_memstream(&all, &len);

	if (!out)
		return;
	screen_size(&rows, &columns);
	fputs(HOME, out);
	for (size_t row = 0; *text && row < rows; row++, text = *end ? end + 1 : end) {
		end = strchrnul(text, '\n');
		fputs(row ? "\r\n" : "", out);
		AUTO_FREE char *line = mem_strndup(text, end - text);

		guard_text(line, out);
		fputs(REST, out);
	}
	fputs(BELOW, out);
	fclose(out);
	put(all, len);
}

/* ------------------------------------------------------------------------ keys */

bool screen_wait(int fd, int ms)
{
	struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN }, { .fd = fd, .events = POLLIN | POLLPRI } };

	const bool any = poll(fds, 2, ms) > 0;

	if (wants_stop)
		stop();
	return any && fds[1].revents;
}

char screen_key(void)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	char c;
	ssize_t n;

	if (poll(&in, 1, 0) <= 0)
		return '\0';
	n = read(STDIN_FILENO, &c, 1);
	if (n < 0 && errno == EINTR)
		return '\0';
	return n == 1 ? c : 'q';
}

bool screen_changed(void)
{
	const int sig = has_changed;

	if (!sig)
		return false;
	has_changed = false;
	if (sig == SIGCONT)
		enter();
	return true;
}
