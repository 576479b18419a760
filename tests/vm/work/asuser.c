// SPDX-License-Identifier: GPL-2.0-or-later
/* Run a command as another user, without capabilities: asuser UID COMMAND... (UID may be "nobody") */
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	uid_t uid;

	if (argc < 3) {
		fputs("usage: asuser UID COMMAND...\n", stderr);
		return 2;
	}
	uid = strcmp(argv[1], "nobody") == 0 ? 65534 : (uid_t)strtoul(argv[1], NULL, 0);
	if (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0) {
		perror("asuser");
		return 125;
	}
	setenv("HOME", "/home/nobody", 1);
	execvp(argv[2], argv + 2);
	fprintf(stderr, "asuser: %s: %s\n", argv[2], strerror(errno));
	return errno == ENOENT ? 127 : 126;
}
