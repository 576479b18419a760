// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Make system calls that are hard to name:
 *
 *   oddcalls
 *
 * openat(2) of a file whose name has 250 characters, of one with 3000, and of a name that cannot be read; calls with
 * the numbers 777 and -1; on x86, getpid(2) of 32-bit programs, whose number is that of writev(2) here, 100 times.
 * Then it prints the names' lengths that the kernel was given, and its process id.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char name[4096];

static void open_long(size_t len)
{
	memset(name, 'n', len);
	name[len] = '\0';
	syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static void call_as_32_bits(void)
{
#ifdef __x86_64__
	for (int i = 0; i < 100; i++) {
		long pid = 20;

		__asm__ volatile("int $0x80" : "+a"(pid) : : "memory", "r8", "r9", "r10", "r11");
		if (pid != getpid())
			puts("no calls of 32-bit programs");
	}
#endif
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
