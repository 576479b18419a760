// SPDX-License-Identifier: GPL-2.0-or-later
/* stop.c - a hardware breakpoint: see tests/user/stop.h.  The kernel lets a thread go on from there. */
#include "tests/user/stop.h"

#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>

static bool set_debug(pid_t pid, int reg, unsigned long value)
{
	return ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg) + reg * sizeof(long), value) == 0;
}

/* DR7: breakpoint 0, on execution. */
bool stop_set(pid_t pid, uint64_t ip)
{
	return set_debug(pid, 0, ip) && set_debug(pid, 7, 1);
}

bool stop_clear(pid_t pid)
{
	return set_debug(pid, 7, 0);
}
