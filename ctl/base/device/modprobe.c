// SPDX-License-Identifier: GPL-2.0-or-later
/* modprobe.c - load the module if it is installed.  See modprobe.h. */
#include "ctl/base/device/modprobe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl/base/memory.h"

/* In the child.  -q: no message where there is no such module. */
static void become_modprobe(const char *module, int say)
{
	char *argv[] = { "modprobe", "-q", (char *)module, NULL };
	int null = open("/dev/null", O_RDWR);

	setenv("LC_ALL", "C", 1);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(say, STDERR_FILENO);
	execv("/sbin/modprobe", argv);
	execvp("modprobe", argv);
	_exit(127);
}

static void first_line(int fd, char *line, size_t size)
{
	static const char error[] = "modprobe: ERROR: ";
	char text[512];
	size_t len = 0;
	ssize_t n;

	while (len + 1 < sizeof(text) && (n = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
		len += n;
	text[len] = '\0';
	text[strcspn(text, "\n")] = '\0';
	snprintf(line, size, "%s", strncmp(text, error, strlen(error)) ? text
									: text + strlen(error));
}

static bool wait_for(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool modprobe(const char *module, char *why, size_t size)
{
	int ends[2];
	pid_t child;

	why[0] = '\0';
	if (pipe2(ends, O_CLOEXEC))
		return false;
	child = fork();
	if (child == 0)
		become_modprobe(module, ends[1]);
	close(ends[1]);
	if (child > 0)
		first_line(ends[0], why, size);
	close(ends[0]);
	return child > 0 && wait_for(child);
}

int modprobe_errno(const char *why)
{
	static const int numbers[] = { EPERM, EKEYREJECTED, ENOKEY, EBADMSG };

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (strstr(why, strerrordesc_np(numbers[i])))
			return numbers[i];
	return 0;
}
