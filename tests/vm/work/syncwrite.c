// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write blocks to a file with O_SYNC, so that each write waits for the disk:
 *
 *   syncwrite FILE COUNT BYTES
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const size_t bytes = argc == 4 ? strtoul(argv[3], NULL, 0) : 0;
	char *block = calloc(1, bytes + 1);
	int fd;

	if (argc != 4 || !block) {
		fputs("usage: syncwrite FILE COUNT BYTES\n", stderr);
		return 2;
	}
	fd = open(argv[1], O_WRONLY | O_CREAT | O_SYNC, 0600);
	if (fd < 0) {
		perror(argv[1]);
		return 1;
	}
	for (long i = atol(argv[2]); i > 0; i--) {
		if (write(fd, block, bytes) != (ssize_t)bytes) {
			perror(argv[1]);
			return 1;
		}
	}
	return close(fd);
}
