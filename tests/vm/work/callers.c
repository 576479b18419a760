// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * callers N - N system calls (getppid) from a known line of callers, each with a frame pointer.  It prints the addresses
 * behind the call instructions in middle(), outer() and main(), and that of syscall(), as "name address".
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *at[3];	/* return addresses: into middle(), outer(), main() */

static __attribute__((noinline)) long inner(void)
{
	long n = syscall(SYS_getppid);

	at[0] = __builtin_return_address(0);
	__asm__ volatile("" : : : "memory");
	return n;
}

static __attribute__((noinline)) long middle(void)
{
	long n = inner();

	at[1] = __builtin_return_address(0);
	__asm__ volatile("" : : : "memory");
	return n;
}

static __attribute__((noinline)) long outer(void)
{
	long n = middle();

	at[2] = __builtin_return_address(0);
	__asm__ volatile("" : : : "memory");
	return n;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1;

	if (argc > 2 && getchar() == EOF)
		return 1;
	while (n--)
		outer();
	printf("middle %p\nouter %p\nmain %p\nsyscall %p\n", at[0], at[1], at[2], (void *)syscall);
	return 0;
}
