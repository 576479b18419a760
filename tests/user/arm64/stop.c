// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stop.c - a hardware breakpoint: see tests/user/stop.h.  A thread that goes on from there would stop once more, but one
 * that was in a sequence does not: the kernel restarts it.
 */
#include "tests/user/stop.h"

#include <asm/ptrace.h>
#include <elf.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

/* DBGBCR: enabled, for programs, all four bytes of the instruction. */
#define EXECUTE	(1 | 2 << 1 | 0xf << 5)

static bool set_first(pid_t pid, uint64_t ip, uint32_t control)
{
	struct user_hwdebug_state state;
	/* Only the first of them. */
	struct iovec part = { &state, offsetof(struct user_hwdebug_state, dbg_regs[1]) };

	memset(&state, 0, sizeof(state));
	state.dbg_regs[0].addr = ip;
	state.dbg_regs[0].ctrl = control;
	return ptrace(PTRACE_SETREGSET, pid, NT_ARM_HW_BREAK, &part) == 0;
}

bool stop_set(pid_t pid, uint64_t ip)
{
	return set_first(pid, ip, EXECUTE);
}

bool stop_clear(pid_t pid)
{
	return set_first(pid, 0, 0);
}
