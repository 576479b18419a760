/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uprobe.h - an instruction of a program as a site: KT_SITE_USER.
 *
 * The kernel's uprobes (kernel/events/uprobes.c) write the breakpoint into the page of each process that maps the file,
 * now or later, and execute the displaced instruction.  They call ktrace in the context of the task, where it may sleep.
 * ktrace first brings in the pages that the capture programs read, and then makes the hit as any other, with interrupts
 * off.
 */
#ifndef KTRACE_UPROBE_H
#define KTRACE_UPROBE_H

#include "core/ktrace_abi.h"

struct kt_site;
struct list_head;

/*
 * Fill in site->uprobe for the request, which kt_file_check() has accepted.  kt_uprobe_free() frees it.
 * KT_REFUSE_NO_FILE, _NO_PROCESS, _NOMEM.  Under kt_change_lock.
 */
enum kt_refusal kt_uprobe_prepare(struct kt_site *site, const struct kt_site_req *req);

/* Does the request name no other count (semaphore) than the site has?  The kernel has one for a place.  Under kt_change_lock. */
bool kt_uprobe_fits(const struct kt_site *site, const struct kt_site_req *req);

/*
 * Does the site lack the breakpoint in this process (0: everywhere), which another tracepoint there needs?  Under
 * kt_change_lock.
 */
bool kt_uprobe_lacks(const struct kt_site *site, u32 process);

/*
 * Register the uprobe, as far as it is not registered.  widen: everywhere from now on.  -EIO: not with this file system;
 * other errors of uprobe_register().  Sleepable, under kt_change_lock alone: the kernel takes mmap_lock of each process
 * with the file.
 */
int kt_uprobe_arm(struct kt_site *site, bool widen);
/*
 * Unregister the uprobes of a list of sites (by ->leaving); on return none of their hits is in progress.  Other sites
 * in the list stay as they are.  Same context.
 */
void kt_uprobes_disarm(struct list_head *sites);

/* KT_METHOD_UPROBE or KT_METHOD_STEPPED, for a site with a uprobe. */
enum kt_method kt_uprobe_method(const struct kt_site *site);

/* Hits in 32-bit programs; 0 for sites of other kinds. */
u32 kt_uprobe_compat(const struct kt_site *site);

/* Free the uprobe of a site, if it has one.  It is not armed.  Sleepable. */
void kt_uprobe_free(struct kt_site *site);

#endif
