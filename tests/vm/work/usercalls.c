// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program whose calls end in all ways, with known counts and times, for measurements of programs:
 *
 *   usercalls NAME COUNT [MICROSECONDS]
 *
 *   busy       COUNT calls of user_busy(), each MICROSECONDS long by the clock
 *   loop       COUNT calls of user_loop(MICROSECONDS), which makes that many rounds of two instructions
 *   round      a call of user_round(COUNT)
 *   loops      COUNT calls of user_loops(4, MICROSECONDS), which calls itself and makes that many rounds
 *   nest       COUNT calls of user_nest(4), which calls itself: 5 calls each, all but the innermost MICROSECONDS long beside it
 *   jump       COUNT calls of user_maybe(), of which every third is left by longjmp()
 *   tail       COUNT calls of user_tail(), and as many of user_end() directly. Of 8 calls 2 return, 2 end by a jump to
 *              user_end(), 1 by two jumps to there, 1 is left by longjmp after a jump, 2 end by a jump through a register
 *   threads    8 threads, COUNT calls of user_busy() each; the last thread then ends inside one more call
 *   stacks     calls that overlap on two stacks: user_switch() is called on both, and ends in the other order
 *   signal     COUNT calls of user_busy(), during each of which a handler on a stack of its own calls user_inner()
 *   fork       a call of user_fork(), which returns in two processes
 *   same       two processes, with the same stack addresses, make COUNT calls of user_busy() each at the same time
 *   forever    calls of user_busy() until it is killed
 *
 * At the end it prints the nanoseconds that it has measured itself from the beginning of the calls to their end.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define NR_THREADS	8
#define NOINLINE	__attribute__((noinline, noclone))

static long length;	/* nanoseconds */
static uint64_t inside;	/* what the calls took, as they have measured it themselves */

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void spin(uint64_t nanoseconds)
{
	const uint64_t until = now() + nanoseconds;

	while (now() < until)
		;
}

NOINLINE int user_busy(int n)
{
	const uint64_t began = now();

	spin(length);
	__atomic_fetch_add(&inside, now() - began, __ATOMIC_RELAXED);
	return n + 1;
}

/* Two instructions a round, and a few around them. */
NOINLINE void user_loop(long n)
{
	/* Two nops may be those of ftrace, behind which a function begins. */
	__asm__ volatile("nop\n\tnop\n\tnop");
	do
		__asm__ volatile("");
	while (--n);
}

/* Its first instruction is that of the loop, so that each round looks like a call. */
NOINLINE void user_round(long n)
{
	do
		__asm__ volatile("");
	while (--n);
}

/* depth + 1 calls, each with a loop of its own. */
NOINLINE int user_loops(int depth, long n)
{
	int below = 0;

	if (depth)
		below = user_loops(depth - 1, n) + 1;
	user_loop(n);
	__asm__ volatile("" : "+r"(below));
	return below;
}

NOINLINE int user_nest(int depth)
{
	const uint64_t began = now();
	int below = 0;

	if (depth)
		below = user_nest(depth - 1) + 1;
	spin(length);
	__atomic_fetch_add(&inside, now() - began, __ATOMIC_RELAXED);
	return below;
}

/* Some calls of user_tail() end here. */
NOINLINE int user_end(int n)
{
	spin(length);
	return n;
}

NOINLINE int user_thrown(int n);
int (*volatile user_unknown)(int n) = user_end;

/* Ends by a return, by a jump, by a conditional jump, by a jump that leads on, and by one to a function in a register. */
NOINLINE int user_tail(int n)
{
	__asm__ volatile("" : "+r"(n));
	switch (n % 4) {
	case 0:
		spin(length);
		return n + 1;
	case 1:
		return user_end(n);
	case 2:
		return user_thrown(n);
	default:
		return user_unknown(n);
	}
}

static jmp_buf out;

/* Every second call jumps on to user_end(); the others are left by longjmp. */
NOINLINE int user_thrown(int n)
{
	volatile int left = n % 8 == 2;

	if (left)
		longjmp(out, 1);
	return user_end(n + 1);
}

/* user_end() is also called without a jump, from the same stack pointer as user_tail(). */
static int tails(int count)
{
	volatile int i, ended = 0;

	for (i = 0; i < count; i++) {
		if (!setjmp(out))
			ended += user_tail(i) >= 0;
		ended += user_end(i);
	}
	return ended;
}

NOINLINE int user_maybe(int n)
{
	volatile char deep[64];

	deep[0] = n;
	if (n % 3 == 0)
		longjmp(out, 1);
	spin(length);
	return deep[0];
}

static int jumps(int count)
{
	volatile int i, ended = 0;

	for (i = 1; i <= count; i++)
		if (!setjmp(out))
			ended += user_maybe(i) >= 0;
	return ended;
}

NOINLINE int user_leave(int n)
{
	if (n)
		pthread_exit(NULL);
	return n;
}

static void *thread(void *count)
{
	for (long i = 0; i < (long)count; i++)
		user_busy(i);
	return NULL;
}

static void *leaving(void *unused)
{
	(void)unused;
	user_leave(0);
	user_leave(1);
	return NULL;
}

static void threads(long count)
{
	pthread_t all[NR_THREADS + 1];

	for (int i = 0; i < NR_THREADS; i++)
		pthread_create(&all[i], NULL, thread, (void *)count);
	pthread_create(&all[NR_THREADS], NULL, leaving, NULL);
	for (int i = 0; i <= NR_THREADS; i++)
		pthread_join(all[i], NULL);
}

/* Not every library of C has contexts. */
#ifdef __GLIBC__
static ucontext_t first, second;
static char other_stack[65536] __attribute__((aligned(16)));

/* The call on the first stack goes to the second stack, and comes back while the call there is still in progress. */
NOINLINE int user_switch(ucontext_t *from, ucontext_t *to)
{
	spin(length);
	if (from)
		swapcontext(from, to);
	spin(length);
	return 1;
}

static void on_other_stack(void)
{
	user_switch(&second, &first);
}

static void stacks(void)
{
	getcontext(&second);
	second.uc_stack = (stack_t){ .ss_sp = other_stack, .ss_size = sizeof(other_stack) };
	second.uc_link = &first;
	makecontext(&second, on_other_stack, 0);
	user_switch(&first, &second);
	swapcontext(&first, &second);
}
#else
static void stacks(void)
{
}
#endif

NOINLINE int user_inner(int n)
{
	spin(length / 4);
	return n;
}

static void handler(int number)
{
	user_inner(number);
}

NOINLINE int user_signalled(int n)
{
	raise(SIGUSR1);
	spin(length);
	return n;
}

static void signals(int count)
{
	static char stack[65536];
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	sigaltstack(&(stack_t){ .ss_sp = stack, .ss_size = sizeof(stack) }, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < count; i++)
		user_signalled(i);
}

NOINLINE int user_fork(void)
{
	const int child = fork();

	spin(length);
	return child;
}

static void forks(void)
{
	if (!user_fork())
		_exit(0);
	wait(NULL);
}

static void same(int count)
{
	const int child = fork();

	for (int i = 0; i < count; i++)
		user_busy(i);
	if (!child)
		_exit(0);
	wait(NULL);
}

int main(int argc, char **argv)
{
	const char *name = argc > 2 ? argv[1] : "";
	const long count = argc > 2 ? atol(argv[2]) : 0;

	length = argc > 3 ? atol(argv[3]) * (strncmp(name, "loop", 4) ? 1000 : 1) : 0;
	if (!strcmp(name, "busy"))
		thread((void *)count);
	else if (!strcmp(name, "loop"))
		for (long i = 0; i < count; i++)
			user_loop(length);
	else if (!strcmp(name, "round"))
		user_round(count);
	else if (!strcmp(name, "loops"))
		for (long i = 0; i < count; i++)
			user_loops(4, length);
	else if (!strcmp(name, "nest"))
		for (long i = 0; i < count; i++)
			user_nest(4);
	else if (!strcmp(name, "jump"))
		jumps(count);
	else if (!strcmp(name, "tail"))
		tails(count);
	else if (!strcmp(name, "threads"))
		threads(count);
	else if (!strcmp(name, "stacks"))
		stacks();
	else if (!strcmp(name, "signal"))
		signals(count);
	else if (!strcmp(name, "fork"))
		forks();
	else if (!strcmp(name, "same"))
		same(count);
	else if (!strcmp(name, "forever"))
		for (;;)
			user_busy(0);
	else
		return 2;
	printf("%llu\n", (unsigned long long)inside);
	return 0;
}
