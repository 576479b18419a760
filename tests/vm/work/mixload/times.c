// SPDX-License-Identifier: GPL-2.0-or-later
/* times.c - actions of mixload: clocks, timers and signals. */
#include <signal.h>
#include <stdint.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "mixload.h"

static volatile sig_atomic_t signals;

static void count_signal(int number)
{
	signals++;
}

bool do_itimer(void)
{
	struct itimerval soon = { .it_value.tv_usec = 1000 };
	sigset_t alarm, before;
	int had = signals;

	signal(SIGALRM, count_signal);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_BLOCK, &alarm, &before);
	setitimer(ITIMER_REAL, &soon, NULL);
	sigsuspend(&before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return signals > had;
}

bool do_timerfd(void)
{
	struct itimerspec soon = { .it_value.tv_nsec = 500000 };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	uint64_t times = 0;
	bool ok = fd >= 0 && timerfd_settime(fd, 0, &soon, NULL) == 0 && read(fd, &times, 8) == 8 && times >= 1;

	close(fd);
	return ok;
}

bool do_signalfd(void)
{
	struct signalfd_siginfo info;
	sigset_t one, before;
	int fd;
	bool ok;

	sigemptyset(&one);
	sigaddset(&one, SIGUSR2);
	sigprocmask(SIG_BLOCK, &one, &before);
	fd = signalfd(-1, &one, 0);
	ok = fd >= 0 && kill(getpid(), SIGUSR2) == 0 && read(fd, &info, sizeof(info)) == sizeof(info) &&
	     info.ssi_signo == SIGUSR2;
	close(fd);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ok;
}

bool do_sleep(void)
{
	struct timespec moment = { .tv_nsec = 1000 + roll(100000) };

	return nanosleep(&moment, NULL) == 0;
}

bool do_clocks(void)
{
	static const clockid_t clocks[] = { CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_PROCESS_CPUTIME_ID, CLOCK_TAI };
	clockid_t clock = clocks[roll(4)];
	struct timespec a, b;

	if (syscall(SYS_clock_gettime, clock, &a) || syscall(SYS_clock_gettime, clock, &b))
		return false;
	return b.tv_sec > a.tv_sec || (b.tv_sec == a.tv_sec && b.tv_nsec >= a.tv_nsec);
}
