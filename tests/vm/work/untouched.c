// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Make system calls with texts in pages that the process has not touched yet:
 *
 *   untouched CALL [TIMES]
 *
 * CALL is one of the rows below.  The text is in a file of which each page is mapped anew for each call, so nobody but the kernel
 * reads it.  The program prints its thread id and what the calls returned last.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE	65536		/* the largest page of all kernels */
#define FILE_OF	"/tmp/untouched.text"

/* The n-th text is in a page of its own. */
static const char *const texts[] = { "/tmp/untouched.one", "/tmp/untouched.two" };

static char *map_again(int fd, char *old)
{
	if (old)
		munmap(old, PAGE * 2);
	old = mmap(NULL, PAGE * 2, PROT_READ, MAP_PRIVATE, fd, 0);
	if (old == MAP_FAILED) {
		perror("untouched: mmap");
		exit(1);
	}
	/* No neighbour of a page that is brought in comes with it. */
	madvise(old, PAGE * 2, MADV_RANDOM);
	return old;
}

static long do_open(const char *text)
{
	const long fd = syscall(SYS_openat, AT_FDCWD, text, O_RDWR | O_CREAT, 0600);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? -errno : 0;
}

static long do_rename(const char *text)
{
	return syscall(SYS_renameat2, AT_FDCWD, text, AT_FDCWD, text + PAGE, 0) < 0 ? -errno : 0;
}

/* The kernel refuses before it reads the text. */
static long do_refused(const char *text)
{
	return syscall(SYS_openat, AT_FDCWD, text, O_RDWR | O_CREAT | O_DIRECTORY, 0600) < 0 ? -errno : 0;
}

static long do_write(const char *text)
{
	const int fd = open("/tmp/untouched.out", O_WRONLY | O_CREAT, 0600);
	const long n = write(fd, text, 8);

	close(fd);
	return n;
}

/* It waits for a writer, or a signal. */
static long do_wait(const char *text)
{
	unlink(texts[1]);
	if (mkfifo(texts[1], 0600) < 0)
		return -errno;
	return syscall(SYS_openat, AT_FDCWD, text + PAGE, O_RDONLY) < 0 ? -errno : 0;
}

static const struct {
	const char *name;
	long (*call)(const char *text);
} calls[] = {
	{ "open", do_open }, { "rename", do_rename }, { "refused", do_refused }, { "write", do_write },
	{ "wait", do_wait },
};

int main(int argc, char **argv)
{
	const int times = argc > 2 ? atoi(argv[2]) : 1;
	const int fd = open(FILE_OF, O_RDWR | O_CREAT | O_TRUNC, 0600);
	char *text = NULL;
	long result = -1;

	if (argc < 2 || fd < 0 || ftruncate(fd, PAGE * 2) < 0)
		return 2;
	for (size_t i = 0; i < 2; i++)
		if (pwrite(fd, texts[i], strlen(texts[i]) + 1, PAGE * i) < 0)
			return 2;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		for (int n = 0; !strcmp(calls[i].name, argv[1]) && n < times; n++) {
			text = map_again(fd, text);
			result = calls[i].call(text);
		}
	printf("%ld %ld\n", (long)getpid(), result);
	return 0;
}
