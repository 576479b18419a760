// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Let every call that can fail in the test build of ktrace_user.ko (tests/vm/fault) fail once, on the calls of a process and of a
 * controller. The call must then fail with a fitting errno, and must succeed when it is repeated; nothing may stay.
 *
 *   userfaults		print the number of failures
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/ktrace_abi.h"

#define PARAMETERS	"/sys/module/ktrace_user_fault/parameters/"
#define PAGE		4096
#define PAGES		3
#define MOST		200	/* failures; there are fewer */

__attribute__((noreturn, format(printf, 1, 2))) static void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static void ask(const char *name, char *text, size_t size)
{
	char path[128];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	fd = open(path, O_RDONLY);
	n = fd < 0 ? -1 : read(fd, text, size - 1);
	if (n <= 0)
		die("%s: %s", path, strerror(errno));
	close(fd);
	text[n - 1] = '\0';
}

static long number(const char *name)
{
	char text[32];

	ask(name, text, sizeof(text));
	return atol(text);
}

/* Of the calls that this process makes from now on. */
static void fail(int nth)
{
	int fd = open(PARAMETERS "fail_nth", O_WRONLY);

	if (fd < 0 || dprintf(fd, "%d", nth) < 0)
		die(PARAMETERS "fail_nth: %s", strerror(errno));
	close(fd);
}

/* ------------------------------------------------------------------ the calls, in order */

static int process, control;
static uint64_t id;		/* of the registration */
static uint8_t *switches;

static int greet(void)
{
	struct kt_user_hello hello = { .size = sizeof(hello), .abi = KT_ABI_VERSION };

	return ioctl(control, KT_IOC_USER_HELLO, &hello);
}

static int register_it(void)
{
	struct kt_user_register reg = { .size = sizeof(reg), .flags = KT_USER_CHILD, .memory = memfd_create("faults", MFD_CLOEXEC) };
	int rc;

	if (ftruncate(reg.memory, PAGE) < 0)
		die("memfd: %s", strerror(errno));
	rc = ioctl(process, KT_USER_IOC_REGISTER, &reg);
	close(reg.memory);
	return rc;
}

static int add_sites(void)
{
	struct kt_user_site sites[PAGES];
	struct kt_user_sites add = { .size = sizeof(add), .nr = PAGES, .sites = (uintptr_t)sites, .part = 1 };

	for (uint32_t i = 0; i < PAGES; i++)
		sites[i] = (struct kt_user_site){ .address = (uintptr_t)(switches + i * PAGE), .id = i };
	return ioctl(process, KT_USER_IOC_SITES, &add);
}

static int list(void)
{
	struct kt_user_entry entries[4];
	struct kt_user_list req = { .size = sizeof(req), .nr = 4, .entries = (uintptr_t)entries };

	if (ioctl(control, KT_IOC_USER_LIST, &req) < 0)
		return -1;
	if (req.nr != 1)
		die("%u processes are registered", req.nr);
	id = entries[0].id;
	return 0;
}

static int open_memory(void)
{
	struct kt_user_open req = { .size = sizeof(req), .id = id };

	if (ioctl(control, KT_IOC_USER_OPEN, &req) < 0)
		return -1;
	close(req.fd);
	return 0;
}

static int switch_on(void)
{
	const uint32_t ids[] = { 0, 2 };
	struct kt_user_switch req = { .size = sizeof(req), .nr = 2, .id = id, .ids = (uintptr_t)ids };

	if (ioctl(control, KT_IOC_USER_SWITCH, &req) < 0)
		return -1;
	if (!switches[0] || switches[PAGE] || !switches[2 * PAGE])
		die("switched on: %u %u %u", switches[0], switches[PAGE], switches[2 * PAGE]);
	return 0;
}

static int forget(void)
{
	struct kt_user_forget req = { .size = sizeof(req), .part = 1 };

	return ioctl(process, KT_USER_IOC_FORGET, &req);
}

static int (*const calls[])(void) = { greet, register_it, add_sites, list, open_memory, switch_on, forget };
#define NR_CALLS (sizeof(calls) / sizeof(calls[0]))

/* ------------------------------------------------------------- let one call fail */

static void must_fit(int no)
{
	char where[128];

	ask("fail_where", where, sizeof(where));
	if (no != ENOMEM && no != EFAULT && no != EMFILE)
		die("after a failure at %s: %s", where, strerror(no));
}

/* In a process of its own.  Exit status: 0: one call has failed, 2: none. */
static void run(int nth)
{
	int failed = 0;

	process = open(KT_USER_DEVICE, O_RDWR | O_CLOEXEC);
	control = open(KT_USER_CONTROL, O_RDWR | O_CLOEXEC);
	switches = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (process < 0 || control < 0 || switches == MAP_FAILED)
		die("the nodes: %s", strerror(errno));
	fail(nth);
	for (size_t i = 0; i < NR_CALLS; i++) {
		if (!calls[i]())
			continue;
		must_fit(errno);
		if (failed++)
			die("call %zu fails again", i);
		i--;
	}
	exit(failed ? 0 : 2);
}

/* A registration ends a moment after its process. */
static void wait_until_free(long live, int nth)
{
	for (int tries = 0; number("live") != live; tries++) {
		if (tries == 500)
			die("%ld allocations are left after failure %d", number("live") - live, nth);
		usleep(20000);
	}
}

int main(void)
{
	const long live = number("live");

	for (int nth = 1; nth < MOST; nth++) {
		const pid_t pid = fork();
		int status;

		if (pid == 0)
			run(nth);
		if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || (WEXITSTATUS(status) & ~2))
			die("the process of failure %d ended with status %#x", nth, status);
		wait_until_free(live, nth);
		if (WEXITSTATUS(status)) {
			printf("user: %d failures\n", nth - 1);
			return 0;
		}
	}
	die("more than %d failures", MOST);
}
