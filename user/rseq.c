/* SPDX-License-Identifier: MIT */
/*
 * rseq.c - find the rseq area that the C library has registered, and test that the kernel restarts sequences.
 *
 * Some kernels did not where one thread displaced another on one CPU, so this is tried, and no version is asked.
 */
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

#define MIN_SIZE	20U		/* of the area: what this library uses */
#define TURNS		(1U << 14)	/* of one wait: some tenths of a millisecond */
#define PATIENCE_NS	1000000000ULL
#define ROUNDS		4
#define STACK		16384U

extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

static bool find_area(void)
{
	if (!&__rseq_size || !&__rseq_offset || __rseq_size < MIN_SIZE)
		return false;
	ktrace_rseq_offset = __rseq_offset;
	return (int32_t)__atomic_load_n(&ktu_rseq()->cpu, __ATOMIC_RELAXED) >= 0;
}

/* The other thread sleeps first, so that its waking interrupts the sequence, and then runs on the same CPU. */
static int set_flag(void *flag)
{
	const struct timespec time = { 0, 1000000 };

	syscall(SYS_nanosleep, &time, NULL);
	__atomic_store_n((uint32_t *)flag, 1, __ATOMIC_RELAXED);
	return 0;
}

/*
 * A thread that the C library does not know: this may be a signal handler, where its own could not be made.  It has our
 * thread-local storage, and leaves it alone.  *tid is 0 when it has ended.
 */
static bool make_thread(uint32_t *flag, uint8_t *stack, pid_t *tid)
{
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
			  CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;

	ktu_clone_fn *const next = ktu_clone();

	return next && next(set_flag, stack + STACK, flags, flag, tid, NULL, tid) >= 0;
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

/* KTU_PATIENCE: nothing was learned. */
static enum ktu_probe probe(uint8_t *stack)
{
	const uint64_t end = now() + PATIENCE_NS / ROUNDS;
	enum ktu_probe result = KTU_PATIENCE;
	uint32_t flag = 0;
	pid_t tid = 0;

	if (!make_thread(&flag, stack, &tid))
		return KTU_PATIENCE;
	while (!__atomic_load_n(&flag, __ATOMIC_RELAXED) && now() < end) {
		result = ktrace_probe(&flag, TURNS);
		/* It may have been restarted for another reason. */
		if (result == KTU_ABORTED && !__atomic_load_n(&flag, __ATOMIC_RELAXED))
			result = KTU_PATIENCE;
		if (result != KTU_PATIENCE)
			break;
	}
	while (__atomic_load_n(&tid, __ATOMIC_ACQUIRE))
		sched_yield();
	return result;
}

static bool are_restarted(void)
{
	uint8_t *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	enum ktu_probe result = KTU_PATIENCE;

	if (stack == MAP_FAILED)
		return false;
	/* KTU_NOT_ABORTED may also mean that the flag was set between the test of it and the start: try again. */
	for (int i = 0; i < ROUNDS && result != KTU_ABORTED; i++)
		result = probe(stack);
	munmap(stack, STACK);
	return result == KTU_ABORTED;
}

bool ktu_rseq_works(void)
{
	sigset_t all, before;
	cpu_set_t cpus, one;
	bool works;

	if (!find_area() || sched_getaffinity(0, sizeof(cpus), &cpus))
		return false;
	CPU_ZERO(&one);
	CPU_SET(ktu_rseq()->cpu_start, &one);
	/* The program's signals must not come to the other thread. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	works = sched_setaffinity(0, sizeof(one), &one) == 0 && are_restarted();
	sched_setaffinity(0, sizeof(cpus), &cpus);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return works;
}
