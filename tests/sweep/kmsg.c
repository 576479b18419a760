// SPDX-License-Identifier: GPL-2.0-or-later
/* kmsg.c - see kmsg.h. */
#include "kmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "device.h"

/* Signs of trouble. The lab checks the whole log again, with a longer list. */
static const char *const trouble[] = {
	"BUG:", "kernel BUG", "WARNING:", "Oops", "general protection", "double fault", "detected stall", "INFO: rcu",
	"soft lockup", "hard LOCKUP", "INFO: task", "invalid opcode:", "Internal error:", "Unexpected kernel", "nable to handle", "Bad page state", "list_add corruption",
	"list_del corruption", "scheduling while atomic", "refcount_t:", "unchecked MSR", "stack guard page",
};

static int fd = -1;

void kmsg_begin(void)
{
	fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || lseek(fd, 0, SEEK_END) < 0)
		die("/dev/kmsg: %s", strerror(errno));
}

static void check_line(const char *line)
{
	for (size_t i = 0; i < sizeof(trouble) / sizeof(trouble[0]); i++)
		if (strstr(line, trouble[i]) && !strstr(line, "traps: "))
			die("the kernel log says: %s", line);
}

void kmsg_check(void)
{
	char line[4096], *text;
	ssize_t n;

	/* EPIPE: lines were overwritten before they were read; the next read continues behind them. */
	while ((n = read(fd, line, sizeof(line) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		if (n < 0)
			continue;
		line[n] = '\0';
		text = strchr(line, ';');
		check_line(text ? text + 1 : line);
	}
}
