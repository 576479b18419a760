/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ksym_list.h - unexported functions that every architecture uses.  C and assembler files include it several times, so
 * it contains only rows; see ksym.h.
 *
 *   KSYM_NEED(name, result, arguments)            required
 *   KSYM_NEED_AS(name, other, result, arguments)  required, under either name
 *   KSYM_MAY(name, result, arguments)             optional: check kt_have(name) first
 */
KSYM_NEED(kallsyms_lookup_size_offset, int,
	  (unsigned long addr, unsigned long *size, unsigned long *offset))
KSYM_NEED(core_kernel_text, int, (unsigned long addr))
KSYM_NEED(__module_text_address, struct module *, (unsigned long addr))
KSYM_NEED(__module_address, struct module *, (unsigned long addr))
KSYM_NEED(within_kprobe_blacklist, bool, (unsigned long addr))
KSYM_NEED(search_exception_tables, const void *, (unsigned long addr))
KSYM_NEED(jump_label_lock, void, (void))
KSYM_NEED(jump_label_unlock, void, (void))
KSYM_NEED(jump_label_text_reserved, int, (void *start, void *end))
/* `prot` is a pgprot_t, declared as the word that it contains. */
KSYM_NEED_AS(__vmalloc_node_range, __vmalloc_node_range_noprof, void *,
	     (unsigned long size, unsigned long align, unsigned long start, unsigned long end, gfp_t gfp,
	      u64 prot, unsigned long flags, int node, const void *caller))
/* In older kernels the second name is that of the same function, in newer ones another function that is not used then. */
KSYM_NEED_AS(task_work_cancel_func, task_work_cancel, struct callback_head *,
	     (struct task_struct *task, void (*func)(struct callback_head *work)))
KSYM_NEED(task_work_add, int, (struct task_struct *task, struct callback_head *work, int notify))
KSYM_MAY(arch_within_kprobe_blacklist, bool, (unsigned long addr))
KSYM_MAY(static_call_text_reserved, int, (void *start, void *end))
KSYM_MAY(ftrace_text_reserved, int, (const void *start, const void *end))
KSYM_MAY(kallsyms_lookup, const char *,
	 (unsigned long addr, unsigned long *size, unsigned long *offset, char **modname, char *name))
KSYM_MAY(find_bug, void *, (unsigned long addr))
KSYM_MAY(get_kprobe, struct kprobe *, (void *addr))
/* Behind /proc/PID/ns/mnt. */
KSYM_MAY(mntns_get, struct ns_common *, (struct task_struct *task))
KSYM_MAY(mntns_put, void, (struct ns_common *ns))
/* Which instructions of programs can have a uprobe. */
KSYM_MAY(arch_uprobe_analyze_insn, int, (struct arch_uprobe *probe, struct mm_struct *mm, unsigned long addr))
