// SPDX-License-Identifier: GPL-2.0-or-later
/* arch.c - arm64 for the controller.  See arch/arch.h. */
#include <elf.h>

#include "user.h"

/* x0..x30, sp, pc */
static const uint16_t all_regs[] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
	27, 28, 29, 30, ARM64_DWARF_SP, ARM64_DWARF_PC,
};

static const uint16_t arg_regs[] = { 0, 1, 2, 3, 4, 5, 6, 7 };

/* Every breakpoint passes these events: see `entry_path` in arch/arm64/kmod/arch.c. */
static const char *const off_events[] = { "rcu/rcu_dyntick", "rcu/rcu_watching", NULL };

/* Calls for which both kinds of programs use one function have syscall_prefix. */
static const char *const compat_prefixes[] = {
	"__arm64_compat_sys_aarch32_", "__arm64_sys_aarch32_", "__arm64_compat_sys_", "__arm64_sys_", NULL,
};

/* Of the struct pt_regs that the function of a system call gets. */
const struct arch_ops arch_native = {
	.name = "arm64",
	.machine = "aarch64",
	.elf_machine = EM_AARCH64,
	.regs = arch_user_regs,
	.flags = arch_user_flags,
	.all_regs = all_regs,
	.nr_all_regs = sizeof(all_regs) / sizeof(all_regs[0]),
	.dwarf_sp = ARM64_DWARF_SP,
	.dwarf_pc = ARM64_DWARF_SP + 1,
	.dwarf_fp = 29,
	.dwarf_result = 0,
	.dwarf_psr = ARM64_DWARF_PSTATE,
	.dwarf_goroutine = 28,
	.dwarf_args = arg_regs,
	.nr_dwarf_args = sizeof(arg_regs) / sizeof(arg_regs[0]),
	.args_by_reference = true,
	.dwarf_vector_arg = 64,
	.nr_dwarf_vector_args = 8,
	.insn_max = 4,
	.jump_bytes = 4,
	/* The kernel's address is chosen at every boot. */
	.short_base = 0,
	.clock_source = "arch_sys_counter",
	.off_events = off_events,
	.event_rows = arch_user_event_rows,
	.syscall_prefix = "__arm64_sys_",
	.compat_prefixes = compat_prefixes,
	.compat_calls = arch_user_compat_calls,
	.scratch = arch_user_scratch,
	.decode = arch_user_decode,
	.prologue = arch_user_prologue,
	.frame_is_set = arch_user_frame_is_set,
	.is_switch = arch_user_is_switch,
	.go_sequence = arch_user_go_sequence,
	.operand = arch_user_operand,
};
