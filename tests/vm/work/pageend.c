// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Open a file whose name has no end: its page ends behind the name, and the next page is not mapped. pageend
 * NAME
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const size_t page = sysconf(_SC_PAGESIZE), len = argc == 2 ? strlen(argv[1]) : page + 1;
	char *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (len > page) {
		fputs("usage: pageend NAME\n", stderr);
		return 2;
	}
	if (two == MAP_FAILED || munmap(two + page, page) < 0) {
		perror("pageend");
		return 1;
	}
	memcpy(two + page - len, argv[1], len);
	return open(two + page - len, O_RDONLY) < 0 && errno == EFAULT ? 0 : 1;
}
