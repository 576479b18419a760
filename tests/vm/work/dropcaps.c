// SPDX-License-Identifier: GPL-2.0-or-later
/* Run a command as root without some capabilities, as containers do: dropcaps NUMBER... -- COMMAND... */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int i;

	/* Root gets at execve what the bounding set has. */
	for (i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if (prctl(PR_CAPBSET_DROP, strtoul(argv[i], NULL, 0), 0, 0, 0)) {
			perror("dropcaps");
			return 125;
		}
	}
	if (i + 1 >= argc) {
		fputs("usage: dropcaps NUMBER... -- COMMAND...\n", stderr);
		return 2;
	}
	execvp(argv[i + 1], argv + i + 1);
	fprintf(stderr, "dropcaps: %s: %s\n", argv[i + 1], strerror(errno));
	return errno == ENOENT ? 127 : 126;
}
