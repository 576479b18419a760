// SPDX-License-Identifier: GPL-2.0-or-later
/* data.c - random numbers of mixload, and data that must come back unchanged. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mixload.h"

static unsigned int dice;
char out[8192], in[8192];

void throw_dice(unsigned int seed)
{
	dice = seed;
}

unsigned int roll(unsigned int sides)
{
	dice = dice * 1103515245 + 12345;
	return (dice >> 16) % sides;
}

size_t message(size_t most)
{
	size_t n = 1 + roll(most), i;

	for (i = 0; i < n; i++)
		out[i] = roll(256);
	return n;
}

bool came_back(ssize_t got, size_t n)
{
	return got == (ssize_t)n && memcmp(in, out, n) == 0;
}

bool through(int to, int from, size_t most)
{
	size_t n = message(most);
	bool ok = write(to, out, n) == (ssize_t)n && came_back(read(from, in, n), n);

	close(to);
	close(from);
	return ok;
}

bool ended_well(pid_t child)
{
	int status;

	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
