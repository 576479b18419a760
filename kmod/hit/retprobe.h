/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * retprobe.h - the return of a function as a site, KT_SITE_RETURN.
 *
 * A function that ends by a tail call has no instruction at which its call ends.  A kretprobe of the
 * kernel's (kernel/kprobes.c, register_kretprobe()) replaces the return address at the function's entry,
 * so that it ends whatever way the function leaves; the kernel's own unwinder knows it.
 */
#ifndef KTRACE_RETPROBE_H
#define KTRACE_RETPROBE_H

#include "core/ktrace_abi.h"

struct kt_site;
struct list_head;

/*
 * Does a function that a kretprobe can be set on begin at the address that site->addr is KT_RETURN_OF()?  Fills in
 * retprobe, entry and module.  Under the table's and the text lock.
 */
enum kt_refusal kt_retprobe_prepare(struct kt_site *site);

/*
 * Set it / no longer; calls that are under way end unseen.  Negative errno.  Sites that are none are left alone.
 * Sleepable, under kt_change_lock alone: the kernel may be waiting for RCU-tasks.
 */
int kt_retprobe_arm(struct kt_site *site);
/* Those among a list of sites (by ->leaving), with as few grace periods as can be. */
void kt_retprobes_disarm(struct list_head *sites);

/* Returns that the kernel could not tell of: it had no instance for the call.  0 of other sites. */
u64 kt_retprobe_missed(const struct kt_site *site);

/* It is disarmed, or never was armed. */
void kt_retprobe_free(struct kt_site *site);

#endif
