// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Make system calls that are hard to name:
 *
 *   oddcalls
 *
 * openat(2) of a file whose name has 250 characters, of one with 3000, and of a name that cannot be read; calls with
 * the numbers 777 and -1; where a program can call as 32-bit programs do, their getpid(2), which has the number 20, a
 * hundred times.  Then it prints its process id.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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

int main(void)
{
	open_long(250);
	open_long(3000);
	syscall(SYS_openat, AT_FDCWD, (char *)8, O_RDONLY);
	syscall(777);
	syscall(-1);
	call_as_32_bits();
	printf("%d\n", getpid());
	return 0;
}
