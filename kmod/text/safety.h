/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * safety.h - may this address be patched?  No less than what kprobes asks on
 * the same kernel (kernel/kprobes.c, check_kprobe_address_safe(), and
 * arch_prepare_kprobe()), with the kernel's own queries.
 */
#ifndef KTRACE_SAFETY_H
#define KTRACE_SAFETY_H

#include "core/ktrace_abi.h"

struct kt_site;
struct module;

/*
 * Keep everybody from patching text: the kernel's jump labels and text_mutex, and CPU hotplug.  Held from
 * kt_safety_check() until what it allowed has been patched.  Sleepable; inside kt_table_lock where both are taken.
 */
void kt_text_lock(void);
void kt_text_unlock(void);

/* How often the lock has been taken: an equal number means the same hold.  Under it. */
u64 kt_text_lock_count(void);

/*
 * Apply every rule to site->addr.  KT_REFUSE_NONE: insn, insn_len and module are filled in; else the first rule that
 * refuses.  Under the table's and the text lock.
 */
enum kt_refusal kt_safety_check(struct kt_site *site);

/* Apply the rules that look at an instruction (insn[len] at addr), not only at its address.  Same locks. */
enum kt_refusal kt_safety_insn(unsigned long addr, const u8 *insn, u8 len);

/*
 * May the kernel's own kretprobe be set on a function that begins at `entry`?  KT_REFUSE_NONE: *module is its module,
 * NULL for the kernel.  Under the text lock.
 */
enum kt_refusal kt_safety_function(unsigned long entry, struct module **module);

/* The nearest address in the same function that would be accepted, for one that is refused; 0: none.  Same locks. */
unsigned long kt_safety_nearest(unsigned long addr);

/* Is addr text of the kernel or of a module, there to be read?  Any task context. */
bool kt_is_text(unsigned long addr);

/* The live module whose text it is, NULL for none.  Under kt_change_lock, which keeps it. */
struct module *kt_safety_module(unsigned long addr);

/* Why what begins like the symbol that addr lies in is refused; KT_REFUSE_NONE: it is not.  Any task context. */
enum kt_refusal kt_safety_prefix(unsigned long addr);

void kt_safety_init(void);

#endif
