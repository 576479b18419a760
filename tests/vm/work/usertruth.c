// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program of known values, for tracepoints in programs:
 *
 *   usertruth [fork|exec|hold|ticks] COUNT
 *
 * It calls user_square(i) for i from 1 to COUNT, and user_text() once.  fork: a child does the same then.  exec: it starts
 * itself again for that.  hold: it waits for a line on its input first, and prints its process id.
 * ticks: it prints the least ticks of COUNT calls of user_square(), and nothing else.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ticks.h"

struct user_node {
	struct user_node *next;
	int64_t id;
	const char *name;
};

int user_global = 7077;
static struct user_node second = { NULL, -2, "second node" }, first = { &second, 41, "first node" };

__attribute__((noinline)) int64_t user_square(int64_t n, const struct user_node *node)
{
	int64_t square = n * n;

	__asm__ volatile("" : "+r"(square));
	return square + (node->id - 41);
}

__attribute__((noinline)) size_t user_text(const char *text, int a, int b)
{
	__asm__ volatile("" : : "r"(a), "r"(b));
	return strlen(text);
}

/* Its text is in a page that nothing has touched. */
static const char untouched[3 * 4096] __attribute__((aligned(4096))) = { [4096 + 8] = 'f', 'a', 'r', 0 };

__attribute__((noinline)) size_t user_far(const char *text)
{
	__asm__ volatile("" : "+r"(text));
	return (uintptr_t)text & 1;
}

/*
 * An SDT marker in the form of <sys/sdt.h>, with a semaphore: its site is passed only while that is raised.  "x" is a register of
 * the floating-point unit, which no tracer of the kernel reads.
 */
uint16_t user_semaphore __attribute__((section(".probes"), visibility("hidden"), used));

__asm__(".pushsection .stapsdt.base,\"aG\",%progbits,.stapsdt.base,comdat\n"
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n");

__attribute__((noinline)) int user_marked(int value, const char *text)
{
	if (!*(volatile uint16_t *)&user_semaphore)
		return 0;
	__asm__ volatile("990: nop\n"
			 ".pushsection .note.stapsdt,\"\",%%note\n.balign 4\n"
			 ".4byte 992f-991f, 994f-993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n"
			 "993: .8byte 990b, _.stapsdt.base, user_semaphore\n"
			 ".asciz \"truth\"\n.asciz \"marked\"\n.asciz \"-4@%0 8@%1 8f@%2 4@%3\"\n994: .balign 4\n.popsection\n"
			 : : "r"(value), "r"(text), "x"(0.5), "n"(12));
	return 1;
}

static void work(long count)
{
	int64_t sum = 0;

	for (long i = 1; i <= count; i++)
		sum += user_square(i, &first);
	sum += user_text("planted truth", user_global, -5);
	sum += user_far(untouched + 4096 + 8);
	for (long i = 0; i < count; i++)
		user_marked(-7, "marker's text");
	printf("%lld\n", (long long)sum);
	fflush(stdout);
}

static int print_ticks(long count)
{
	uint64_t least = UINT64_MAX;

	for (long i = 0; i < count; i++) {
		const uint64_t start = ordered_ticks(), middle = ordered_ticks();
		uint64_t took;

		user_square(i, &first);
		took = ordered_ticks() - middle - (middle - start);
		least = took < least ? took : least;
	}
	printf("%llu\n", (unsigned long long)least);
	return 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";
	const long count = argc > 1 ? atol(argv[argc - 1]) : 1;
	char line[16];

	if (!strcmp(how, "ticks"))
		return print_ticks(count);
	if (!strcmp(how, "hold")) {
		printf("%d\n", getpid());
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			return 1;
	}
	work(count);
	if (!strcmp(how, "exec"))
		execl("/proc/self/exe", argv[0], argv[argc - 1], (char *)NULL);
	if (!strcmp(how, "fork") && !fork()) {
		work(count);
		_exit(0);
	}
	wait(NULL);
	return 0;
}
