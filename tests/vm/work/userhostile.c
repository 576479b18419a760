// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program whose function hostile_call() is traced, and which does what it likes with its own text and memory:
 *
 *   userhostile COUNT
 *
 * COUNT children each call the function with addresses that must not be read, and then rewrite its text, unmap it, or are
 * killed in a call.  Prints how often the function was called before that, over all children.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE	4096

#define OWN_PAGE	__attribute__((noinline, aligned(PAGE), section(".text.hostile")))

OWN_PAGE int hostile_call(const char *text)
{
	__asm__ volatile("" : : "r"(text) : "memory");
	return 7;
}

OWN_PAGE int hostile_end(void)
{
	return 8;
}

static const uint64_t bad[] = {
	0, 8, 0xffff888000000000, 0xffffffff81000000, 0xffffffffffffffff, 0x7fffffffffff, 0x800000000000, 0x123456789abcdef0,
};

#define NR_BAD	(sizeof(bad) / sizeof(bad[0]))

static void call_all(void)
{
	for (size_t i = 0; i < NR_BAD; i++)
		if (hostile_call((const char *)(uintptr_t)bad[i]) != 7)
			_exit(3);
}

static void rewrite(void)
{
	void *const text = (void *)(uintptr_t)hostile_call;

	mprotect(text, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	memcpy(text, (const void *)(uintptr_t)hostile_end, 16);
	__builtin___clear_cache(text, (char *)text + 16);
	for (int i = 0; i < 100; i++)
		if (hostile_call(NULL) != 8)
			_exit(4);
}

static void unmap(void)
{
	munmap((void *)(uintptr_t)hostile_call, PAGE);
	hostile_call(NULL);
	_exit(5);
}

static void be_killed(void)
{
	for (;;)
		hostile_call((const char *)(uintptr_t)bad[2]);
}

static void child(int which)
{
	static void (*const how[])(void) = { rewrite, unmap, be_killed };

	call_all();
	how[which % 3]();
	_exit(0);
}

int main(int argc, char **argv)
{
	const int count = argc > 1 ? atoi(argv[1]) : 1;
	int status;

	for (int i = 0; i < count; i++) {
		const pid_t pid = fork();

		if (!pid)
			child(i);
		if (i % 3 == 2) {
			usleep(2000);
			kill(pid, SIGKILL);
		}
		if (waitpid(pid, &status, 0) != pid)
			return 1;
		if (i % 3 == 0 && status)
			return 2;
		if (i % 3 == 1 && (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV))
			return 2;
	}
	printf("%d\n", count * (int)NR_BAD);
	return 0;
}
