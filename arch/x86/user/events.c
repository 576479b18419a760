// SPDX-License-Identifier: GPL-2.0-or-later
/* events.c - the events whose fields are registers of x86-64, or that only x86 has.  See arch/event_row.h. */
#include "user.h"

#define ROW		EVENT_ROW
#define CORE		EVENT_CORE

/* All bits of the error code that are defined fit in 32. */
#define FAULT		"address = address; ip = regs->ip; error_code = (u32)error_code"
#define VECTOR		"vector = vector"

/* A call of a 32-bit program has another number: TS_COMPAT tells them apart. */
#define COMPAT		"compat = (current->thread_info.status & 2) >> 1"

const struct event_row arch_user_event_rows[] = {
	EVENT_ROW_CALLS("sys_enter", "syscall_entry",
	    EVENT_CALL_FIELDS "ip = regs->ip; " COMPAT, NULL),
	EVENT_ROW_CALLS("sys_exit", "syscall_exit", "id = (s32)regs->orig_ax; ret = ret; " COMPAT, "ret = ret"),
	ROW(FAULTS, CORE | EVENT_READABLE, "exceptions", "page_fault_user", "x86_exceptions_page_fault_user", FAULT),
	ROW(FAULTS, CORE | EVENT_READABLE, "exceptions", "page_fault_kernel", "x86_exceptions_page_fault_kernel", FAULT),
	ROW(FAULTS, 0, NULL, "handle_mm_fault", "mm_fault_entry", "address = address; flags = flags"),
	/*
	 * Traps other than page faults: division by zero, undefined instruction ...  Their handlers must not be probed; so
	 * this is where the kernel has decided to send a signal.  address is that of the instruction, or for SIGSEGV and
	 * SIGBUS that of the data.
	 */
	ROW(FAULTS, CORE, NULL, "force_sig_fault", "trap_entry",
	    "trapnr = current->thread.trap_nr; sig = sig; code = code; address = addr; "
	    "error_code = current->thread.error_code"),
	/* On other architectures the compiler makes this function a part of its callers. */
	ROW(NET, 0, NULL, "sock_recvmsg%return", "socket_received", "ret = RETVAL"),
	ROW(IRQ, CORE, "irq_vectors", "local_timer_entry", "x86_irq_vectors_local_timer_entry", VECTOR),
	ROW(IRQ, CORE, "irq_vectors", "local_timer_exit", "x86_irq_vectors_local_timer_exit", VECTOR),
	ROW(IRQ, CORE, "irq_vectors", "reschedule_entry", "x86_irq_vectors_reschedule_entry", VECTOR),
	ROW(IRQ, CORE, "irq_vectors", "reschedule_exit", "x86_irq_vectors_reschedule_exit", VECTOR),
	ROW(IRQ, CORE, "irq_vectors", "call_function_entry", "x86_irq_vectors_call_function_entry", VECTOR),
	ROW(IRQ, CORE, "irq_vectors", "call_function_exit", "x86_irq_vectors_call_function_exit", VECTOR),
	ROW(IRQ, CORE, "irq_vectors", "call_function_single_entry", "x86_irq_vectors_call_function_single_entry", VECTOR),
	ROW(IRQ, CORE, "irq_vectors", "call_function_single_exit", "x86_irq_vectors_call_function_single_exit", VECTOR),
	ROW(IRQ, CORE, "irq_vectors", "irq_work_entry", "x86_irq_vectors_irq_work_entry", VECTOR),
	ROW(IRQ, CORE, "irq_vectors", "irq_work_exit", "x86_irq_vectors_irq_work_exit", VECTOR),
	{ .name = NULL },
};
