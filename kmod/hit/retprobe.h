/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * retprobe.h - the return of a function as a site: KT_SITE_RETURN.
 *
 * A function that ends with a tail call has no instruction of its own at which its call ends.  So ktrace sets a
 * kretprobe of the kernel (kernel/kprobes.c, register_kretprobe()): it replaces the return address at the function's
 * entry, and sees the return however the function leaves.  The kernel's unwinder knows such return addresses.
 */
#ifndef KTRACE_RETPROBE_H
#define KTRACE_RETPROBE_H

#include "core/ktrace_abi.h"

struct kt_site;
struct list_head;

/*
 * Check that the kernel can set a kretprobe at the function whose KT_RETURN_OF() is site->addr.  Then fill in the
 * site's retprobe, entry and module.  kt_retprobe_free() frees the retprobe.  Under kt_table_lock and the text lock.
 */
enum kt_refusal kt_retprobe_prepare(struct kt_site *site);

/*
 * Register the kretprobe.  Calls that are in progress then return unseen.  Negative errno.
 * Sleepable, under kt_change_lock alone, because the kernel may wait for RCU-tasks.
 */
int kt_retprobe_arm(struct kt_site *site);
/*
 * Unregister the kretprobes of a list of sites (by ->leaving), with as few grace periods as possible.  Other sites in
 * the list stay as they are.  Calls that are in progress return unseen.  Same context as kt_retprobe_arm().
 */
void kt_retprobes_disarm(struct list_head *sites);

/* How many returns the kernel missed because it had no free instance for the call.  0 for sites of other kinds. */
u64 kt_retprobe_missed(const struct kt_site *site);

/* Free the retprobe of a site, if it has one.  It is not armed. */
void kt_retprobe_free(struct kt_site *site);

#endif
