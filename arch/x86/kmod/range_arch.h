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

/* The entry points of a CPU that starts: they run nowhere else (arch/x86/kernel/head_64.S). */
FUNCTION("secondary_startup_64", KT_REFUSE_NO_TRAPS)
FUNCTION("secondary_startup_64_no_verify", KT_REFUSE_NO_TRAPS)
FUNCTION("common_startup_64", KT_REFUSE_NO_TRAPS)

/*
 * Kexec, up to the jump into the other kernel: no interrupt table, or the kernel executes a copy of the function
 * (arch/x86/kernel/machine_kexec_64.c).  Nobody is told before the kexec of a crash.
 */
FUNCTION("machine_kexec", KT_REFUSE_NO_TRAPS)
FUNCTION("load_segments", KT_REFUSE_NO_TRAPS)
FUNCTION("idt_invalidate", KT_REFUSE_NO_TRAPS)
FUNCTION("native_load_idt", KT_REFUSE_NO_TRAPS)
FUNCTION("native_load_gdt", KT_REFUSE_NO_TRAPS)
FUNCTION("sme_active", KT_REFUSE_NO_TRAPS)
FUNCTION("cc_platform_has", KT_REFUSE_NO_TRAPS)
FUNCTION("amd_cc_platform_has", KT_REFUSE_NO_TRAPS)
FUNCTION("intel_cc_platform_has", KT_REFUSE_NO_TRAPS)
FUNCTION("relocate_kernel", KT_REFUSE_NO_TRAPS)
FUNCTION("identity_mapped", KT_REFUSE_NO_TRAPS)
FUNCTION("virtual_mapped", KT_REFUSE_NO_TRAPS)
FUNCTION("swap_pages", KT_REFUSE_NO_TRAPS)

/* The kernel copies these into each ftrace trampoline (arch/x86/kernel/ftrace.c, create_trampoline()). */
RANGE("ftrace_caller", "ftrace_caller_end", KT_REFUSE_NO_TRAPS)
RANGE("ftrace_regs_caller", "ftrace_regs_caller_end", KT_REFUSE_NO_TRAPS)
FUNCTION("ftrace_epilogue", KT_REFUSE_NO_TRAPS)

/* Only a starting CPU runs these, before it has its interrupt table (arch/x86/kernel/smpboot.c, start_secondary()). */
WINDOW("verify_cpu")
WINDOW("sev_verify_cbit")
WINDOW("soft_restart_cpu")
WINDOW("start_cpu0")
WINDOW("vc_boot_ghcb")
WINDOW("start_secondary")
WINDOW("ap_starting")
WINDOW("cpu_init_secondary")
WINDOW("cpu_init_exception_handling")
WINDOW("cpu_init_fred_exceptions")
WINDOW("cpu_init_fred_rsps")
WINDOW("cpu_init_replace_early_idt")
WINDOW("load_ucode_ap")
WINDOW("load_ucode_intel_ap")
WINDOW("load_ucode_amd_ap")
WINDOW("early_setup_idt")
WINDOW("startup_64_load_idt")
WINDOW("__pi_startup_64_load_idt")
WINDOW("set_bringup_idt_handler")

/* Per-CPU data is unreachable here, between loads of the segment and of its base (arch/x86/kernel/cpu/common.c). */
WINDOW("load_percpu_segment")
WINDOW("switch_to_new_gdt")
WINDOW("switch_gdt_and_percpu_base")

/*
 * On some kernels a starting CPU calls these before its table is loaded, directly or as paravirtual operations, and so
 * does one that wakes up.  At other times they are functions as any other.
 */
WINDOW("cr4_init")
WINDOW("load_current_idt")
WINDOW("load_direct_gdt")
WINDOW("load_fixmap_gdt")
WINDOW("setup_ghcb")
WINDOW("snp_register_ghcb_early")
WINDOW("sev_es_negotiate_protocol")
WINDOW("native_write_cr0")
WINDOW("native_write_cr2")
WINDOW("native_write_cr4")
WINDOW("native_write_gdt_entry")
WINDOW("native_load_tr_desc")
WINDOW("native_write_msr")
WINDOW("do_trace_write_msr")
WINDOW("cr4_set_bits")
WINDOW("cr4_update_irqsoff")
WINDOW("pv_native_save_fl")
WINDOW("native_save_fl")
WINDOW("pv_native_irq_disable")
WINDOW("pv_native_irq_enable")
WINDOW("get_cpu_entry_area")
WINDOW("memset")
WINDOW("memset_orig")
WINDOW("memset_erms")
WINDOW("memcpy_orig")

/* The way into and out of suspend and hibernation, the image that comes back, and kexec with a way back. */
WINDOW("do_suspend_lowlevel")
WINDOW("wakeup_long64")
WINDOW("__restore_processor_state")
WINDOW("restore_processor_state")
WINDOW("fix_processor_context")
WINDOW("restore_image")
WINDOW("core_restore_code")
WINDOW("restore_registers")

/* As the rows LAST of range_list.h: __text_poke() maps the page of the breakpoint. */
LAST("__get_locked_pte")
LAST("walk_to_pmd")
LAST("pmd_val")
LAST("pud_val")
LAST("pgd_none")
LAST("p4d_offset")
LAST("native_set_pte")
