/* SPDX-License-Identifier: GPL-2.0-only */
/* range_arch.h - x86 text that is refused.  Rows as in kmod/range_list.h. */

/* Every return and indirect branch, those of the breakpoint's own way included. */
RANGE("__indirect_thunk_start", "__indirect_thunk_end", KT_REFUSE_BLACKLIST)

/* What static calls that are out of line go through is patched as they are (kernel/static_call_inline.c). */
RANGE("__static_call_text_start", "__static_call_text_end", KT_REFUSE_STATIC_CALL)

/* Before a processor that starts has its interrupt table: arch/x86/kernel/smpboot.c, start_secondary(). */
FUNCTION("start_secondary", KT_REFUSE_NO_TRAPS)
FUNCTION("ap_starting", KT_REFUSE_NO_TRAPS)
FUNCTION("cr4_init", KT_REFUSE_NO_TRAPS)
FUNCTION("cpu_init_exception_handling", KT_REFUSE_NO_TRAPS)
FUNCTION("cpu_init_fred_exceptions", KT_REFUSE_NO_TRAPS)
FUNCTION("cpu_init_replace_early_idt", KT_REFUSE_NO_TRAPS)
FUNCTION("load_current_idt", KT_REFUSE_NO_TRAPS)
FUNCTION("load_direct_gdt", KT_REFUSE_NO_TRAPS)
FUNCTION("load_fixmap_gdt", KT_REFUSE_NO_TRAPS)
FUNCTION("switch_to_new_gdt", KT_REFUSE_NO_TRAPS)
FUNCTION("switch_gdt_and_percpu_base", KT_REFUSE_NO_TRAPS)
FUNCTION("load_ucode_ap", KT_REFUSE_NO_TRAPS)
FUNCTION("load_ucode_intel_ap", KT_REFUSE_NO_TRAPS)
FUNCTION("load_ucode_amd_ap", KT_REFUSE_NO_TRAPS)
FUNCTION("early_setup_idt", KT_REFUSE_NO_TRAPS)

/* Suspend, hibernation, kexec: no interrupt table, or executed as a copy elsewhere. */
FUNCTION("do_suspend_lowlevel", KT_REFUSE_NO_TRAPS)
FUNCTION("wakeup_long64", KT_REFUSE_NO_TRAPS)
FUNCTION("__restore_processor_state", KT_REFUSE_NO_TRAPS)
FUNCTION("restore_processor_state", KT_REFUSE_NO_TRAPS)
FUNCTION("fix_processor_context", KT_REFUSE_NO_TRAPS)
FUNCTION("restore_image", KT_REFUSE_NO_TRAPS)
FUNCTION("core_restore_code", KT_REFUSE_NO_TRAPS)
FUNCTION("restore_registers", KT_REFUSE_NO_TRAPS)
FUNCTION("machine_kexec", KT_REFUSE_NO_TRAPS)
FUNCTION("load_segments", KT_REFUSE_NO_TRAPS)
FUNCTION("idt_invalidate", KT_REFUSE_NO_TRAPS)
FUNCTION("relocate_kernel", KT_REFUSE_NO_TRAPS)
FUNCTION("identity_mapped", KT_REFUSE_NO_TRAPS)
FUNCTION("virtual_mapped", KT_REFUSE_NO_TRAPS)
FUNCTION("swap_pages", KT_REFUSE_NO_TRAPS)

/* Copied into each ftrace trampoline (arch/x86/kernel/ftrace.c, create_trampoline()). */
RANGE("ftrace_caller", "ftrace_caller_end", KT_REFUSE_NO_TRAPS)
RANGE("ftrace_regs_caller", "ftrace_regs_caller_end", KT_REFUSE_NO_TRAPS)
FUNCTION("ftrace_epilogue", KT_REFUSE_NO_TRAPS)
