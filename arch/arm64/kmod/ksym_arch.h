/* SPDX-License-Identifier: GPL-2.0-only */
/* ksym_arch.h - unexported arm64 functions.  Rows as in kmod/base/ksym_list.h. */
KSYM_NEED(aarch64_insn_write, int, (void *addr, u32 insn))
KSYM_NEED(aarch64_insn_patch_text_nosync, int, (void *addr, u32 insn))
KSYM_NEED(aarch64_insn_patch_text, int, (void **addrs, u32 *insns, int cnt))
KSYM_MAY(arch_stack_walk, void,
	 (bool (*consume)(void *cookie, unsigned long addr), void *cookie, struct task_struct *task,
	  struct pt_regs *regs))
KSYM_MAY(register_kernel_break_hook, void, (void *hook))
KSYM_MAY(unregister_kernel_break_hook, void, (void *hook))
KSYM_MAY(do_el1_brk64, void, (unsigned long esr, struct pt_regs *regs))
KSYM_MAY(do_debug_exception, void, (unsigned long far, unsigned long esr, struct pt_regs *regs))
