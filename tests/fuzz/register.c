// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * register.c - fuzz /dev/ktrace-user: processes of several users register random, huge, shared, unmapped and foreign addresses,
 * from several threads, while they change their memory, fork, execute and end; controllers list, open and switch meanwhile.
 *
 *   fuzz-register --seed N --count N --max-processes N --max-sites N	so many calls; the quotas as the module has them
 *   fuzz-register --huge N		register a switch in each of so many huge pages, and say how many the quota allows
 *   fuzz-register --seed N --leave N	leave so many registered processes, which end within 300 ms
 *
 * Runs in a guest, as root. Afterwards no memory may have changed but what the processes registered, and nothing may be
 * registered. Exit status 1 otherwise.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/ktrace_abi.h"
#include "register.h"

#define FILE_NAME	"/tmp/fuzz-register"
#define HOSTILES	4	/* at a time */
#define CONTROLLERS	2

struct shared *shared;

void wrong(const char *format, ...)
{
	va_list args;

	if (atomic_exchange(&shared->wrong, true))
		return;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

uint64_t odd_number(struct rng *rng)
{
	static const uint64_t odds[] = { 0, 1, 4095, 65535, 65536, INT32_MAX, UINT32_MAX, 1ULL << 47, INT64_MAX, UINT64_MAX };

	return one_in(rng, 3) ? rng->state : odds[roll(rng, sizeof(odds) / sizeof(*odds))];
}

static bool is_documented(int no)
{
	static const int all[] = { 0, EINVAL, EFAULT, EOPNOTSUPP, ENOTTY, EEXIST, ENOENT, EDQUOT, EBADF, ENOMEM, EINTR };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i] == no)
			return true;
	return false;
}

int call(int fd, unsigned long request, void *arg)
{
	const int no = ioctl(fd, request, arg) < 0 ? errno : 0;

	atomic_fetch_add(&shared->calls, 1);
	atomic_fetch_add(&shared->done[no < NR_ERRNOS ? no : 0], 1);
	if (!is_documented(no))
		wrong("call %#lx fails with %s, which is not documented", request, strerror(no));
	return no;
}

/* ------------------------------------------------------------------- several of each */

static uint64_t seed = 1;

/* One after the other, each a process of its own: what it registers wrongly may be its own undoing. */
static void run_hostiles(unsigned int which)
{
	for (uint64_t i = which; !shared->wrong && shared->calls < shared->count; i += HOSTILES) {
		const pid_t pid = fork();

		if (pid < 0)
			usleep(1000);
		else if (pid == 0)
			be_hostile(rng_of(seed, i));
		else
			waitpid(pid, NULL, 0);
		atomic_fetch_add(&shared->children, 1);
	}
	arena_check(FILE_NAME);
}

static pid_t start(void (*run)(unsigned int which), unsigned int which)
{
	const pid_t pid = fork();

	if (pid < 0)
		perror("fork");
	if (pid)
		return pid;
	run(which);
	exit(0);
}

static void run_controller(unsigned int which)
{
	be_controller(rng_of(~seed, which));
}

/* A process that is killed has not seen what it should. */
static void must_end(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status)
		wrong("a process of the fuzzer ends with status %#x", status);
}

static void run_all(void)
{
	pid_t hostiles[HOSTILES], controllers[CONTROLLERS];

	for (unsigned int i = 0; i < CONTROLLERS; i++)
		controllers[i] = start(run_controller, i);
	for (unsigned int i = 0; i < HOSTILES; i++)
		hostiles[i] = start(run_hostiles, i);
	for (unsigned int i = 0; i < HOSTILES; i++)
		must_end(hostiles[i]);
	shared->ended = true;
	for (unsigned int i = 0; i < CONTROLLERS; i++)
		must_end(controllers[i]);
	arena_check(FILE_NAME);
}

/* ------------------------------------------------------------------- the end */

static uint32_t registered(void)
{
	struct kt_user_hello hello = { .size = sizeof(hello), .abi = KT_ABI_VERSION };
	struct kt_user_entry entries[64];
	struct kt_user_list req = { .size = sizeof(req), .nr = 64, .entries = (uintptr_t)entries };
	const int fd = open(KT_USER_CONTROL, O_RDWR | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, KT_IOC_USER_HELLO, &hello) < 0 || ioctl(fd, KT_IOC_USER_LIST, &req) < 0)
		wrong("%s: %s", KT_USER_CONTROL, strerror(errno));
	close(fd);
	return req.nr;
}

/* Grandchildren may still end. */
static void check_none_registered(void)
{
	for (int i = 0; registered(); i++) {
		if (i == 600) {
			wrong("%u processes are still registered", registered());
			return;
		}
		usleep(100000);
	}
}

static void say_done(void)
{
	printf("%" PRIu64 " calls of %" PRIu64 " processes, listed %" PRIu64 " times, switched %" PRIu64 ", opened %" PRIu64 ":",
	       shared->calls, shared->children, shared->listed, shared->switched, shared->opened);
	for (int no = 0; no < NR_ERRNOS; no++)
		if (shared->done[no])
			printf(" %s %" PRIu64, no ? strerrorname_np(no) : "ok", shared->done[no]);
	puts("");
}

static int leave(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (fork() == 0)
			be_registered(rng_of(seed, i));
	/* Until they are registered, more or less. */
	usleep(seed % 100000);
	return 0;
}

static const struct option names[] = {
	{ "seed", required_argument, NULL, 's' }, { "count", required_argument, NULL, 'c' },
	{ "max-processes", required_argument, NULL, 'p' }, { "max-sites", required_argument, NULL, 'm' },
	{ "leave", required_argument, NULL, 'l' }, { "huge", required_argument, NULL, 'h' }, { 0 },
};

int main(int argc, char **argv)
{
	uint64_t count = 20000, processes = 1024, sites = 65536, left = 0, huge_pages = 0;
	uint64_t *numbers[256] = { ['s'] = &seed, ['c'] = &count, ['p'] = &processes, ['m'] = &sites, ['l'] = &left, ['h'] = &huge_pages };
	int option;

	while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
		if (option == '?')
			return 2;
		*numbers[option] = strtoull(optarg, NULL, 0);
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	shared->count = count;
	shared->quotas = (struct quotas){ processes, sites };
	arena_make(FILE_NAME);
	if (huge_pages)
		return register_huge(huge_pages);
	if (left)
		return leave(left);
	printf("seed %" PRIu64 ", %" PRIu64 " calls\n", seed, count);
	fflush(stdout);
	run_all();
	check_none_registered();
	say_done();
	unlink(FILE_NAME);
	return shared->wrong;
}
