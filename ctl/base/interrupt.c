// SPDX-License-Identifier: GPL-2.0-or-later
/* interrupt.c - Ctrl-C stops the running command.  See interrupt.h. */
#include "ctl/base/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <termios.h>
#include <unistd.h>

static volatile sig_atomic_t caught;	/* the signal; 0: none is pending */
static struct sigaction before_int, before_term;
static unsigned int nested;

static void on_signal(int sig)
{
	caught = sig;
}

static sigset_t both(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	return set;
}

void interrupt_catch(void)
{
	/* Without SA_RESTART, so that a write or read in progress ends. */
	struct sigaction action = { .sa_handler = on_signal };

	if (nested++)
		return;
	sigaction(SIGINT, &action, &before_int);
	sigaction(SIGTERM, &action, &before_term);
}

void interrupt_release(void)
{
	if (--nested)
		return;
	sigaction(SIGINT, &before_int, NULL);
	sigaction(SIGTERM, &before_term, NULL);
}

bool interrupt_pending(void)
{
	return caught;
}

bool interrupt_by_ctrl_c(void)
{
	return caught == SIGINT;
}

void interrupt_clear(void)
{
	caught = 0;
}

int interrupt_begin_anew(void)
{
	const int before = caught;

	caught = 0;
	interrupt_catch();
	return before;
}

void interrupt_go_back(int before)
{
	interrupt_release();
	if (before)
		caught = before;
}

void interrupt_hold(void)
{
	sigset_t set = both();

	sigprocmask(SIG_BLOCK, &set, NULL);
}

void interrupt_let(void)
{
	sigset_t set = both();

	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* The signal mask while sleeping. */
static sigset_t sleeping(void)
{
	sigset_t mask;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	sigdelset(&mask, SIGINT);
	sigdelset(&mask, SIGTERM);
	return mask;
}

void interrupt_nap(int ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000L };
	sigset_t mask = sleeping();

	ppoll(NULL, 0, &time, &mask);
}

bool interrupt_wait(int fd)
{
	struct pollfd in = { .fd = fd, .events = POLLIN };
	sigset_t mask = sleeping();
	bool ready;

	interrupt_hold();
	ready = !caught && ppoll(&in, 1, NULL, &mask) > 0;
	interrupt_let();
	return ready;
}

char interrupt_read_answer(int fd)
{
	char first = '\0', c;

	while (interrupt_wait(fd) && read(fd, &c, 1) == 1) {
		first = first ? first : c;
		if (c == '\n')
			return first;
	}
	return '\0';
}

/* ----------------------------------------------------------------- the keys */

static struct termios shown;
static bool hidden;

void interrupt_hide_keys(void)
{
	struct termios quiet;

	if (hidden || tcgetattr(STDIN_FILENO, &shown))
		return;
	quiet = shown;
	quiet.c_lflag &= ~(tcflag_t)ECHO;
	hidden = !tcsetattr(STDIN_FILENO, TCSADRAIN, &quiet);
}

bool interrupt_show_keys(void)
{
	bool was_hidden = hidden;

	if (hidden)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &shown);
	hidden = false;
	return was_hidden;
}

/* --------------------------------------------------------------- the stream */

static ssize_t write_unless_interrupted(void *cookie, const char *buf, size_t size)
{
	size_t done = 0;

	while (done < size && !caught) {
		ssize_t n = write(STDOUT_FILENO, buf + done, size - done);

		if (n >= 0)
			done += n;
		else if (errno != EINTR)
			return done ? (ssize_t)done : 0;
	}
	return size;
}

FILE *interrupt_output(void)
{
	return fopencookie(NULL, "w",
			   (cookie_io_functions_t){ .write = write_unless_interrupted });
}
