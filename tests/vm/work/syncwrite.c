// SPDX-License-Identifier: GPL-2.0-or-later
/* Write a page of zeros to the begin of a file that exists, and wait until the disk has it: syncwrite FILE */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static const char page[4096];
	int fd = argc == 2 ? open(argv[1], O_WRONLY | O_SYNC) : -1;

	if (fd < 0 || write(fd, page, sizeof(page)) != sizeof(page)) {
		perror(argc == 2 ? argv[1] : "usage: syncwrite FILE");
		return 1;
	}
	return 0;
}
