// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unwound [TIMES [wait]] - functions without frame pointers that call unwound_here() on known ways.  For each call it prints
 * "way NAME" with the return addresses of its own functions on that way, the nearest first: a tracepoint with BACKTRACE at
 * unwound_here() must list them in this order, among those of libraries.
 *
 * TIMES: then it makes its unwind tables writable, and so often writes nonsense into them and calls unwound_here().
 * wait: at last it waits for the end of its input.
 */
#include <alloca.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "undefined.h"

#define DEEP	16

static void *way[DEEP];
static int at;
static volatile int kept;

/* Keep the address to which this function returns; the inner functions first. */
#define NOTE()	(way[at++] = __builtin_return_address(0))
/* What is done behind the call, so that it is no jump. */
#define STAY()	(kept++)
#define OWN	__attribute__((noinline, noclone))

static void tell(const char *name)
{
	printf("way %s", name);
	for (int i = 0; i < at; i++)
		printf(" %llx", (unsigned long long)way[i]);
	printf("\n");
	at = 0;
}

OWN void unwound_here(void)
{
	NOTE();
	__asm__ volatile("" : : : "memory");
}

static OWN long with_registers(long a, long b, long c, long d)
{
	long e = a * b, f = b * c, g = c * d;

	unwound_here();
	NOTE();
	STAY();
	return a + b + c + d + e + f + g;
}

static OWN void with_alloca(size_t n)
{
	char *room = alloca(n);

	memset(room, 7, n);
	kept += with_registers(room[0], kept, room[n - 1], n);
	NOTE();
	__asm__ volatile("" : : "r"(room) : "memory");
}

static OWN void with_alignment(size_t n)
{
	char aligned[256] __attribute__((aligned(64)));

	memset(aligned, n, sizeof(aligned));
	with_alloca(n + aligned[5]);
	NOTE();
	__asm__ volatile("" : : "r"(aligned) : "memory");
}

static int compare(const void *a, const void *b)
{
	if (!at) {
		with_alignment(40);
		NOTE();
	}
	return *(const int *)a - *(const int *)b;
}

static OWN void by_library(void)
{
	int numbers[] = { 2, 1 };

	qsort(numbers, 2, sizeof(numbers[0]), compare);
	NOTE();
	STAY();
}

static void on_signal(int signal)
{
	with_registers(signal, 1, 2, 3);
	/* It returns to code of the library by which the kernel goes on: that address is in the list, too. */
	NOTE();
}

static OWN void by_signal(void)
{
	raise(SIGUSR1);
	NOTE();
	STAY();
}

/* The signal comes in the middle of a function, where it has moved its stack. */
static OWN void by_fault(void)
{
	char *room = alloca(kept + 100);

	__asm__ volatile(UNDEFINED : : "r"(room) : "memory");
	NOTE();
	STAY();
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;

	with_registers(signal, 3, 2, 1);
	NOTE();
	SKIP_UNDEFINED(interrupted);
}

static void *thread(void *arg)
{
	with_alignment(9);
	NOTE();
	return NULL;
}

/* --------------------------------------------------------------- nonsense in tables */

struct part {
	unsigned char *from, *to;
};

static int find_table(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct part *part = arg;

	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME) {
			part->from = (unsigned char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
			part->to = part->from + info->dlpi_phdr[i].p_memsz;
		}
	/* The program itself comes first.  .eh_frame follows its table. */
	return 1;
}

static void be_hostile(int times)
{
	const long page = sysconf(_SC_PAGESIZE);
	struct part part = { NULL, NULL };
	unsigned char *first;
	size_t size;

	dl_iterate_phdr(find_table, &part);
	first = (unsigned char *)((unsigned long)part.from & -page);
	size = ((part.to - first) + page) & -page;
	/* Code may be in the same page. */
	if (mprotect(first, size, PROT_READ | PROT_WRITE | PROT_EXEC)) {
		perror("mprotect");
		exit(1);
	}
	srand(1);
	for (int i = 0; i < times; i++) {
		for (int n = 0; n < 40; n++)
			part.from[rand() % (first + size - part.from)] = rand();
		at = 0;
		with_registers(i, 2, 3, 4);
	}
}

int main(int argc, char **argv)
{
	struct sigaction fault = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	pthread_t other;

	with_registers(argc, 2, 3, 4);
	tell("plain");
	by_library();
	tell("library");
	signal(SIGUSR1, on_signal);
	by_signal();
	tell("signal");
	sigaction(SIGILL, &fault, NULL);
	by_fault();
	tell("fault");
	pthread_create(&other, NULL, thread, NULL);
	pthread_join(other, NULL);
	tell("thread");
	if (argc > 1 && atoi(argv[1]))
		be_hostile(atoi(argv[1]));
	fflush(stdout);
	if (argc > 2)
		getchar();
	return 0;
}
