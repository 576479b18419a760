// SPDX-License-Identifier: GPL-2.0-or-later
/* register_hostile.c - one process that registers what is wrong. See register.h. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/ktrace_abi.h"
#include "register.h"

#define THREADS		4
#define SITES		400
#define ARENA_COPY	(4 * PAGE)

static int open_register(void)
{
	return open(KT_USER_DEVICE, O_RDWR | O_CLOEXEC);
}

/* ------------------------------------------------------------------- calls */

/* Mostly a file of memfd_create(), with anything in it. */
static int some_memory(struct rng *rng)
{
	static const char *const files[] = { "/dev/null", "/tmp/file", "/dev/shm/file", KT_USER_DEVICE, "/proc/self/mem", "/",
					     "/proc/self/ns/pid", "/dev/zero" };
	const int kind = roll(rng, 10);
	int fd;

	if (kind == 0)
		return odd_number(rng);
	if (kind == 1)
		return open(files[roll(rng, sizeof(files) / sizeof(*files))], O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	fd = memfd_create("hostile", one_in(rng, 20) ? MFD_HUGETLB : MFD_ALLOW_SEALING);
	if (ftruncate(fd, kind == 2 ? 0 : 1 + roll(rng, 100000)) == 0 && kind > 5)
		fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
	if (one_in(rng, 4))
		(void)!write(fd, arena, roll(rng, PAGE));	/* its end, or a bad address */
	return fd;
}

static void enter(struct rng *rng, int fd)
{
	struct kt_user_register reg = {
		.size = one_in(rng, 20) ? odd_number(rng) : sizeof(reg), .flags = one_in(rng, 8) ? roll(rng, 4) : 0,
		.memory = some_memory(rng), .reserved = one_in(rng, 30),
	};

	call(fd, KT_USER_IOC_REGISTER, &reg);
	if (reg.memory > fd && one_in(rng, 2))
		close(reg.memory);
}

/* Few pages or many; good addresses or bad ones. */
static void add(struct rng *rng, int fd)
{
	struct kt_user_site sites[SITES];
	const bool bad = one_in(rng, 3);
	const uint64_t near = arena_address(rng), pages = 1 + roll(rng, 8), n = one_in(rng, 4) ? roll(rng, SITES) : roll(rng, 20);
	struct kt_user_sites arg = {
		.size = one_in(rng, 20) ? odd_number(rng) : sizeof(arg), .nr = one_in(rng, 20) ? odd_number(rng) : n,
		.sites = one_in(rng, 20) ? odd_number(rng) : (uintptr_t)sites, .part = roll(rng, 3),
	};

	for (uint64_t i = 0; i < SITES; i++)
		sites[i] = (struct kt_user_site){
			.address = bad ? arena_address(rng) : near + roll(rng, pages * PAGE),
			.id = one_in(rng, 2000) ? odd_number(rng) : roll(rng, 300), .reserved = one_in(rng, 4000),
		};
	call(fd, KT_USER_IOC_SITES, &arg);
}

static void forget(struct rng *rng, int fd)
{
	struct kt_user_forget arg = {
		.size = one_in(rng, 20) ? odd_number(rng) : sizeof(arg), .part = roll(rng, 4), .reserved = one_in(rng, 30),
	};

	call(fd, KT_USER_IOC_FORGET, &arg);
}

static void garble(struct rng *rng, int fd)
{
	uint64_t arg[4] = { odd_number(rng), odd_number(rng), odd_number(rng), odd_number(rng) };
	const unsigned long request = one_in(rng, 4) ? odd_number(rng) & UINT32_MAX : (unsigned long)_IO('k', roll(rng, 6));

	/* Not those of the terminal layer and of files, which have other errors. */
	if (((request >> 8) & 0xff) == 'k')
		call(fd, request, one_in(rng, 4) ? (void *)odd_number(rng) : arg);
}

/* ------------------------------------------------------------------- what else a process does */

/*
 * In a forked child that is not registered: the pages of its parent are its own now, so nothing in them may change, whatever
 * is switched.  What cannot be read is left out.
 */
static void watch_memory(struct rng *rng)
{
	static uint8_t before[ARENA_COPY], after[ARENA_COPY];
	const uint8_t *at = one_in(rng, 4) ? huge : arena + roll(rng, (ARENA - ARENA_COPY) / PAGE) * PAGE;
	int pipes[2];

	/* By a system call, so that bad memory is an error and no signal; shared memory may change. */
	if (pipe(pipes) < 0 || mprotect((void *)at, ARENA_COPY, PROT_READ | PROT_WRITE) < 0)
		return;
	if (write(pipes[1], at, ARENA_COPY) != ARENA_COPY || read(pipes[0], before, ARENA_COPY) != ARENA_COPY)
		return;
	usleep(roll(rng, 3000));
	if (write(pipes[1], at, ARENA_COPY) != ARENA_COPY || read(pipes[0], after, ARENA_COPY) != ARENA_COPY)
		return;
	if (memcmp(before, after, ARENA_COPY))
		wrong("the memory of a child changes with the switches of its parent");
}

static void fork_one(struct rng *rng, int fd)
{
	struct rng mine = { rng->state ^ 0x5555555555555555ULL };
	const int how = roll(rng, 4);
	const pid_t pid = how == 0 ? vfork() : fork();

	if (pid == 0) {
		if (how == 0)
			_exit(0);
		if (how == 1)
			watch_memory(&mine);
		for (uint64_t n = roll(&mine, 10); how > 1 && n; n--) {
			enter(&mine, fd);
			add(&mine, fd);
		}
		_exit(0);
	}
	roll(rng, 2);
	if (pid > 0 && one_in(rng, 2))
		waitpid(pid, NULL, 0);
}

static void end(struct rng *rng)
{
	switch (roll(rng, 6)) {
	case 0: execl("/bin/busybox", "true", NULL); break;
	case 1: kill(getpid(), SIGKILL); break;
	case 2: syscall(SYS_exit, 0); break;		/* this thread alone */
	}
	_exit(0);
}

static void step(struct rng *rng, int fd)
{
	switch (roll(rng, 16)) {
	case 0: case 1: enter(rng, fd); break;
	case 2: case 3: forget(rng, fd); break;
	case 4: garble(rng, fd); break;
	case 5: case 6: arena_change(rng); break;
	case 7:
		if (one_in(rng, 6))
			fork_one(rng, fd);
		break;
	case 8:
		if (one_in(rng, 20))
			end(rng);
		if (one_in(rng, 4))
			usleep(roll(rng, 500));
		break;
	default: add(rng, fd);
	}
}

static void *steps(void *arg)
{
	struct rng rng = *(struct rng *)arg;
	const int fd = open_register();

	for (uint64_t n = 20 + roll(&rng, 100); n && !shared->wrong; n--)
		step(&rng, fd);
	close(fd);
	return NULL;
}

static void become_user(struct rng *rng)
{
	const uid_t user = FIRST_USER + roll(rng, USERS);

	if (setresgid(user, user, user) < 0 || setresuid(user, user, user) < 0)
		wrong("a process cannot become another user");
}

void be_hostile(struct rng rng)
{
	struct rng theirs[THREADS];
	pthread_t threads[THREADS];
	const int nr = one_in(&rng, 2) ? 0 : 1 + roll(&rng, THREADS);
	int started = 0;

	become_user(&rng);
	/* So that most calls come to the end. */
	if (!one_in(&rng, 4)) {
		const int fd = open_register();
		struct kt_user_register reg = { .size = sizeof(reg), .memory = memfd_create("m", 0) };

		(void)!write(reg.memory, "x", 1);
		call(fd, KT_USER_IOC_REGISTER, &reg);
		close(fd);
	}
	for (; started < nr; started++) {
		theirs[started] = rng_of(rng.state, started);
		if (pthread_create(&threads[started], NULL, steps, &theirs[started]))
			break;
	}
	steps(&rng);
	if (one_in(&rng, 2))
		end(&rng);
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	end(&rng);
	_exit(0);
}

void be_registered(struct rng rng)
{
	const int fd = open_register();
	struct kt_user_register reg = { .size = sizeof(reg), .memory = memfd_create("left", 0) };
	struct kt_user_site site = { .address = (uintptr_t)arena, .id = 1 };
	struct kt_user_sites sites = { .size = sizeof(sites), .nr = 1, .sites = (uintptr_t)&site };

	become_user(&rng);
	(void)!write(reg.memory, "x", 1);
	call(fd, KT_USER_IOC_REGISTER, &reg);
	call(fd, KT_USER_IOC_SITES, &sites);
	close(fd);
	usleep(roll(&rng, 300000));
	if (one_in(&rng, 2))
		kill(getpid(), SIGKILL);
	_exit(0);
}

/* Anonymous memory in huge pages, in KiB. */
static long huge_kb(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	char line[128];
	long kb = 0;

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "AnonHugePages: %ld", &kb);
	if (f)
		fclose(f);
	return kb;
}

int register_huge(uint64_t nr)
{
	const size_t each = 2UL << 20;
	uint8_t *at = mmap(NULL, (nr + 1) * each, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kt_user_register reg = { .size = sizeof(reg), .memory = memfd_create("huge", 0) };
	const int fd = open_register();
	uint64_t done = 0;

	at += each - (uintptr_t)at % each;
	madvise(at, nr * each, MADV_HUGEPAGE);
	for (uint64_t i = 0; i < nr; i++)
		at[i * each] = 1;
	if (huge_kb() < (long)(nr * each / 1024)) {
		printf("no huge pages: %ld KiB of %lu\n", huge_kb(), (unsigned long)(nr * each / 1024));
		return 0;
	}
	if (ftruncate(reg.memory, PAGE) < 0 || call(fd, KT_USER_IOC_REGISTER, &reg))
		return 1;
	for (uint64_t i = 0; i < nr; i++) {
		struct kt_user_site two[] = { { .address = (uintptr_t)at + i * each, .id = 1 },
					      { .address = (uintptr_t)at + i * each + PAGE, .id = 2 } };
		struct kt_user_sites arg = { .size = sizeof(arg), .nr = 2, .sites = (uintptr_t)two, .part = i };

		done += call(fd, KT_USER_IOC_SITES, &arg) == 0;
	}
	printf("%lu of %lu huge pages\n", (unsigned long)done, (unsigned long)nr);
	return 0;
}
