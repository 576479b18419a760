/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * safety.h - may this address be patched?  No less than what kprobes asks on
 * the same kernel (kernel/kprobes.c, check_kprobe_address_safe(), and
 * arch_prepare_kprobe()), with the kernel's own queries.
 */
#ifndef KTRACE_SAFETY_H
#define KTRACE_SAFETY_H

#include "ktrace_abi.h"

struct kt_site;
struct module;

/* To be held around kt_safety_check() until what it allowed has been patched. */
void kt_text_lock(void);
void kt_text_unlock(void);

/* Differs each time that the lock is taken.  Under it. */
u64 kt_text_lock_count(void);

/*
 * Apply every rule to site->addr and, when it passes, fill in insn, insn_len and
 * module.  Under kt_text_lock().
 */
enum kt_refusal kt_safety_check(struct kt_site *site);

/* The rules that look at an instruction and not only at its address.  Same lock. */
enum kt_refusal kt_safety_insn(unsigned long addr, const u8 *insn, u8 len);

/*
 * Does a function begin there that may be probed at its entry by the kernel's own means?  *module is then its module,
 * or NULL.  Under the text lock.
 */
enum kt_refusal kt_safety_function(unsigned long entry, struct module **module);

/* The good address nearest to one that is refused, in the same function; 0 when there is none. */
unsigned long kt_safety_nearest(unsigned long addr);

/* Kernel or module text that is there to be read?  Any task context. */
bool kt_is_text(unsigned long addr);

/* The live module whose text it is, NULL for none.  Under kt_change_lock, which keeps it. */
struct module *kt_safety_module(unsigned long addr);

/* Why what begins like the symbol that addr lies in is refused; KT_REFUSE_NONE: it is not.  Any task context. */
enum kt_refusal kt_safety_family(unsigned long addr);

void kt_safety_init(void);

#endif
