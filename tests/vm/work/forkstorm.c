// SPDX-License-Identifier: GPL-2.0-or-later
/* Fork COUNT children, at most WIDTH (default 8) at a time; each runs /bin/true: forkstorm COUNT [WIDTH] */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 0, width = argc > 2 ? atol(argv[2]) : 8, running = 0;
	int status, failed = 0;

	if (count <= 0 || width <= 0) {
		fputs("usage: forkstorm COUNT [WIDTH]\n", stderr);
		return 2;
	}
	while (count > 0 || running > 0) {
		if (count > 0 && running < width) {
			if (fork() == 0) {
				execl("/bin/true", "true", NULL);
				_exit(127);
			}
			count--;
			running++;
			continue;
		}
		if (wait(&status) < 0)
			return 1;
		failed |= status;
		running--;
	}
	return failed != 0;
}
