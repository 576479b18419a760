/* SPDX-License-Identifier: GPL-2.0-only */
/* range_arch.h - arm64 text that ktrace refuses.  Rows as in kmod/text/range_list.h. */

/*
 * Code that runs with another stack or without one, in the hypervisor, or as a copy.  Kprobes also refuses most of it.
 */
RANGE("__entry_text_start", "__entry_text_end", KT_REFUSE_BLACKLIST)
RANGE("__irqentry_text_start", "__irqentry_text_end", KT_REFUSE_BLACKLIST)
RANGE("__noinstr_text_start", "__noinstr_text_end", KT_REFUSE_BLACKLIST)
RANGE("__idmap_text_start", "__idmap_text_end", KT_REFUSE_NO_TRAPS)
RANGE("__hyp_text_start", "__hyp_text_end", KT_REFUSE_NO_TRAPS)
RANGE("__hyp_idmap_text_start", "__hyp_idmap_text_end", KT_REFUSE_NO_TRAPS)
RANGE("__hibernate_exit_text_start", "__hibernate_exit_text_end", KT_REFUSE_NO_TRAPS)
RANGE("__relocate_new_kernel_start", "__relocate_new_kernel_end", KT_REFUSE_NO_TRAPS)
RANGE("__entry_tramp_text_start", "__entry_tramp_text_end", KT_REFUSE_NO_TRAPS)

/*
 * A starting or resuming CPU runs these before it has its vectors, its stack and its current task.  None of them is a
 * WINDOW: CPUs also resume from deep idle states, of which ktrace is not told.
 */
FUNCTION("__primary_switched", KT_REFUSE_NO_TRAPS)
FUNCTION("__secondary_switched", KT_REFUSE_NO_TRAPS)
FUNCTION("secondary_start_kernel", KT_REFUSE_NO_TRAPS)
FUNCTION("_cpu_resume", KT_REFUSE_NO_TRAPS)
FUNCTION("__cpu_suspend_enter", KT_REFUSE_NO_TRAPS)
FUNCTION("cpu_do_suspend", KT_REFUSE_NO_TRAPS)
FUNCTION("cpu_do_resume", KT_REFUSE_NO_TRAPS)
FUNCTION("ptrauth_keys_init_cpu", KT_REFUSE_NO_TRAPS)

/* These run at the end of a kernel (kexec, resume from hibernation) or of a CPU. */
FUNCTION("machine_kexec", KT_REFUSE_NO_TRAPS)
FUNCTION("cpu_soft_restart", KT_REFUSE_NO_TRAPS)
FUNCTION("arm64_relocate_new_kernel", KT_REFUSE_NO_TRAPS)
FUNCTION("swsusp_arch_suspend_exit", KT_REFUSE_NO_TRAPS)
FUNCTION("__hyp_set_vectors", KT_REFUSE_NO_TRAPS)
FUNCTION("__hyp_reset_vectors", KT_REFUSE_NO_TRAPS)

/* These change the stack and the current task, one after the other. */
FUNCTION("cpu_switch_to", KT_REFUSE_BLACKLIST)
FUNCTION("call_on_irq_stack", KT_REFUSE_BLACKLIST)
FUNCTION("ret_from_fork", KT_REFUSE_BLACKLIST)

/* ftrace patches these, but none of its tables has them (arch/arm64/kernel/ftrace.c, ftrace_update_ftrace_func()). */
FUNCTION("ftrace_call", KT_REFUSE_FTRACE)
FUNCTION("ftrace_graph_call", KT_REFUSE_FTRACE)
FUNCTION("ftrace_regs_caller", KT_REFUSE_FTRACE)
FUNCTION("ftrace_caller", KT_REFUSE_FTRACE)
FUNCTION("ftrace_common", KT_REFUSE_FTRACE)

/*
 * The kernel calls these functions to make patched text visible to the CPUs.  They must not be patched: CPUs would
 * execute them while they change.
 */
FUNCTION("caches_clean_inval_pou", KT_REFUSE_ENTRY_PATH)
FUNCTION("__pi_caches_clean_inval_pou", KT_REFUSE_ENTRY_PATH)
FUNCTION("__flush_icache_range", KT_REFUSE_ENTRY_PATH)
FUNCTION("__clean_dcache_area_pou", KT_REFUSE_ENTRY_PATH)
