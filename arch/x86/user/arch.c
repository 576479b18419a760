// SPDX-License-Identifier: GPL-2.0-or-later
/* arch.c - x86-64 for the controller.  See arch/arch.h. */
#include <elf.h>

#include "user.h"

/* rax rdx rcx rbx rsi rdi rbp rsp r8..r15 rip */
static const uint16_t all_regs[] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
};

/* rdi rsi rdx rcx r8 r9 */
static const uint16_t arg_regs[] = { 5, 4, 1, 2, 8, 9 };

/* Every breakpoint passes these events: see `entry_path` in arch/x86/kmod/arch.c. */
static const char *const off_events[] = { "notifier/notifier_run", "rcu/rcu_dyntick", "rcu/rcu_watching", NULL };

static const char *const compat_prefixes[] = {
	"__ia32_compat_sys_ia32_", "__ia32_sys_ia32_", "__ia32_compat_sys_", "__ia32_sys_", NULL,
};

/* Of the struct pt_regs that the function of a system call gets. */
const struct arch_ops arch_native = {
	.name = "x86-64",
	.machine = "x86_64",
	.elf_machine = EM_X86_64,
	.regs = arch_user_regs,
	.flags = arch_user_flags,
	.all_regs = all_regs,
	.nr_all_regs = sizeof(all_regs) / sizeof(all_regs[0]),
	.dwarf_sp = 7,
	.dwarf_pc = 16,
	.dwarf_fp = 6,
	.call_pushes = 8,
	.dwarf_result = 0,
	.dwarf_psr = 49,
	.dwarf_goroutine = 14,
	.dwarf_args = arg_regs,
	.nr_dwarf_args = sizeof(arg_regs) / sizeof(arg_regs[0]),
	.dwarf_vector_arg = 17,
	.nr_dwarf_vector_args = 8,
	.insn_max = 15,
	.jump_bytes = 5,
	/*
	 * apply_returns() of arch/x86/kernel/alternative.c replaces returns by a jump to the thunk for the
	 * CPU's bug.
	 */
	.return_thunk = "_return_thunk",
	.short_base = 0xffffffff00000000,
	.clock_source = "tsc",
	.needs_data_symbols = true,
	.off_events = off_events,
	.event_rows = arch_user_event_rows,
	.syscall_prefix = "__x64_sys_",
	.compat_prefixes = compat_prefixes,
	.compat_calls = arch_user_compat_calls,
	.scratch = arch_user_scratch,
	.decode = arch_user_decode,
	.prologue = arch_user_prologue,
	.frame_is_set = arch_user_frame_is_set,
	.orc_type = arch_user_orc_type,
	.orc_base = arch_user_orc_base,
	.is_switch = arch_user_is_switch,
	.go_sequence = arch_user_go_sequence,
	.operand = arch_user_operand,
};
