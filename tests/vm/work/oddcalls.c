// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Make system calls that are hard to name:
 *
 *   oddcalls
 *
 * openat(2) of a file whose name has 250 characters, of one with 3000, and of a name that cannot be read; calls with
 * the numbers 777 and -1; where a program can call as 32-bit programs do, their getpid(2), which has the number 20, a
 * hundred times.  Then it prints its process id.
 *
 *   oddcalls names
 *
 * openat(2) of 1,024 names: with 0 to 63 characters, each so that its end and the next page, which is not there, are 0 to 15
 * bytes apart.  A name begins with these two numbers, and every third one has characters above 0x80.  It prints the names.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "compat_call.h"

static char name[4096];

static void open_long(size_t len)
{
	memset(name, 'n', len);
	name[len] = '\0';
	syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static void call_as_32_bits(void)
{
	for (int i = 0; i < 100; i++) {
		if (HAS_COMPAT_CALL && compat_call(20) == getpid())
			continue;
		puts("no calls of 32-bit programs");
		return;
	}
}

/* Make a name of `len` characters.  Names of at least eight characters differ from all others. */
static void make_name(char *to, int len, int apart)
{
	for (int i = 0; i < len; i++)
		to[i] = "abcdefghijklmnop"[(apart + i) % 16];
	if (len >= 8) {
		to[sprintf(to, "%02d-%02d", len, apart)] = '-';
		if (len % 3 == 0)
			memcpy(to + len - 2, "\xc3\xa9", 2);	/* one letter */
	}
	to[len] = '\0';
}

static int open_names(void)
{
	const long page = sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE))
		return 1;
	for (int len = 0; len < 64; len++)
		for (int apart = 0; apart < 16; apart++) {
			char *at = pages + page - apart - len - 1;

			memset(pages, 'x', page);
			make_name(at, len, apart);
			syscall(SYS_openat, AT_FDCWD, at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
			puts(at);
		}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "names"))
		return open_names();
	open_long(250);
	open_long(3000);
	syscall(SYS_openat, AT_FDCWD, (char *)8, O_RDONLY);
	syscall(777);
	syscall(-1);
	call_as_32_bits();
	printf("%d\n", getpid());
	return 0;
}
