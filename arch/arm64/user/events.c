// SPDX-License-Identifier: GPL-2.0-or-later
/* events.c - the events whose fields are registers of arm64, or that only arm64 has.  See arch/event_row.h. */
#include "user.h"

#define ROW		EVENT_ROW
#define CORE		EVENT_CORE

/* A call of a 32-bit program has another number: TIF_32BIT tells them apart. */
#define COMPAT		"compat = current->thread_info.flags >> 22 & 1"

const struct event_row arch_user_event_rows[] = {
	EVENT_ROW_CALLS("sys_enter", "syscall_entry",
	    EVENT_CALL_FIELDS "ip = regs->pc; " COMPAT, NULL),
	EVENT_ROW_CALLS("sys_exit", "syscall_exit", "id = regs->syscallno; ret = ret; " COMPAT, "ret = ret"),
	/*
	 * The handlers of traps must not be probed, and there is no tracepoint in them.  Every page fault for which the task
	 * has memory passes this function.  So does the kernel where it needs a page of a task without a trap: regs is NULL.
	 */
	ROW(FAULTS, CORE, NULL, "handle_mm_fault", "mm_fault_entry", "address = address; flags = flags; ip = regs->pc"),
	/* All other traps of a task, where the kernel has decided to send a signal. */
	ROW(FAULTS, CORE, NULL, "force_sig_fault", "trap_entry",
	    "sig = sig; code = code; address = addr; error_code = current->thread.fault_code"),
	ROW(IRQ, CORE, "ipi", "ipi_entry", "ipi_entry", "reason = reason :32"),
	ROW(IRQ, CORE, "ipi", "ipi_exit", "ipi_exit", "reason = reason :32"),
	ROW(IRQ, 0, "ipi", "ipi_raise", "ipi_raise", "reason = reason :32"),
	{ .name = NULL },
};
