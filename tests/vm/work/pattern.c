// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Make system calls whose names a reader must not find elsewhere:
 *
 *	pattern secret N	openat(2), N times, of a name of 200 characters, "PATTERN-PATTERN-..."; it is the name of the task, too
 *	pattern blank N		N times openat(2) and then mkdirat(2) with a name that cannot be read, in four ways
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CHARACTERS	200

static void secret(long n)
{
	char name[CHARACTERS + 1] = "";

	for (int i = 0; i < CHARACTERS; i += 8)
		memcpy(name + i, "PATTERN-", 8);
	prctl(PR_SET_NAME, "PATTERN-PATTERN");
	for (long i = 0; i < n; i++)
		syscall(SYS_openat, AT_FDCWD, name, O_RDONLY, 0);
}

/* No address; in a page that is not there, at its start, inside, and so that a word is half in the next one, which is not there either. */
static void blank(long n)
{
	const long page = sysconf(_SC_PAGESIZE);
	char *gone = mmap(NULL, 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const char *names[] = { NULL, gone, gone + 100, gone + page - 3 };

	for (long i = 0; i < n; i++) {
		syscall(SYS_openat, 77, names[i % 4], O_RDONLY, 0);
		if (errno == EFAULT || errno == EBADF)
			syscall(SYS_mkdirat, 77, names[i % 4], 0);
	}
}

int main(int argc, char **argv)
{
	const long n = argc == 3 ? atol(argv[2]) : 0;

	if (n < 1)
		return 2;
	if (!strcmp(argv[1], "secret"))
		secret(n);
	else
		blank(n);
	return 0;
}
