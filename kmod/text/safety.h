/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * safety.h - may ktrace patch this address?  The rules include all that kprobes checks on the same kernel
 * (kernel/kprobes.c, check_kprobe_address_safe(), and arch_prepare_kprobe()), and they call the same functions of the
 * kernel.
 */
#ifndef KTRACE_SAFETY_H
#define KTRACE_SAFETY_H

#include "core/ktrace_abi.h"

struct kt_site;
struct module;

/*
 * The text lock is three locks: CPU hotplug, the kernel's jump labels, and text_mutex.  It keeps all others from
 * patching text.  Hold it from kt_safety_check() until the patch is done.  Take it inside kt_table_lock.  Sleepable.
 */
void kt_text_lock(void);
void kt_text_unlock(void);

/* The same for a callback of CPU hotplug: the task that calls it, or that waits for it, holds cpus_write_lock(). */
void kt_text_lock_cpuslocked(void);
void kt_text_unlock_cpuslocked(void);

/* How often the text lock was taken.  An equal number means: it was not released in between.  Under the text lock. */
u64 kt_text_lock_count(void);

/*
 * Apply the rules that look at an address only.  The answer stays true under kt_change_lock.  Before Linux 6.2 this takes
 * milliseconds where a symbol has a suffix (.part.0), since the kernel then compares the names of all its symbols
 * (blacklist.c): so not under the text lock, where there are many addresses.  Sleepable.
 */
enum kt_refusal kt_safety_address(unsigned long addr);

/* The rules of kt_safety_address() that need no name of a symbol, and those that do.  A name of the kernel itself never changes. */
struct kt_safety_name {
	enum kt_refusal refusal;
	bool windowed;			/* a site there must be disarmed in a window (kmod/table/window.h) */
	bool is_plain;			/* the name is known and has no suffix */
	bool comes_last;		/* to be armed after the others: LAST in range_list.h */
};
enum kt_refusal kt_safety_unnamed(unsigned long addr, bool is_plain);	/* is_plain: of its name; false: it may have a suffix */
struct kt_safety_name kt_safety_name(unsigned long addr);	/* any task context */

/*
 * Apply all other rules to site->addr.  KT_REFUSE_NONE: insn, insn_len and module are filled in.  Otherwise the first rule
 * that refuses.  Under kt_table_lock and the text lock.
 */
enum kt_refusal kt_safety_text(struct kt_site *site);

/* Both, the first one first; windowed is filled in, too.  Same locks. */
enum kt_refusal kt_safety_check(struct kt_site *site);

/* Apply the rules that look at an instruction (insn[len] at addr), not only at its address.  Same locks. */
enum kt_refusal kt_safety_insn(unsigned long addr, const u8 *insn, u8 len);

/*
 * May ktrace set a kretprobe of the kernel on a function that begins at `entry`?  KT_REFUSE_NONE: *module is its
 * module, NULL for the kernel.  Under the text lock.
 */
enum kt_refusal kt_safety_function(unsigned long entry, struct module **module);

/* For a refused address: the nearest address in the same function that is accepted, 0: none.  Same locks. */
unsigned long kt_safety_nearest(unsigned long addr);

/* Is addr in the text of the kernel or of a module, so that it can be read?  Any task context. */
bool kt_is_text(unsigned long addr);

/* The live module with this text; NULL: there is none.  Under kt_change_lock, which keeps the module loaded. */
struct module *kt_safety_module(unsigned long addr);

/* The refusal for the name of the symbol at addr (BEGINS in range_list.h), or KT_REFUSE_NONE.  Any task context. */
enum kt_refusal kt_safety_prefix(unsigned long addr);

void kt_safety_init(void);	/* look up the symbols of range_list.h and range_arch.h */

#endif
