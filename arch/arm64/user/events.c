// SPDX-License-Identifier: GPL-2.0-or-later
/* events.c - the events whose fields are registers of arm64, or that only arm64 has.  See arch/event_row.h. */
#include "user.h"

#define ROW		EVENT_ROW
#define CORE		EVENT_CORE

#define ADDRESS		"address = far or addr; "
#define SYNDROME	"error_code = esr"

/* A call of a 32-bit program has another number: TIF_32BIT tells them apart. */
#define COMPAT		"compat = current->thread_info.flags >> 22 & 1"

const struct event_row arch_user_event_rows[] = {
	EVENT_ROW_CALLS("sys_enter", "syscall_entry",
	    "id = id; arg0 = regs->regs[0]; arg1 = regs->regs[1]; arg2 = regs->regs[2]; arg3 = regs->regs[3]; "
	    "arg4 = regs->regs[4]; arg5 = regs->regs[5]; ip = regs->pc; " COMPAT, NULL),
	EVENT_ROW_CALLS("sys_exit", "syscall_exit", "id = regs->syscallno; ret = ret", "ret = ret"),
	/* Every fault passes this function; most kernels have no tracepoint for it. */
	ROW(FAULTS, CORE, NULL, "do_mem_abort", "page_fault", ADDRESS "ip = regs->pc; " SYNDROME),
	ROW(FAULTS, CORE, NULL, "do_undefinstr or do_el0_undef", "trap_entry", "ip = regs->pc"),
	ROW(IRQ, CORE, "ipi", "ipi_entry", "ipi_entry", "reason = reason :32"),
	ROW(IRQ, CORE, "ipi", "ipi_exit", "ipi_exit", "reason = reason :32"),
	ROW(IRQ, 0, "ipi", "ipi_raise", "ipi_raise", "reason = reason :32"),
	{ .name = NULL },
};
