/* SPDX-License-Identifier: GPL-2.0-only */
/* range_arch.h - x86 text that ktrace refuses.  Rows as in kmod/text/range_list.h. */

/*
 * Thunks: the mitigations of CPU bugs send each return and indirect branch through one (arch/x86/lib/retpoline.S), also
 * on the breakpoint entry path.  Only older kernels have symbols around all of them.
 */
RANGE("__indirect_thunk_start", "__indirect_thunk_end", KT_REFUSE_BLACKLIST)
BEGINS("__x86_indirect_", KT_REFUSE_BLACKLIST)
BEGINS("__pi___x86_indirect_", KT_REFUSE_BLACKLIST)
FUNCTION("__x86_return_thunk", KT_REFUSE_BLACKLIST)
FUNCTION("call_depth_return_thunk", KT_REFUSE_BLACKLIST)
FUNCTION("entry_untrain_ret", KT_REFUSE_BLACKLIST)
FUNCTION("its_return_thunk", KT_REFUSE_BLACKLIST)
FUNCTION("retbleed_return_thunk", KT_REFUSE_BLACKLIST)
FUNCTION("retbleed_untrain_ret", KT_REFUSE_BLACKLIST)
FUNCTION("srso_alias_return_thunk", KT_REFUSE_BLACKLIST)
FUNCTION("srso_alias_safe_ret", KT_REFUSE_BLACKLIST)
FUNCTION("srso_alias_untrain_ret", KT_REFUSE_BLACKLIST)
FUNCTION("srso_return_thunk", KT_REFUSE_BLACKLIST)
FUNCTION("srso_safe_ret", KT_REFUSE_BLACKLIST)
FUNCTION("srso_untrain_ret", KT_REFUSE_BLACKLIST)

/*
 * A notifier in the chain that handles breakpoints (kernel/events/hw_breakpoint.c).  It has the priority of ktrace's
 * notifier and is registered earlier, so it runs first.
 */
FUNCTION("hw_breakpoint_exceptions_notify", KT_REFUSE_ENTRY_PATH)

/* Trampolines of out-of-line static calls: the kernel patches them like static calls (kernel/static_call_inline.c). */
RANGE("__static_call_text_start", "__static_call_text_end", KT_REFUSE_STATIC_CALL)

/* The entry points of a CPU that starts, or starts again (arch/x86/kernel/head_64.S). */
FUNCTION("secondary_startup_64", KT_REFUSE_NO_TRAPS)
FUNCTION("secondary_startup_64_no_verify", KT_REFUSE_NO_TRAPS)
FUNCTION("common_startup_64", KT_REFUSE_NO_TRAPS)
FUNCTION("soft_restart_cpu", KT_REFUSE_NO_TRAPS)
FUNCTION("start_cpu0", KT_REFUSE_NO_TRAPS)
FUNCTION("vc_boot_ghcb", KT_REFUSE_NO_TRAPS)

/* A starting CPU runs these before it has its interrupt table (arch/x86/kernel/smpboot.c, start_secondary()). */
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

/* Per-CPU data is unreachable here, between loads of the segment and of its base (arch/x86/kernel/cpu/common.c). */
FUNCTION("load_percpu_segment", KT_REFUSE_NO_TRAPS)

/* On some kernels those functions call these before the table is loaded, directly or as paravirtual operations. */
FUNCTION("verify_cpu", KT_REFUSE_NO_TRAPS)
FUNCTION("sev_verify_cbit", KT_REFUSE_NO_TRAPS)
FUNCTION("startup_64_load_idt", KT_REFUSE_NO_TRAPS)
FUNCTION("__pi_startup_64_load_idt", KT_REFUSE_NO_TRAPS)
FUNCTION("set_bringup_idt_handler", KT_REFUSE_NO_TRAPS)
FUNCTION("set_bringup_idt_handler.constprop.0", KT_REFUSE_NO_TRAPS)
FUNCTION("setup_ghcb", KT_REFUSE_NO_TRAPS)
FUNCTION("snp_register_ghcb_early", KT_REFUSE_NO_TRAPS)
FUNCTION("sev_es_negotiate_protocol", KT_REFUSE_NO_TRAPS)
FUNCTION("cc_platform_has", KT_REFUSE_NO_TRAPS)
FUNCTION("amd_cc_platform_has", KT_REFUSE_NO_TRAPS)
FUNCTION("intel_cc_platform_has", KT_REFUSE_NO_TRAPS)
FUNCTION("cpu_init_secondary", KT_REFUSE_NO_TRAPS)
FUNCTION("cpu_init_fred_rsps", KT_REFUSE_NO_TRAPS)
FUNCTION("native_write_cr0", KT_REFUSE_NO_TRAPS)
FUNCTION("native_write_cr2", KT_REFUSE_NO_TRAPS)
FUNCTION("native_write_cr4", KT_REFUSE_NO_TRAPS)
FUNCTION("native_write_gdt_entry", KT_REFUSE_NO_TRAPS)
FUNCTION("native_load_tr_desc", KT_REFUSE_NO_TRAPS)
FUNCTION("native_load_gdt", KT_REFUSE_NO_TRAPS)
FUNCTION("native_load_idt", KT_REFUSE_NO_TRAPS)
FUNCTION("native_write_msr", KT_REFUSE_NO_TRAPS)
FUNCTION("do_trace_write_msr", KT_REFUSE_NO_TRAPS)
FUNCTION("cr4_set_bits", KT_REFUSE_NO_TRAPS)
FUNCTION("cr4_update_irqsoff", KT_REFUSE_NO_TRAPS)
FUNCTION("pv_native_save_fl", KT_REFUSE_NO_TRAPS)
FUNCTION("native_save_fl", KT_REFUSE_NO_TRAPS)
FUNCTION("pv_native_irq_disable", KT_REFUSE_NO_TRAPS)
FUNCTION("pv_native_irq_enable", KT_REFUSE_NO_TRAPS)
FUNCTION("get_cpu_entry_area", KT_REFUSE_NO_TRAPS)
FUNCTION("memset", KT_REFUSE_NO_TRAPS)
FUNCTION("memset_orig", KT_REFUSE_NO_TRAPS)
FUNCTION("memset_erms", KT_REFUSE_NO_TRAPS)
FUNCTION("memcpy_orig", KT_REFUSE_NO_TRAPS)

/* Suspend, hibernation, kexec: there is no interrupt table, or the kernel executes a copy of the function. */
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

/* The kernel copies these into each ftrace trampoline (arch/x86/kernel/ftrace.c, create_trampoline()). */
RANGE("ftrace_caller", "ftrace_caller_end", KT_REFUSE_NO_TRAPS)
RANGE("ftrace_regs_caller", "ftrace_regs_caller_end", KT_REFUSE_NO_TRAPS)
FUNCTION("ftrace_epilogue", KT_REFUSE_NO_TRAPS)
